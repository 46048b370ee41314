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
  /** What the caller should know though the job does not fail for it: stands in `warnings` of its record. */
  warn(message: string): void;
}

/** Tools every plugin gets. */
export interface Kit {
  readonly log: Log;
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

/** The light part of a plugin: what the main thread reads. Nothing heavy is loaded by it. */
export interface Manifest<Kind extends string> {
  readonly api: 1;
  readonly kind: Kind;
  readonly name: string;
}

/** The heavy part, loaded once per thread that needs it: `load: () => import("./driver.ts")`. */
export type Implementation<I, K = Kit> = () => Promise<{ default: (kit: K) => I | Promise<I> }>;
