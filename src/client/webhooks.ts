/** Schemas of webhooks, and the body of one from a file and flags. */
import * as v from "valibot";
import { ServiceError } from "../base/errors.ts";
import { readObject } from "./input.ts";

const delivery = v.looseObject({
  id: v.string(),
  event: v.string(),
  state: v.string(),
  attempts: v.array(
    v.looseObject({ at: v.string(), status: v.nullable(v.number()), error: v.optional(v.string()) }),
  ),
});
export const webhookRecord = v.looseObject({
  name: v.string(),
  receiver: v.string(),
  signed: v.boolean(),
  events: v.array(v.string()),
  format: v.string(),
  enabled: v.boolean(),
  console_url: v.optional(v.string()),
  to: v.optional(v.string()),
  from: v.optional(v.string()),
  owner: v.looseObject({ name: v.string() }),
  deliveries: v.array(delivery),
});
export const webhookList = v.array(webhookRecord);
export const webhookTest = v.object({ delivery: v.string() });
export type Webhook = v.InferOutput<typeof webhookRecord>;
export type Delivery = v.InferOutput<typeof delivery>;

/** Flags of `patchbay webhook add`. */
export interface WebhookFlags {
  readonly to?: string;
  readonly event?: readonly string[];
  readonly format?: string;
  readonly secretFile?: string;
  readonly consoleUrl?: string;
  readonly mailTo?: string;
  readonly mailFrom?: string;
}

/** @param secret read from the file that the flags name. Flags override fields of the file. */
export function webhookBody(
  name: string,
  file: string | undefined,
  { to: url, event: events, format, consoleUrl: console_url, mailTo, mailFrom }: WebhookFlags,
  secret: string | undefined,
): Record<string, unknown> {
  const { config: written, ...body } = file === undefined ? {} : readObject(file);
  const inFile =
    typeof written === "object" && written !== null ? Object.fromEntries(Object.entries(written)) : {};
  const config = { ...inFile, ...present({ url, secret }) };
  if (Object.keys(config).length === 0)
    throw new ServiceError("Validation", "No address was given: use --to, or a file with `config`.");
  return { ...body, ...present({ events, format, console_url, to: mailTo, from: mailFrom }), name, config };
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** `delivered`, or the state with the last error. */
export function deliveryText({ state, attempts }: Delivery): string {
  const error = attempts.at(-1)?.error;
  return error === undefined || state === "delivered" ? state : `${state}: ${error}`;
}
