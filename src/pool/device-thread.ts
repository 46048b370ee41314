/** One device thread: started, and replaced if it dies or hangs. The only place that creates worker threads. */

import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import { stopTimes } from "../base/time/stop-times.ts";
import type { FromWorker, ThreadQuestion, ToWorker, WorkerSettings } from "../protocol/message-port.ts";
import { withOriginals } from "../protocol/plugin-module.ts";
import { createWorkerClient, type WorkerClient } from "./worker-client.ts";

export interface DeviceThread {
  /** The current thread. */
  client(): WorkerClient;
  /** The thread that accepts tasks; during a replacement, the next one. */
  serving(): Promise<WorkerClient>;
  /** Subsequent tasks use these plugins, also after the thread was replaced. */
  reload(plugins: WorkerSettings["plugins"]): void;
  close(): void;
}

/** Avoids a tight loop if a thread dies at start. */
const restartPauseMs = 500;

export interface DeviceThreadOptions {
  /** URL of src/thread.ts, created next to main.ts: only such a URL is found in a compiled binary. */
  readonly entry: string;
  readonly index: number;
  readonly settings: WorkerSettings;
  readonly log: Log;
  answer(question: ThreadQuestion): Promise<unknown>;
}

export function startDeviceThread({
  entry,
  index,
  settings,
  log,
  answer,
}: DeviceThreadOptions): DeviceThread {
  let plugins = settings.plugins;
  let current = spawn();
  let closed = false;
  let replacement: Promise<void> | undefined;
  let startedAt = performance.now();

  function spawn() {
    const worker = new Worker(entry, { name: `device-${index}`, type: "module" });
    let over = false;
    const client = createWorkerClient({
      port: {
        post: (message: ToWorker) => worker.postMessage(message),
        onMessage: (listener) => {
          worker.onmessage = (event: MessageEvent<FromWorker>) => listener(event.data);
        },
      },
      settings: { ...settings, plugins },
      log,
      turnMs: stopTimes.turnMs,
      answerThread: answer,
      onHang: () => end("A device thread did not run any more and was replaced."),
      onBroken: (reason) => end(`A device thread failed: ${reason}`),
    });
    worker.onerror = (event) => {
      event.preventDefault();
      end(`A device thread failed: ${withOriginals(errorLine(event.message), plugins)}`);
    };
    worker.addEventListener("close", () => end("A device thread exited unexpectedly."));

    function end(why: string) {
      if (over) return;
      over = true;
      worker.terminate();
      // It was one of these; which one is unknown.
      const drivers = client.drivers();
      const ran = drivers.length === 0 ? "" : ` It ran ${drivers.join(", ")}.`;
      client.lost(
        new ServiceError("WorkerLost", `The worker stopped while the job was running. ${why}${ran}`, {
          outcome: "unknown",
        }),
      );
      if (closed) return;
      log.error("thread.replaced", { thread: index, reason: why, drivers });
      replacement = replace();
    }
    return { client, end };
  }

  async function replace(): Promise<void> {
    const age = performance.now() - startedAt;
    if (age < restartPauseMs) await pause(restartPauseMs - age);
    replacement = undefined;
    if (closed) return;
    startedAt = performance.now();
    current = spawn();
  }

  return {
    client: () => current.client,
    async serving() {
      await replacement;
      return current.client;
    },
    reload(found) {
      plugins = found;
      current.client.reload(found);
    },
    close() {
      closed = true;
      current.end("The service is stopping.");
    },
  };
}

/** Bun prints a source excerpt, the error and its stack: the error and the first frame identify the plugin. */
function errorLine(message: string | undefined): string {
  const lines = (message ?? "").split("\n").filter((line) => !/^\s*(\d+ \|.*|\^+)?\s*$/.test(line));
  const frame = lines.find((line) => /^\s+at /.test(line));
  return `${lines[0]?.trim() ?? "unknown"}${frame === undefined ? "" : ` ${frame.trim()}`}`;
}
