/** `not_before`: the earliest start of a job. */
import * as v from "valibot";
import { isoMomentOf } from "../time.ts";

/** A maintenance window is at most a month away; jobs held longer would be forgotten. */
const furthestMs = 30 * 86_400_000;
/** With an offset, so that the time zone is unambiguous. */
const offsetTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/i;

/** A time with an explicit offset. */
export const isoMoment = v.pipe(
  v.string(),
  v.check(
    (text) => offsetTime.test(text) && isoMomentOf(text) !== undefined,
    "must be a time in ISO 8601 with its offset, such as 2026-01-31T02:00:00+01:00",
  ),
);

export const beginning = v.pipe(
  isoMoment,
  v.check((text) => !(Date.parse(text) > Date.now() + furthestMs), "must be at most 30 days ahead"),
);

/** In ms since 1970; undefined if past or not given. */
export function toCome(time: string | null | undefined): number | undefined {
  const at = time ? Date.parse(time) : 0;
  return at > Date.now() ? at : undefined;
}
