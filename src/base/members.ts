/** The members of what a caller wrote: null says nothing, as if it were not there. */

/** An object with names: no list, not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null | undefined };

/** Only members that say something are kept. */
export function withoutNulls<T extends object>(value: Nullable<T>): T {
  const said = Object.entries(value).filter(([, member]) => isGiven(member));
  // What is left out may be absent in what is kept.
  return Object.fromEntries(said) as T;
}
