/** The interface of the pool of device threads and template processes: what jobs and scheduler know of it. */
import type { Deadline } from "../base/deadline.ts";
import type { KeptSession, TaskQuestion, TimedStep, WorkerSettings } from "../protocol/message-port.ts";
import type { Task, TaskValues, TemplateTask } from "../protocol/task.ts";

export interface Share {
  /** The API key that a process works for. */
  readonly key: string;
  /** A job has asked a device already, and holds its place: it goes before a caller who can ask again. */
  readonly job: boolean;
}

export interface RunOptions {
  /** Ends the task: abort with grace first, then the thread or process is replaced. */
  readonly deadline: Deadline;
  /** Answers what the task asks; the task waits for it. A rejection fails the task with that error. */
  readonly answer?: (question: TaskQuestion) => Promise<unknown>;
  /** Told what the device says while the task runs: without secrets and control characters, some times a second. */
  onOutput?(text: string): void;
  /** Told how far a file transfer is, some times a second. */
  onProgress?(progress: { readonly done: number; readonly total: number }): void;
  /** Told the parts of a traced task as they end. */
  onStep?(step: TimedStep): void;
  /** Canonical host: tasks of one host run on one thread, where its session lives. */
  readonly host?: string;
  /** CPU time a render or parse may compute; default that of the pool (5 s). */
  readonly limitMs?: number;
  /** Whose share of the template processes a render or parse takes. */
  readonly share?: Share;
  /** Longest wait of a render or parse for a process: TooManyRequests after it. */
  readonly waitMs?: number;
  /** Told the CPU time that a render or parse took of its process, however it ended; again for each try. */
  onSpent?(cpuMs: number): void;
}

export interface Pool {
  /**
   * Runs a task on a device thread (query, configure, probe, fetch, deliver, evict) or in a template process
   * (render, parse, inventory, evaluate).
   * @throws ServiceError what the task failed with; the reason of the deadline; WorkerLost when its thread was lost.
   */
  run<T extends Task>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]>;
  /** Kept sessions of all threads. */
  sessions(): readonly (KeptSession & { thread: number })[];
  /** Whether a session with this host (canonical) is kept; costs the same however many there are. */
  hasSession(host: string): boolean;
  /** Closes the kept sessions of a host (all without one). */
  evict(host?: string): Promise<number>;
  readonly threads: number;
  /** Tasks that are run from now on find these plugins; those that run keep the ones they have. */
  reload(plugins: { name: string; path: string }[]): void;
  /** Tasks that run now. */
  running(): number;
  /** Logs sessions out and ends all threads and processes. */
  close(): Promise<void>;
}

/** The part of the pool that renders, parses and reads inventories. */
export interface TemplatePool {
  run<T extends TemplateTask>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]>;
  reload(plugins: WorkerSettings["plugins"]): void;
  /** Processes that live. */
  running(): number;
  close(): void;
}
