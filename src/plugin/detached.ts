/** Work that a driver starts on a server and that outlives its session. It is found again on the server by its id. */
import type { Command } from "./command.ts";
import type { Context } from "./kit/kit.ts";

/** The job's request, as passed to `queryAll` and `configureAll`. */
export type DetachedWork<QueryArgs, ConfigureArgs> =
  | { readonly operation: "query"; readonly commands: readonly Command[]; readonly args: QueryArgs }
  | { readonly operation: "configure"; readonly lines: readonly string[]; readonly args: ConfigureArgs };

/** What is stored to find the task again: only the arguments that the manifest names. */
export type DetachedRef<QueryArgs, ConfigureArgs> =
  | { readonly id: string; readonly operation: "query"; readonly args: QueryArgs }
  | { readonly id: string; readonly operation: "configure"; readonly args: ConfigureArgs };

/** `lost`: the process is gone and left no exit status. `rebooted`: the same, because the server rebooted. */
export type DetachedState = "running" | "ended" | "stopped" | "lost" | "rebooted";

export interface DetachedStatus {
  readonly state: DetachedState;
  /** Null unless the process exited without being stopped. */
  readonly exitStatus: number | null;
  /** Seconds since 1970 by the server's clock; null if the server does not report it. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Bytes of output so far; both streams are merged. */
  readonly size: number;
}

export interface DetachedLook extends DetachedStatus {
  /** Output from `offset` on, at most `maxBytes`. */
  readonly output: Uint8Array;
}

export interface Detached<QueryArgs = unknown, ConfigureArgs = unknown> {
  /**
   * Starts the work under an id. Idempotent: the same id is never started twice.
   * @returns the text that represents the task in the results of the job.
   * @throws PluginError with `outcome: "none"` if it is certain that nothing was started
   */
  start(id: string, work: DetachedWork<QueryArgs, ConfigureArgs>, ctx: Context): Promise<string>;
  look(
    task: DetachedRef<QueryArgs, ConfigureArgs>,
    range: { readonly offset: number; readonly maxBytes: number },
    ctx: Context,
  ): Promise<DetachedLook>;
  /** Stops the task and all its child processes: first politely, then by force. */
  stop(task: DetachedRef<QueryArgs, ConfigureArgs>, ctx: Context): Promise<DetachedStatus>;
  /** Removes the task's data from the server. Does nothing if there is none. */
  remove(task: DetachedRef<QueryArgs, ConfigureArgs>, ctx: Context): Promise<void>;
}
