/** The interface of the pool of device threads and template processes, for jobs and scheduler. */
import type { Deadline } from "../base/time/deadline.ts";
import type { KeptSession, TaskEvent, TaskQuestion, WorkerSettings } from "../protocol/message-port.ts";
import type { Task, TaskValues, TemplateTask } from "../protocol/task.ts";

export interface Share {
  /** The API key that the work is for. */
  readonly key: string;
  /** Jobs go first: they have already queried a device and occupy a slot, while a caller can retry. */
  readonly job: boolean;
}

export interface RunOptions {
  /** Ends the task: abort with a grace period, then the thread or process is replaced. */
  readonly deadline: Deadline;
  /** Answers questions of the task, which waits for the answer. A rejection fails the task with that error. */
  readonly answer?: (question: TaskQuestion) => Promise<unknown>;
  /** Receives what the task reports while it runs: output and progress a few times a second, steps as they end. */
  onEvent?(event: TaskEvent): void;
  /**
   * Resolves when the outcome of an operation is no longer kept in memory; until then it counts for its key. Default: at
   * once. Never rejects.
   */
  readonly settled?: Promise<void>;
  /** Canonical host: tasks of one host run on the thread that has its session. */
  readonly host?: string;
  /** CPU time limit of a render or parse; default that of the pool (5 s). */
  readonly limitMs?: number;
  /** Whose share of the template processes a render or parse uses. */
  readonly share?: Share;
  /** Maximum wait of a render or parse for a process; then TooManyRequests. */
  readonly waitMs?: number;
  /** Receives the CPU time that a render or parse used, whatever its result; once per attempt. */
  onSpent?(cpuMs: number): void;
}

export interface Pool {
  /**
   * Runs a task on a device thread (query, configure, probe, fetch, question, deliver, evict) or in a template process (render,
   * parse, inventory, evaluate, compare, search).
   * @throws ServiceError the error of the task; the reason of the deadline; WorkerLost if its thread was lost.
   */
  run<T extends Task>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]>;
  /** Kept sessions of all threads. */
  sessions(): readonly (KeptSession & { thread: number })[];
  /** Whether a session with this host (canonical) is kept; constant time. */
  hasSession(host: string): boolean;
  /** Closes the kept sessions of a host (or all). */
  evict(host?: string): Promise<number>;
  readonly threads: number;
  /** Subsequent tasks use these plugins; running ones keep theirs. */
  reload(plugins: WorkerSettings["plugins"]): void;
  /** Number of running tasks. */
  running(): number;
  /** Logs sessions out and ends all threads and processes. */
  close(): Promise<void>;
}

/** Searches are shared out to so many processes, each of which keeps the texts of its part of the devices. */
export const searchShards = 2;

/** The part of the pool that renders, parses and reads inventories. */
export interface TemplatePool {
  run<T extends TemplateTask>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]>;
  reload(plugins: WorkerSettings["plugins"]): void;
  /** Number of live processes. */
  running(): number;
  close(): void;
}
