/** API keys as people make and see them. */
import * as v from "valibot";
import { patternProblem } from "../base/host-pattern.ts";
import { credentialPatterns } from "./credential.ts";

const mostHosts = 1_000;
const mostDays = 36_500;

const pattern = v.pipe(
  v.string("must be a text"),
  v.rawCheck(({ dataset, addIssue }) => {
    const isSelector = dataset.typed && /^select:.*\S/s.test(dataset.value);
    const problem = dataset.typed && !isSelector ? patternProblem(dataset.value) : undefined;
    if (problem !== undefined) addIssue({ message: problem });
  }),
);

const fingerprint = v.pipe(
  v.string("must be a text"),
  v.regex(
    /^[0-9a-fA-F]{2}(?::?[0-9a-fA-F]{2}){31}$/,
    "must be the SHA-256 of a certificate: 64 hexadecimal digits, with colons or without",
  ),
);

/** As it is stored and compared: 64 small hexadecimal digits. */
export function plainFingerprint(text: string): string {
  return text.replaceAll(":", "").toLowerCase();
}

export const newKeyRequest = v.object({
  name: v.pipe(
    v.string("must be a text"),
    v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be letters, digits, `.`, `_` and `-`"),
  ),
  scope: v.optional(
    v.picklist(["read", "operate", "admin"], "must be one of read, operate, admin"),
    "operate",
  ),
  /** Device hosts it may reach: names, wildcards, CIDR ranges, `select:` and a selector; none: all. */
  hosts: v.optional(
    v.pipe(v.array(pattern, "must be a list"), v.maxLength(mostHosts, `has more than ${mostHosts} entries`)),
    [],
  ),
  /** Credentials it may name; none given: see auth/credentials. An empty list: none at all. */
  credentials: v.optional(v.nullable(credentialPatterns), null),
  /** SHA-256 of the certificate of a caller, which stands for the key: no text is made. */
  certificate: v.optional(fingerprint),
  expires_days: v.optional(
    v.pipe(
      v.number("must be a number of days"),
      v.gtValue(0, "must be more than 0"),
      v.maxValue(mostDays, `must be at most ${mostDays}`),
    ),
  ),
});
export type NewKeyRequest = v.InferOutput<typeof newKeyRequest>;

/** Body of PATCH /key. */
export const changedKey = v.strictObject({ credentials: v.nullable(credentialPatterns) });

/** The first of what is wrong. */
export function readChangedKey(value: unknown): v.InferOutput<typeof changedKey> | NewKeyProblem {
  const read = v.safeParse(changedKey, value);
  return read.success ? read.output : { field: "credentials", message: read.issues[0].message };
}

export interface NewKeyProblem {
  readonly field: string;
  readonly message: string;
}

/** The first of what is wrong. */
export function readNewKey(value: unknown): NewKeyRequest | NewKeyProblem {
  const read = v.safeParse(newKeyRequest, value);
  if (read.success) return read.output;
  const [{ path, message }] = read.issues;
  return { field: String(path?.[0]?.key), message };
}

const dayMs = 86_400_000;

/** @returns milliseconds since 1970 */
export function expiryOf(
  { expires_days }: Pick<NewKeyRequest, "expires_days">,
  now: number,
): number | undefined {
  return expires_days === undefined ? undefined : now + expires_days * dayMs;
}

export const keyStates = ["in_force", "expired", "revoked"] as const;
export type KeyState = (typeof keyStates)[number];

/** As GET /key shows it: never the key itself. Times are ISO 8601. */
export interface KeyRecord {
  id: string;
  name: string;
  scope: string;
  hosts: readonly string[];
  /** Patterns of `<source>:<ref>`; null: those that a key without a list may use. */
  credentials: readonly string[] | null;
  /** SHA-256 of the certificate that stands for it; null: it is a text. */
  certificate: string | null;
  state: KeyState;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** What POST /key answers, once. */
export interface MadeKey
  extends Pick<KeyRecord, "id" | "name" | "scope" | "hosts" | "credentials" | "expires_at"> {
  /** Empty where a certificate stands for it. */
  key: string;
  certificate: string | null;
}

export function stateOfKey(
  { revokedAt, expiresAt }: { readonly revokedAt: number | null; readonly expiresAt: number | null },
  now: number,
): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "in_force";
}
