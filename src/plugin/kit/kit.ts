/** What every plugin is given explicitly: its tools, and the context of one task. */
import type { Log } from "../../base/log.ts";

export type { Log };

/** One per task; always the last parameter. */
export interface Context {
  /** Aborted when the deadline passes, the job is cancelled, or the node's lease expires. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; 0 once it has passed. */
  remaining(): number;
  readonly log: Log;
  /**
   * Records lines that are about to be sent; await it before the first byte leaves. The service already does this for
   * the commands of a configuration and of a query that is not `repeatable`; call it for anything else that is sent.
   */
  announce(lines: readonly string[]): void | Promise<void>;
  /**
   * Streams device output to clients that watch the job, in pieces of any size. The service strips control characters,
   * masks secrets and drops output above its limits. The job's result is not built from it.
   */
  output(text: string): void;
  /**
   * The device's own comparison of what a configuration changes: kept in the record of what was sent
   * (`GET /job/{name}/sent`). Not needed if the result has a member `diff`.
   */
  difference?(text: string): void;
  /**
   * Progress of a file transfer in bytes, shown in the job's record while it runs. `kit.ssh` reports it automatically.
   */
  progress(done: number, total: number): void;
  /** Adds a message to `warnings` of the job's record, for problems that do not fail the job. */
  warn(message: string): void;
  /** Absent: the task is of no job, such as a connection test. */
  readonly job?: JobOfContext;
}

/** The job of a task: what it leaves on a device for a while is named after it, and found again by its name. */
export interface JobOfContext {
  readonly id: string;
  /**
   * Those of these jobs that run on no node any more, by the store; of this one earlier attempts. Jobs that the store does
   * not know are left out.
   */
  ended(ids: readonly string[]): Promise<readonly string[]>;
}

/** Tools that every plugin gets. */
export interface Kit<Settings = unknown> {
  readonly log: Log;
  /** `[plugins.<name>]` of patchbay.toml and `PATCHBAY_PLUGIN_<NAME>_…`, as parsed by the plugin's schema. */
  readonly settings: Settings;
}

/** Any Standard Schema (valibot, zod, arktype, ...); validates a plugin's settings and arguments. */
export interface Schema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The output type of a schema. */
export type OutputOf<S> = S extends Schema<infer Output> ? Output : unknown;

/** The light part of a plugin, which the main thread reads. It must not load anything heavy. */
export interface Manifest<Kind extends string> {
  readonly api: 1;
  readonly kind: Kind;
  readonly name: string;
  /** Version of the plugin itself, shown by `patchbay plugin list`. */
  readonly version?: string;
  /** Validates the plugin's settings; without it, the plugin takes none. */
  readonly settings?: Schema;
}
