/** One template process: runs one task at a time, so that killing it affects no other task. */
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { FromWorker, ToWorker, WorkerSettings } from "../protocol/message-port.ts";
import type { Child } from "../runtime/child.ts";
import { createWorkerClient, type WorkerClient } from "./worker-client.ts";

export interface TemplateProcess {
  readonly client: WorkerClient;
  readonly pid: number;
  readonly child: Child<FromWorker, ToWorker>;
  readonly over: Promise<void>;
  kill(why: ServiceError): void;
  killed(): boolean;
  /** CPU time as last reported: at its start, or at the end of its last task. */
  cpuMs(): number;
  /** Number of tasks it has finished. */
  tasks(): number;
  /** Exited without being killed by us; its task may not be the reason. */
  crashed(): boolean;
}

/** The process loads plugins before it is ready: one that hangs must not block a task for ever. */
const startLimitMs = 60_000;

export type SpawnTemplateChild = () => Child<FromWorker, ToWorker>;
export type SpawnTemplateProcess = () => TemplateProcess;

export function startTemplateProcess(
  spawn: SpawnTemplateChild,
  settings: WorkerSettings,
  log: Log,
): TemplateProcess {
  const child = spawn();
  let ended: ServiceError | undefined;
  let crashed = false;
  let cpuMs = 0;
  let tasks = -1;
  const client = createWorkerClient({
    port: child,
    settings,
    log,
    turnMs: 0,
    onHang: () => kill(hung()),
    answerThread: async () => undefined,
    onCpu: (total) => {
      cpuMs = total;
      // The first report is from its start.
      tasks++;
    },
  });
  const hasStarted = () => tasks >= 0;
  const hung = () =>
    new ServiceError("TemplateTimeout", "The template did not stop at its time limit.", {
      template_error: "TemplateTimeout",
    });

  function kill(why: ServiceError) {
    if (ended) return;
    ended = why;
    clearTimeout(late);
    child.kill();
    client.lost(why);
  }

  const late = setTimeout(
    () =>
      kill(
        new ServiceError("Internal", "A template process did not start: a plugin may hang while loading."),
      ),
    startLimitMs,
  );
  client.ready.then(() => clearTimeout(late), kill);

  const over = child.exited.then((code) => {
    crashed = ended === undefined;
    kill(hasStarted() ? outOfMemory(code) : notStarted(code));
  });
  return {
    client,
    pid: child.pid,
    child,
    over,
    kill,
    killed: () => ended !== undefined,
    cpuMs: () => cpuMs,
    tasks: () => tasks,
    crashed: () => crashed,
  };
}

function outOfMemory(code: number | null): ServiceError {
  return new ServiceError(
    "TemplateLimit",
    `The template process exited unexpectedly (code ${code ?? "none"}): it probably ran out of memory.`,
    { template_error: "TemplateLimit" },
  );
}

function notStarted(code: number | null): ServiceError {
  return new ServiceError(
    "Internal",
    `A template process exited while it started (code ${code ?? "none"}): its output is in the log of the service.`,
  );
}
