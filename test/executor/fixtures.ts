/** A test driver controlled by its commands, and a worker served over an in-memory port. */
import * as v from "valibot";
import { secret } from "../../src/base/secrets/secret.ts";
import { pause } from "../../src/base/time/deadline.ts";
import type { DriverPlugin, OpenSession } from "../../src/plugin/index.ts";
import type { WorkerSettings } from "../../src/protocol/message-port.ts";

export interface Counts {
  opened: number;
  closed: number;
}

/** Commands: `echo x`, `warn x`, `wait <ms>`, `fail`, `spin` (never yields), `late` (throws outside the task). */
export function testDriver(counts: Counts = { opened: 0, closed: 0 }): DriverPlugin {
  const connection = v.looseObject({
    host: v.string(),
    password: v.optional(v.pipe(v.string(), v.transform(secret))),
  });
  const open: OpenSession<unknown, unknown, unknown, unknown> = async (tools) => {
    const { host, password } = v.parse(
      v.looseObject({ host: v.string(), password: v.optional(v.any()) }),
      tools.connection,
    );
    if (host === "unreachable") throw new Error(`no way to ${host} with ${password?.reveal()}`);
    counts.opened++;
    let healthy = true;
    return {
      async queryAll(commands, _args, ctx) {
        const outputs: { command: string; output: unknown }[] = [];
        for (const nextCommand of commands) {
          const command = typeof nextCommand === "string" ? nextCommand : nextCommand.send;
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
      configure: async () => "ok",
      describe: async () => ({ prompt: "R1#", host }),
      reusable: async () => healthy,
      close: async () => void counts.closed++,
    };
  };
  return {
    api: 1,
    kind: "driver",
    name: "test",
    connection,
    args: { query: v.looseObject({}), configure: v.looseObject({}) },
    strategy: "pinned",
    target: (given) => ({ host: v.parse(v.looseObject({ host: v.string() }), given).host, port: 22 }),
    load: async () => ({ default: open }),
  };
}

export const plainSettings: WorkerSettings = {
  role: "device",
  plugins: [],
  templateRoots: [],
  transferRoots: [],
  keyRoots: [],
  knownHosts: [],
  libraryRoot: "/nonexistent",
  urlAllow: [],
  urlDeny: [],
  sessionIdleMs: 60_000,
  sessionAgeMs: 60_000,
  maxSessions: 2,
  logLevel: "silent",
};
