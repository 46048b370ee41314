/** Members of caller-supplied objects; null counts as absent. */
import { ExactNumber } from "./exact-json.ts";

/** A plain object: not a list, not a number, not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null | undefined };

/** Drops members that are null. */
export function withoutNulls<T extends object>(value: Nullable<T>): T {
  const present = Object.entries(value).filter(([, member]) => isGiven(member));
  // The members dropped are optional in the result type.
  return Object.fromEntries(present) as T;
}
