/** A template process made of promises: a test says what it computed, when it answers and when it dies. */
import { setImmediate } from "node:timers";
import type { FromWorker, ToWorker } from "../../src/protocol/message-port.ts";
import type { RenderTask } from "../../src/protocol/task.ts";
import type { Child, Usage } from "../../src/runtime/child.ts";

export interface FakeChild extends Child<FromWorker, ToWorker> {
  /** What the system says of it. */
  used: Usage | undefined;
  /** Ends the task that runs: the text, and what the process has computed since its birth. */
  finish(text: string, cpuMs?: number): void;
  die(): void;
  readonly alive: boolean;
}

export interface FakeBehaviour {
  /** It is dead, and nobody knows: what it is sent is lost, or can not be sent at all. */
  readonly dead?: "silent" | "throws";
  /** It ends as soon as it has its task. */
  readonly falls?: boolean;
}

let pids = 1_000_000;

/** @param onTask called when the process has a task that it will not die of. */
export function fakeChild(
  { dead, falls }: FakeBehaviour = {},
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
      if (message.type === "start") return say({ type: "ready", cpuMs: 0 });
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
