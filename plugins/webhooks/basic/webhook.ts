/**
 * One delivery attempt of the webhook `basic`: builds the request, signs the body, reports whether the receiver
 * accepted it.
 */
import { createHmac } from "node:crypto";
import type { Context, Delivered, WebhookTools } from "patchbay/plugin";
import type { WebhookOptions } from "./options.ts";

/** The API description and hooks have it from `signatureHeader` of src/api/webhooks/webhook-message.ts. */
const signatureHeader = "X-Patchbay-Signature";
/** Limits the response of a receiver that streams forever. */
const maxAnswerBytes = 64 * 1024;

export default async function deliver(
  { options, payload, http }: WebhookTools<WebhookOptions, unknown>,
  ctx: Context,
): Promise<Delivered> {
  const { status } = await http.request(
    options.url,
    {
      method: options.method,
      headers: requestHeaders(options, payload),
      body: payload,
      timeoutMs: options.timeout * 1000,
      maxBytes: maxAnswerBytes,
    },
    ctx,
  );
  const ok = status >= 200 && status < 300;
  return ok ? { ok, status } : { ok, status, message: `answered ${status}` };
}

function requestHeaders(chosen: WebhookOptions, body: string): Record<string, string> {
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "User-Agent": "patchbay",
    ...chosen.headers,
  };
  const cookies = Object.entries(chosen.cookies ?? {}).map(([name, value]) => `${name}=${value}`);
  if (cookies.length > 0) headers.Cookie = cookies.join("; ");
  if (chosen.auth) {
    const [user, password] = chosen.auth;
    headers.Authorization = `Basic ${Buffer.from(`${user}:${password.reveal()}`).toString("base64")}`;
  }
  if (chosen.secret) headers[signatureHeader] = signature(chosen.secret.reveal(), body);
  return headers;
}

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`; the timestamp prevents replays. */
export function signature(key: string, body: string, now = Date.now()): string {
  const at = Math.floor(now / 1000);
  return `t=${at},v1=${createHmac("sha256", key).update(`${at}.${body}`).digest("hex")}`;
}
