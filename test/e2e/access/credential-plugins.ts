/** Plugins for credential tests: a driver that reports how it was opened, and a third-party source. */

/** @param gate while this file exists, a command `wait` does not end. */
export const lockDriver = (gate: string) => `
import { existsSync } from "node:fs";
import { defineDriver, PluginError, secret, v } from "patchbay/plugin";
export default defineDriver({
  name: "lock", strategy: "fifo", target: ({ host }) => ({ host, port: 1 }), repeatable: () => true,
  connection: v.object({ host: v.string(), username: v.string(), password: secret(v.string()) }),
  query: v.object({}),
  async open({ connection: { username, password } }, ctx) {
    return { async query(commands) {
      while (JSON.stringify(commands).includes("wait") && existsSync(${JSON.stringify(gate)}) && !ctx.signal.aborted)
        await new Promise((done) => setTimeout(done, 20));
      return username + " in with " + password.reveal();
    } };
  },
});`;
/** Reads its own data, and tries to read another source's. */
export const strangerSource = `
import { defineCredentialSource, v } from "patchbay/plugin";
export default defineCredentialSource({
  name: "stranger", keeps: true,
  reference: v.object({ name: v.literal("stranger"), ref: v.string(), more: v.optional(v.string()) }),
  async resolve({ reference: { ref }, kept }) {
    return (await kept(ref)) ?? { username: "nobody", password: "nothing-there" };
  },
});`;
