/** One attempt of the webhook `basic`: builds the request, signs the body, tells whether the receiver took it. */
import { createHmac } from "node:crypto";
import type { Webhook, WebhookKit } from "patchbay/plugin";
import type { WebhookOptions } from "./options.ts";

/** A receiver that streams for ever is cut here. */
const maxAnswerBytes = 64 * 1024;

export default function createWebhook(kit: WebhookKit): Webhook {
  return {
    async deliver(payload, given, ctx) {
      // The worker has run the plugin's own schema on it.
      const chosen = given as WebhookOptions;
      const answer = await kit.request(
        chosen.url,
        {
          method: chosen.method,
          headers: requestHeaders(chosen, payload),
          body: payload,
          timeoutMs: chosen.timeout * 1000,
          redirects: 0,
          maxBytes: maxAnswerBytes,
        },
        ctx,
      );
      const ok = answer.status >= 200 && answer.status < 300;
      return ok
        ? { ok, status: answer.status }
        : { ok, status: answer.status, message: `answered ${answer.status}` };
    },
  };
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
  if (chosen.secret) headers["X-Patchbay-Signature"] = signature(chosen.secret.reveal(), body);
  return headers;
}

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`: the time keeps an old message from being sent again. */
export function signature(key: string, body: string, now = Date.now()): string {
  const at = Math.floor(now / 1000);
  return `t=${at},v1=${createHmac("sha256", key).update(`${at}.${body}`).digest("hex")}`;
}
