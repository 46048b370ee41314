/** A fake template process: the test controls its CPU time, its answers and its death. */
import { setImmediate } from "node:timers";
import type { FromWorker, ToWorker } from "../../src/protocol/message-port.ts";
import type { RenderTask } from "../../src/protocol/task.ts";
import type { Child, Usage } from "../../src/runtime/child.ts";

export interface FakeChild extends Child<FromWorker, ToWorker> {
  /** Resource usage as reported by the system. */
  used: Usage | undefined;
  /** Completes the running task: its text, and the process's total CPU time. */
  finish(text: string, cpuMs?: number): void;
  die(): void;
  readonly alive: boolean;
}

export interface FakeBehaviour {
  /** It is dead without notice: messages to it are lost, or sending throws. */
  readonly dead?: "silent" | "throws";
  /** It exits before it is ready. */
  readonly cannotStart?: boolean;
  /** It exits as soon as it has its task. */
  readonly falls?: boolean;
}

let pids = 1_000_000;

/** @param onTask called when the process gets a task that does not kill it. */
export function fakeChild(
  { dead, cannotStart, falls }: FakeBehaviour = {},
  onTask: (source: string, child: FakeChild) => void = () => {},
): FakeChild {
  const listeners: ((message: FromWorker) => void)[] = [];
  const say = (message: FromWorker) => {
    for (const listener of listeners) listener(message);
  };
  const exited = Promise.withResolvers<number | null>();
  let running: number | undefined;
  const child: FakeChild = {
    pid: ++pids,
    used: { cpuMs: 0, residentBytes: 0 },
    alive: true,
    post(message) {
      if (message.type === "start") return cannotStart ? child.die() : say({ type: "ready", cpuMs: 0 });
      if (message.type !== "run") return;
      if (dead === "throws") throw new Error("The channel is closed.");
      if (dead === "silent") return void setImmediate(() => child.die());
      running = message.id;
      say({ type: "begun", id: message.id });
      if (falls) setImmediate(() => child.die());
      else onTask((message.task as RenderTask).source, child);
    },
    onMessage(listener) {
      listeners.push(listener);
      setImmediate(() => listener({ type: "listening" }));
    },
    kill: () => child.die(),
    die() {
      Object.assign(child, { alive: false });
      exited.resolve(null);
    },
    exited: exited.promise,
    usage: async () => child.used,
    finish(text, cpuMs = child.used?.cpuMs ?? 0) {
      if (running === undefined) throw new Error("It has no task.");
      say({ type: "result", id: running, result: { ok: true, value: { text } }, cpuMs });
    },
  };
  return child;
}
