/**
 * A driver plugin controlled by its commands: `bytes <n>` returns n bytes of text, `wait <ms>` takes that
 * long.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const source = `import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "abuse", validate: (value) => ({ value }) } };
const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});
const session = {
  async query(command, args, ctx) {
    const [word, count] = command.split(" ");
    if (word === "wait") await pause(Number(count), ctx.signal);
    return word === "bytes" ? "x".repeat(Number(count)) : "ok";
  },
  configure: async () => "ok",
  reusable: async () => true,
};
export default defineDriver({
  name: "noop", connection: any, query: any, configure: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 22 }),
  open: async () => session,
});
`;

export function writeDriver(dataDir: string): void {
  const folder = join(dataDir, "plugins");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "noop.ts"), source, { mode: 0o600 });
}
