/** Contract of a webhook: delivers the news of an ended job. Runs on a device thread. */
import type { Context, Implementation, Kit, Manifest, Schema } from "./kit.ts";

export interface WebhookPlugin extends Manifest<"webhook"> {
  /** Checks `options.webhook` of a request. */
  readonly options: Schema;
  readonly load: Implementation<Webhook, WebhookKit>;
}

export interface Webhook {
  /** One attempt. Resolves with the status; throws or gives `ok: false` when it must be tried again. */
  deliver(
    payload: string,
    options: unknown,
    ctx: Context,
  ): Promise<{ ok: boolean; status: number; message?: string }>;
}

export interface WebhookKit extends Kit {
  /** Resolves a URL once, checks the address against the operator's policy, and connects to what was checked. */
  request(url: string, init: GuardedRequest, ctx: Context): Promise<GuardedResponse>;
}

export interface GuardedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Redirects that are followed, each checked again; 0 gives the 3xx answer itself. */
  readonly redirects: number;
  readonly maxBytes: number;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
