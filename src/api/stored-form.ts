/** Reads stored forms, some fields of which another version may have written. */
import * as v from "valibot";
import { isRecord } from "../base/json/members.ts";

export interface ReadForm<W, P> {
  /** What this version can read. */
  readonly fields: P;
  /** All of it; undefined if there is something that this version cannot read. */
  readonly whole: W | undefined;
  /** Names of the fields that this version cannot read. */
  readonly unreadable: readonly string[];
}

/** Never throws. @param partial the same form, of which each field may be absent */
export function readForm<W extends v.GenericSchema, P extends v.GenericSchema>(
  whole: W,
  partial: P,
  json: string,
): ReadForm<v.InferOutput<W>, v.InferOutput<P>> {
  const stored = membersOf(json);
  const read = v.safeParse(whole, stored);
  if (read.success) return { fields: v.parse(partial, stored), whole: read.output, unreadable: [] };
  const unreadable = [...new Set(read.issues.map((issue) => String(issue.path?.[0].key)))];
  const others = Object.entries(stored).filter(([field]) => !unreadable.includes(field));
  const rest = v.safeParse(partial, Object.fromEntries(others));
  return { fields: rest.success ? rest.output : v.parse(partial, {}), whole: undefined, unreadable };
}

function membersOf(json: string): Record<string, unknown> {
  try {
    const stored: unknown = JSON.parse(json);
    return isRecord(stored) ? stored : {};
  } catch {
    return {};
  }
}
