/** Work that a driver starts on a server and that outlives its session: it is found again there by its id. */
import type { Command } from "./command.ts";
import type { Context } from "./kit.ts";

/** What a job asked for, as for `queryAll` and `configureAll`. */
export type DetachedWork<QueryArgs, ConfigureArgs> =
  | { readonly operation: "query"; readonly commands: readonly Command[]; readonly args: QueryArgs }
  | { readonly operation: "configure"; readonly lines: readonly string[]; readonly args: ConfigureArgs };

/** What is kept of it to find it again: of its arguments those that the manifest names. */
export type DetachedRef<QueryArgs, ConfigureArgs> =
  | { readonly id: string; readonly operation: "query"; readonly args: QueryArgs }
  | { readonly id: string; readonly operation: "configure"; readonly args: ConfigureArgs };

/** `lost`: its process is gone and left no exit status; `rebooted`: because the server was started anew. */
export type DetachedState = "running" | "ended" | "stopped" | "lost" | "rebooted";

export interface DetachedStatus {
  readonly state: DetachedState;
  /** Null unless it ended by itself. */
  readonly exitStatus: number | null;
  /** Seconds since 1970 by the server's clock; null: it does not tell. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Bytes of its output so far, both streams in one. */
  readonly size: number;
}

export interface DetachedLook extends DetachedStatus {
  /** From `offset` on, at most `maxBytes`. */
  readonly output: Uint8Array;
}

export interface Detached<QueryArgs = unknown, ConfigureArgs = unknown> {
  /**
   * Starts the work under an id; nothing is started twice under the same one.
   * @returns the text that stands for it among the results of the job.
   * @throws PluginError with `outcome: "none"` where it is known that nothing was started
   */
  start(id: string, work: DetachedWork<QueryArgs, ConfigureArgs>, ctx: Context): Promise<string>;
  look(
    task: DetachedRef<QueryArgs, ConfigureArgs>,
    range: { readonly offset: number; readonly maxBytes: number },
    ctx: Context,
  ): Promise<DetachedLook>;
  /** Ends it and all it has started: it is asked first, and killed where it does not obey. */
  stop(task: DetachedRef<QueryArgs, ConfigureArgs>, ctx: Context): Promise<DetachedStatus>;
  /** Removes what is kept of it on the server; nothing is no error. */
  remove(task: DetachedRef<QueryArgs, ConfigureArgs>, ctx: Context): Promise<void>;
}
