/** How a delivery proves where it comes from, by provider. Pure, but for the clock that is passed. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { type HookProvider, hookLimits } from "../../api/recipes/hook.ts";
import { signatureHeader } from "../../api/webhooks/webhook-message.ts";
import { isRecord } from "../../base/json/members.ts";

export interface Arrived {
  readonly headers: Headers;
  readonly text: string;
}

/** Why it is refused; undefined: it is proven. */
export function proofFault(
  provider: HookProvider,
  secret: string,
  arrived: Arrived,
  now: number,
): string | undefined {
  const { header, fault } = proofs[provider];
  if (!arrived.headers.has(header)) return `The header ${header} is missing.`;
  return fault(arrived.headers.get(header) ?? "", secret, arrived.text, now);
}

const wrong = (header: string) => `${header} is not right: another secret, or what was sent has changed.`;

interface Proof {
  readonly header: string;
  fault(given: string, secret: string, text: string, now: number): string | undefined;
}

const proofs: Readonly<Record<HookProvider, Proof>> = {
  github: signed("X-Hub-Signature-256", "sha256", "sha256="),
  netbox: signed("X-Hook-Signature", "sha512", ""),
  gitlab: {
    header: "X-Gitlab-Token",
    fault: (given, secret) => (isSame(given, secret) ? undefined : wrong("X-Gitlab-Token")),
  },
  alertmanager: {
    header: "Authorization",
    fault: (given, secret) => (isSame(secretIn(given), secret) ? undefined : wrong("Authorization")),
  },
  patchbay: {
    header: signatureHeader,
    fault(given, secret, text, now) {
      const at = timeIn(given);
      const sum = /(?:^|,)v1=([0-9a-f]{64})(?:,|$)/.exec(given)?.[1] ?? "";
      const expected = createHmac("sha256", secret).update(`${at}.${text}`).digest("hex");
      if (!isSame(sum, expected)) return wrong(signatureHeader);
      return Math.abs(now - Number(at) * 1000) <= hookLimits.skewMs
        ? undefined
        : `The time in ${signatureHeader} is more than five minutes from that of this service.`;
    },
  },
};

function signed(header: string, hash: string, prefix: string): Proof {
  return {
    header,
    fault(given, secret, text) {
      const expected = prefix + createHmac(hash, secret).update(text).digest("hex");
      return isSame(given, expected) ? undefined : wrong(header);
    },
  };
}

/** Of `Bearer <secret>`, or the password of `Basic`: any user. */
function secretIn(given: string): string {
  const [, scheme = "", value = ""] = /^(\S+) +(\S+)$/.exec(given) ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  const decoded = Buffer.from(value, "base64");
  if (scheme.toLowerCase() !== "basic" || decoded.toString("base64") !== value) return "";
  const pair = decoded.toString();
  return pair.slice(pair.indexOf(":") + 1);
}

const timeIn = (given: string) => /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(given)?.[1] ?? "";

/** In a time that does not depend on what is equal. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

const digest = (text: string) => createHash("sha256").update(text).digest();
export const hashOf = (text: string) => digest(text).toString("hex");

export interface Identity {
  /** SHA-256 of what the proof covers. */
  readonly content: string;
  /** What the sender says of it, so that a repeat is known by it. */
  readonly delivery: string;
  /** The id is covered by the proof: a repeat may have another content. */
  readonly isProven: boolean;
}

/** @param body of the text, read */
export function identityOf(provider: HookProvider, { headers, text }: Arrived, body: unknown): Identity {
  const known = (id: string | null | undefined) => (id && id.length <= hookLimits.idChars ? id : undefined);
  if (provider === "patchbay") {
    const content = hashOf(`${timeIn(headers.get(signatureHeader) ?? "")}.${text}`);
    const { id, event } = isRecord(body) ? body : {};
    const own =
      typeof id === "string" ? known(`${id} ${typeof event === "string" ? event : ""}`.trim()) : undefined;
    return { content, delivery: own ?? content, isProven: own !== undefined };
  }
  const content = hashOf(text);
  const given =
    provider === "github"
      ? headers.get("X-GitHub-Delivery")
      : provider === "gitlab"
        ? (headers.get("Idempotency-Key") ?? headers.get("X-Gitlab-Event-UUID"))
        : undefined;
  return { content, delivery: known(given) ?? content, isProven: false };
}

/** What happened, in the words of the sender; null: it does not say. */
export function eventOf(provider: HookProvider, { headers }: Arrived, body: unknown): string | null {
  if (provider === "github") return headers.get("X-GitHub-Event");
  if (provider === "gitlab") return headers.get("X-Gitlab-Event");
  const { event, status } = isRecord(body) ? body : {};
  const said = provider === "alertmanager" ? status : event;
  return typeof said === "string" ? said : null;
}

/** Whether it says itself that it is older than what is remembered. */
export function isForgotten(provider: HookProvider, body: unknown, now: number): boolean {
  if (provider !== "netbox" || !isRecord(body) || typeof body.timestamp !== "string") return false;
  const at = Date.parse(body.timestamp);
  return Number.isFinite(at) && now - at > hookLimits.rememberedMs;
}
