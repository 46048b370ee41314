/** API keys: schemas of requests and records. */
import * as v from "valibot";
import { patternProblem } from "../base/host-pattern.ts";
import { credentialPatterns } from "./credential.ts";

const maxHosts = 1_000;
const maxDays = 36_500;

const pattern = v.pipe(
  v.string("must be a string"),
  v.rawCheck(({ dataset, addIssue }) => {
    const isSelector = dataset.typed && /^select:.*\S/s.test(dataset.value);
    const problem = dataset.typed && !isSelector ? patternProblem(dataset.value) : undefined;
    if (problem !== undefined) addIssue({ message: problem });
  }),
);

const fingerprint = v.pipe(
  v.string("must be a string"),
  v.regex(
    /^[0-9a-fA-F]{2}(?::?[0-9a-fA-F]{2}){31}$/,
    "must be the SHA-256 of a certificate: 64 hexadecimal digits, with colons or without",
  ),
);

/** Normalizes a fingerprint to 64 lower-case hex digits. */
export function plainFingerprint(text: string): string {
  return text.replaceAll(":", "").toLowerCase();
}

/** Strict, because a misspelt `hosts` would be a key for all hosts. */
export const newKeyRequest = v.strictObject({
  name: v.pipe(
    v.string("must be a string"),
    v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be letters, digits, `.`, `_` and `-`"),
  ),
  scope: v.optional(
    v.picklist(["read", "operate", "admin"], "must be one of read, operate, admin"),
    "operate",
  ),
  /** Allowed hosts: names, wildcards, CIDR ranges, `select:<selector>`; empty: all. */
  hosts: v.optional(
    v.pipe(v.array(pattern, "must be a list"), v.maxLength(maxHosts, `has more than ${maxHosts} entries`)),
    [],
  ),
  /** Allowed credentials; null: see auth/credentials; an empty list: none. */
  credentials: v.optional(v.nullable(credentialPatterns), null),
  /** SHA-256 of a client certificate used in place of a key text. */
  certificate: v.optional(fingerprint),
  expires_days: v.optional(
    v.pipe(
      v.number("must be a number of days"),
      v.gtValue(0, "must be more than 0"),
      v.maxValue(maxDays, `must be at most ${maxDays}`),
    ),
  ),
});
export type NewKeyRequest = v.InferOutput<typeof newKeyRequest>;

/** Body of PATCH /key. */
export const changedKey = v.strictObject({ credentials: v.nullable(credentialPatterns) });

/** @returns the request or the first error */
export function readChangedKey(value: unknown): v.InferOutput<typeof changedKey> | NewKeyProblem {
  const read = v.safeParse(changedKey, value);
  return read.success ? read.output : { field: "credentials", message: read.issues[0].message };
}

export interface NewKeyProblem {
  readonly field: string;
  readonly message: string;
}

/** @returns the request or the first error */
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

/** As in GET /key, without the key itself. Times are ISO 8601. */
export interface KeyRecord {
  id: string;
  name: string;
  scope: string;
  hosts: readonly string[];
  /** Patterns of `<source>:<ref>`; null: the default. */
  credentials: readonly string[] | null;
  /** SHA-256 of the client certificate; null for a key text. */
  certificate: string | null;
  state: KeyState;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** Answer of POST /key; shown only once. */
export interface MadeKey
  extends Pick<KeyRecord, "id" | "name" | "scope" | "hosts" | "credentials" | "expires_at"> {
  /** Empty for a certificate. */
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
