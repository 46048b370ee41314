/** A driver for tests whose sessions do what the command says, and a worker served over an in-memory port. */
import * as v from "valibot";
import { pause } from "../../src/base/deadline.ts";
import { secret } from "../../src/base/secret.ts";
import type { Driver, DriverPlugin } from "../../src/plugin/index.ts";
import type { WorkerSettings } from "../../src/protocol/port.ts";

export interface Counts {
  opened: number;
  closed: number;
}

/** Commands: `echo x`, `warn x`, `wait <ms>`, `fail`, `spin` (never yields), `late` (throws outside of the task). */
export function testDriver(counts: Counts = { opened: 0, closed: 0 }): DriverPlugin {
  const connection = v.looseObject({
    host: v.string(),
    password: v.optional(v.pipe(v.string(), v.transform(secret))),
  });
  const driver: Driver = {
    async open(given) {
      const { host, password } = v.parse(
        v.looseObject({ host: v.string(), password: v.optional(v.any()) }),
        given,
      );
      if (host === "unreachable") throw new Error(`no way to ${host} with ${password?.reveal()}`);
      counts.opened++;
      let healthy = true;
      return {
        async query(commands, _args, ctx) {
          const outputs: { command: string; output: unknown }[] = [];
          for (const one of commands) {
            const command = typeof one === "string" ? one : one.send;
            await ctx.announce([command]);
            if (command === "fail") {
              healthy = false;
              throw new Error("the device said no");
            }
            if (command.startsWith("warn ")) ctx.warn(command.slice(5));
            if (command === "spin") for (;;);
            if (command === "late") void Promise.resolve().then(() => Promise.reject(new Error("late")));
            if (command.startsWith("wait ")) await pause(Number(command.slice(5)), ctx.signal);
            ctx.signal.throwIfAborted();
            outputs.push({ command, output: command.replace(/^echo /, "") });
          }
          return outputs;
        },
        async configure(lines) {
          return [{ command: lines.join("\n"), output: "ok" }];
        },
        describe: async () => ({ prompt: "R1#", host }),
        reusable: async () => healthy,
        close: async () => void counts.closed++,
      };
    },
  };
  return {
    api: 1,
    kind: "driver",
    name: "test",
    connection,
    args: { query: v.looseObject({}), configure: v.looseObject({}) },
    strategy: "pinned",
    knows: { connection: ["host", "password"], args: { query: [], configure: [] } },
    defaultTimeout: 5,
    defaultPort: 22,
    load: async () => ({ default: () => driver }),
  };
}

export const plainSettings: WorkerSettings = {
  role: "device",
  plugins: [],
  templateRoots: [],
  transferRoots: [],
  keyRoots: [],
  libraryRoot: "/nonexistent",
  urlAllow: [],
  urlDeny: [],
  sessionIdleMs: 60_000,
  sessionAgeMs: 60_000,
  maxSessions: 2,
  logLevel: "silent",
};
