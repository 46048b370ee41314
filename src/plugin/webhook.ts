/** Contract of a webhook: delivers the news of an ended job. Runs on a device thread. */
import type { Context, Manifest, OutputOf, Schema } from "./kit.ts";
import type { NetworkKit } from "./network.ts";

export interface WebhookPlugin extends Manifest<"webhook"> {
  /** Checks `options.webhook` of a request. */
  readonly options: Schema;
  /** True for the webhook of requests that name none. */
  readonly default?: boolean;
  /** How deliveries with these options are made. */
  plan(options: unknown): DeliveryPlan;
  load(): Promise<{ default: Deliver<unknown, unknown> }>;
}

/** What the service must know to make deliveries; what is absent has a default. */
export interface DeliveryPlan {
  /** An address, or any name: deliveries to one receiver go one after the other. Default: the plugin's name. */
  readonly receiver?: string;
  /** Further attempts after a failed one; default 3. */
  readonly retries?: number;
  /** Seconds before each retry, the last one for further ones; default 10, 30, 120. */
  readonly intervals?: readonly number[];
  /** Seconds one attempt may take; default 5. */
  readonly timeout?: number;
  /** Which ends of jobs are told; default all. */
  readonly events?: readonly WebhookEvent[] | null | undefined;
  /** Whether the message holds the job's result; default true. */
  readonly includeResult?: boolean;
}

export type WebhookEvent = "job.finished" | "job.failed" | "job.cancelled";

export interface Delivered {
  readonly ok: boolean;
  readonly status: number;
  readonly message?: string;
}

/** One attempt. Throws or gives `ok: false` when it must be tried again. */
export type Deliver<Options, Settings> = (
  tools: WebhookTools<Options, Settings>,
  ctx: Context,
) => Promise<Delivered>;

export interface WebhookTools<Options, Settings> extends NetworkKit<Settings> {
  readonly options: Options;
  /** The message as JSON text. */
  readonly payload: string;
}

export interface WebhookDefinition<O extends Schema, S extends Schema> {
  readonly name: string;
  readonly version?: string;
  readonly settings?: S;
  readonly options: O;
  readonly default?: boolean;
  plan?(options: OutputOf<O>): DeliveryPlan;
  /** Here, or as the default export of a module that is loaded when it is needed. */
  readonly deliver?: Deliver<OutputOf<O>, OutputOf<S>>;
  load?(): Promise<{ default: Deliver<OutputOf<O>, OutputOf<S>> }>;
}
