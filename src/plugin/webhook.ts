/** Contract of a webhook: delivers the outcome of an ended job. Runs on a device thread. */
import type { DeliveryPlan } from "./delivery-plan.ts";
import type { Context, Manifest, OutputOf, Schema } from "./kit/kit.ts";
import type { NetworkKit } from "./kit/network.ts";

export interface WebhookPlugin extends Manifest<"webhook"> {
  /** Validates `options.webhook` of a request. */
  readonly options: Schema;
  /** True for the webhook that is used if a request names none. */
  readonly default?: boolean;
  /** How deliveries with these options are made. */
  plan(options: unknown): DeliveryPlan;
  load(): Promise<{ default: Deliver<unknown, unknown> }>;
}

export interface Delivered {
  readonly ok: boolean;
  readonly status: number;
  readonly message?: string;
}

/** One attempt. Throws or returns `ok: false` to be retried. */
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
  /** Given here, or as the default export of a module that is loaded on demand. */
  readonly deliver?: Deliver<OutputOf<O>, OutputOf<S>>;
  load?(): Promise<{ default: Deliver<OutputOf<O>, OutputOf<S>> }>;
}
