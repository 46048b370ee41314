/** A pool without threads: commands define the device's behaviour. */

import { ServiceError } from "../../src/base/errors.ts";
import { abortReason, onAbort, pause } from "../../src/base/time/deadline.ts";
import type { Pool, RunOptions } from "../../src/pool/port.ts";
import type { OutputsValue, QueryTask, Task } from "../../src/protocol/task.ts";

export interface FakePool extends Pool {
  /** Tasks in the order in which they reached a device. */
  readonly log: { host: string; command: string }[];
  evicted: (string | undefined)[];
  most: number;
  /** Releases the commands that `hold`. */
  release(): void;
}

type HoldingPool = FakePool & { readonly held: Promise<void> };

/**
 * Commands: anything echoes; `wait <ms>`, `hold` (until `release`, ignoring its deadline), `fail <kind>`,
 * `lose` (the thread dies), `quiet` (dies before it sends).
 */
export function fakePool(threads = 2): FakePool {
  let running = 0;
  const held = Promise.withResolvers<void>();
  const pool: HoldingPool = {
    held: held.promise,
    release: held.resolve,
    log: [],
    evicted: [],
    most: 0,
    threads,
    reload() {},
    running: () => running,
    sessions: () => [],
    hasSession: () => false,
    evict: async (host) => {
      pool.evicted.push(host);
      return 0;
    },
    close: async () => {},
    async run<T extends Task>(task: T, options: RunOptions) {
      running++;
      pool.most = Math.max(pool.most, running);
      try {
        // The fake returns each task kind's own result type.
        return (await fakeRun(task, options, pool)) as never;
      } finally {
        running--;
      }
    },
  };
  return pool;
}

async function fakeRun(task: Task, options: RunOptions, pool: HoldingPool): Promise<unknown> {
  switch (task.kind) {
    case "query":
    case "configure":
      return fakeDevice(task, options, pool);
    case "render":
      return { text: `${task.source} ${task.contextJson}` };
    case "parse":
      if (task.source === "bad") throw new ServiceError("ParseError", "The template does not fit.");
      return { json: task.texts.map((text) => `[{"B":1.0,"10":"${text}"}]`) };
    case "fetch":
      return { text: `fetched ${task.uri}` };
    case "probe":
      return { prompt: "R1#", host: String(task.connection.host), device_type: "cisco_ios" };
    case "deliver":
      return { ok: true, status: 200 };
    case "evict":
      return { closed: 0 };
  }
}

async function fakeDevice(
  task: QueryTask | Extract<Task, { kind: "configure" }>,
  options: RunOptions,
  pool: HoldingPool,
): Promise<OutputsValue> {
  const host = String(task.connection.host);
  const all =
    task.kind === "query"
      ? task.commands.map((line) => (typeof line === "string" ? line : line.send))
      : [task.lines.join("\n")];
  const sent: string[] = [];
  const outputs: { command: string; output: unknown }[] = [];
  const warnings: string[] = [];
  for (const command of all) {
    if (command.startsWith("slow login ")) await pause(Number(command.split(" ")[2]));
    if (command === "wrong password")
      throw new ServiceError("AuthenticationFailed", "The device refused it.");
    if (command === "quiet") throw new ServiceError("WorkerLost", "The thread died before it sent.");
    sent.push(command);
    await options.answer?.({ about: "sending", lines: [...sent] });
    pool.log.push({ host, command });
    const [word, arg] = command.split(" ");
    if (word === "hold") await pool.held;
    if (word === "wait") await pause(Number(arg), options.deadline.signal);
    if (word === "hang")
      await new Promise<void>((resolve) => void onAbort(options.deadline.signal, () => resolve()));
    if (options.deadline.signal.aborted) throw abortReason(options.deadline.signal);
    if (word === "lose") throw new ServiceError("WorkerLost", "The thread died.");
    if (word === "fail")
      throw new ServiceError("CommandError", "The device refused it.", { command, partial: outputs });
    if (command.startsWith("warn ")) warnings.push(command.slice(5));
    outputs.push({ command, output: `${host}: ${command}` });
  }
  return { outputs, reused: false, ...(warnings.length === 0 ? {} : { warnings }) };
}
