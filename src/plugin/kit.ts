/** What every plugin gets by hand: its tools and the context of one task. */
import type { Log } from "../base/log.ts";

export type { Log };

/** One per task, passed last, always. */
export interface Context {
  /** Aborted when the deadline is over, the job is cancelled, or the lease of the node has ended. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; 0 when it is over. */
  remaining(): number;
  readonly log: Log;
  /**
   * Writes down lines that are about to be sent; await it before their first byte leaves. The service does so for all
   * commands of a configuration, and of a query that is not `repeatable`: this is for what it does not know of.
   */
  announce(lines: readonly string[]): void | Promise<void>;
  /**
   * What the device says while it says it, for those who watch the job: as it comes, in pieces of any size. The service
   * takes out control characters and secrets, and leaves out what is too much. The result of the job is not made of it.
   */
  output(text: string): void;
  /** How far a file transfer is, in bytes: stands in the record of the job while it runs. `kit.ssh` tells it by itself. */
  progress(done: number, total: number): void;
  /** What the caller should know though the job does not fail for it: stands in `warnings` of its record. */
  warn(message: string): void;
}

/** Tools every plugin gets. */
export interface Kit<Settings = unknown> {
  readonly log: Log;
  /** `[plugins.<name>]` of patchbay.toml and `PATCHBAY_PLUGIN_<NAME>_…`, as the plugin's schema gave them. */
  readonly settings: Settings;
}

/** Any Standard Schema (valibot, zod, arktype, ...): what a plugin uses to check its settings and arguments. */
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

/** What a schema gives. */
export type OutputOf<S> = S extends Schema<infer Output> ? Output : unknown;

/** The light part of a plugin: what the main thread reads. Nothing heavy is loaded by it. */
export interface Manifest<Kind extends string> {
  readonly api: 1;
  readonly kind: Kind;
  readonly name: string;
  /** Of the plugin itself, shown by `patchbay plugin list`. */
  readonly version?: string;
  /** Checks the plugin's settings; without it the plugin takes none. */
  readonly settings?: Schema;
}
