/** Compares the rights of two keys: nobody gives, changes or borrows more than they have. */
import { ServiceError } from "../base/errors.ts";
import { fitsPatterns } from "../base/net/ssh-patterns.ts";
import { type Scope, scopes } from "./port.ts";

/** Everything that limits a key. */
export interface Rights {
  readonly scope: string;
  /** Empty: all hosts. */
  readonly hosts: readonly string[];
  /** Null or absent: no list of its own, see auth/credentials. */
  readonly credentials?: readonly string[] | null;
  /** Milliseconds since 1970; null or absent: never. */
  readonly expiresAt?: number | null;
}

export type Right = "scope" | "hosts" | "credentials" | "expires_days";

/** @returns the first right of `wanted` that `held` does not include; undefined: it includes them all. */
export function lackingRight(held: Rights, wanted: Rights): Right | undefined {
  if (rank(held.scope) < rank(wanted.scope)) return "scope";
  if (!hostsWithin(held.hosts, wanted.hosts)) return "hosts";
  if (!credentialsWithin(held, wanted)) return "credentials";
  return endsBefore(held.expiresAt, wanted.expiresAt) ? "expires_days" : undefined;
}

const texts: Readonly<Record<Right, string>> = {
  scope: "a scope that this key does not have",
  hosts: "hosts that this key may not reach",
  credentials: "credentials that this key may not use",
  expires_days: "a longer life than this key has",
};

/** @throws ServiceError Forbidden that names the right. */
export function requireRightsOf(held: Rights, wanted: Rights, what: string): void {
  const right = lackingRight(held, wanted);
  if (right === undefined) return;
  const list = held.credentials ?? [];
  const named = list.length === 0 ? "it may use none" : `it may use ${list.join(", ")}`;
  const hint = right === "credentials" ? ` (${named}; set credentials to those, or fewer)` : "";
  throw new ServiceError("Forbidden", `${what}: ${right} would give ${texts[right]}${hint}.`);
}

function rank(scope: string): number {
  return scopes.indexOf(scope as Scope);
}

/** Compared as texts: whether one pattern lies within another is only certain if they are equal. */
function hostsWithin(held: readonly string[], wanted: readonly string[]): boolean {
  return held.length === 0 || (wanted.length > 0 && wanted.every((host) => held.includes(host)));
}

function credentialsWithin(held: Rights, wanted: Rights): boolean {
  const list = held.credentials;
  if (list === null || list === undefined) return true;
  if (wanted.credentials === null || wanted.credentials === undefined) return false;
  const denied = list.filter(isDenial);
  const kept = new Set(wanted.credentials);
  return wanted.credentials
    .filter((pattern) => !isDenial(pattern))
    .every(
      (pattern) =>
        list.some((allowed) => !isDenial(allowed) && includes(allowed, pattern)) &&
        // What the holder is denied must be denied to the other too, unless the pattern is one other credential.
        denied.every(
          (one) => kept.has(one) || (!hasWildcard(pattern) && !fitsPatterns(pattern, [one.slice(1)])),
        ),
    );
}

const isDenial = (pattern: string) => pattern.startsWith("!");
const hasWildcard = (pattern: string) => /[*?]/.test(pattern);

/** Whether everything that `inner` fits also fits `outer`; false if that is not certain. */
function includes(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  // `?` stands for one character and `*` of the other for many.
  return !(outer.includes("?") && hasWildcard(inner)) && fitsPatterns(inner, [outer]);
}

function endsBefore(held: number | null | undefined, wanted: number | null | undefined): boolean {
  if (held === null || held === undefined) return false;
  return wanted === null || wanted === undefined || wanted > held;
}
