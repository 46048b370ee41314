/** What the client reads of webhooks, and the body of one from a file and flags. */
import * as v from "valibot";
import { reader } from "../../api/schema.ts";
import { type webhookDelivery, webhookEventNames, webhookRecord } from "../../api/webhooks/webhook.ts";
import { ServiceError } from "../../base/errors.ts";
import { readObject } from "../input/input.ts";

export const storedWebhook = reader(webhookRecord);
export const webhookList = v.array(storedWebhook);
export type Webhook = v.InferOutput<typeof storedWebhook>;
export type Delivery = v.InferOutput<typeof webhookDelivery>;

/** Flags of `patchbay webhook add`. */
export interface WebhookFlags {
  readonly to?: string;
  readonly event?: readonly string[];
  readonly format?: string;
  readonly difference?: true;
  readonly secretFile?: string;
  readonly consoleUrl?: string;
  readonly mailTo?: string;
  readonly mailFrom?: string;
}

/** @param secret read from the file that the flags name. Flags override fields of the file. */
export function webhookBody(
  name: string,
  file: string | undefined,
  { to: url, event: events, format, difference, consoleUrl: console_url, mailTo, mailFrom }: WebhookFlags,
  secret: string | undefined,
): Record<string, unknown> {
  const { config: written, ...body } = file === undefined ? {} : readObject(file);
  const inFile =
    typeof written === "object" && written !== null ? Object.fromEntries(Object.entries(written)) : {};
  const config = { ...inFile, ...present({ url, secret }) };
  if (Object.keys(config).length === 0)
    throw new ServiceError("Validation", "No address was given: use --to, or a file with `config`.");
  const given = {
    events: events?.flatMap(namesOf),
    format,
    difference,
    console_url,
    to: mailTo,
    from: mailFrom,
  };
  return { ...body, ...present(given), name, config };
}

/** `change.*` stands for all events that begin so. */
function namesOf(event: string): string[] {
  if (!event.endsWith(".*")) return [event];
  const names = webhookEventNames.filter((name) => name.startsWith(event.slice(0, -1)));
  return names.length === 0 ? [event] : names;
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** `delivered`, or the state with the last error. */
export function deliveryText({ state, attempts }: Delivery): string {
  const error = attempts.at(-1)?.error;
  return error === undefined || state === "delivered" ? state : `${state}: ${error}`;
}
