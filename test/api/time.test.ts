/** Times as people read them, in any time zone and across DST changes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createIso, isoMomentOf } from "../../src/api/time.ts";

test.each([
  ["UTC", "2026-11-20T07:05:01.250Z", "2026-11-20T07:05:01.250+00:00"],
  ["Europe/Berlin", "2026-11-20T07:05:01.250Z", "2026-11-20T08:05:01.250+01:00"],
  ["Europe/Berlin", "2026-07-20T07:05:01.250Z", "2026-07-20T09:05:01.250+02:00"],
  ["America/St_Johns", "2026-11-20T02:00:00.000Z", "2026-11-19T22:30:00.000-03:30"],
  ["Asia/Kathmandu", "2026-11-20T07:05:01.250Z", "2026-11-20T12:50:01.250+05:45"],
])("in %s the time %s is shown as %s", (zone, moment, text) => {
  expect(createIso(zone)(Date.parse(moment))).toBe(text);
});

test("a shown time means the same moment in any zone, also around DST changes", () => {
  const iso = createIso("Europe/Berlin");
  const moments = fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2027-01-01") });
  fc.assert(fc.property(moments, (ms) => Date.parse(iso(ms)) === ms));
  for (const change of ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]) {
    const at = Date.parse(change);
    for (const ms of [at - 1, at, at + 1]) expect(Date.parse(iso(ms))).toBe(ms);
  }
});

test("in UTC a shown time equals Date's, whatever was formatted before", () => {
  const iso = createIso();
  const moments = fc.integer({ min: -8.64e15, max: 8.64e15 });
  const near = fc.array(fc.tuple(moments, fc.integer({ min: -2_000, max: 2_000 })), { maxLength: 4 });
  fc.assert(
    fc.property(near, (pairs) => {
      for (const ms of pairs.flatMap(([at, by]) => [at, at + by])) {
        if (Math.abs(ms) > 8.64e15) continue;
        expect(iso(ms)).toBe(`${new Date(ms).toISOString().slice(0, -1)}+00:00`);
      }
    }),
  );
  expect(() => iso(Number.NaN)).toThrow(RangeError);
});

test.each([
  // A date alone is in the service's time zone, like a time without an offset.
  ["2026-11-23", "2026-11-23T00:00"],
  ["2026-11-23T08:00", "2026-11-23T08:00"],
  ["2026-11-23T08:00:00+02", "2026-11-23T08:00:00+02:00"],
  ["2028-02-29t08:00:00.5z", "2028-02-29T08:00:00.5Z"],
  ["2026-11-31T08:00:00Z", undefined],
  ["2026-02-29", undefined],
  ["2026-00-10", undefined],
  ["2026-11-00", undefined],
  ["2026-11-23T25:00:00Z", undefined],
  ["2026-11-23T08", undefined],
  ["yesterday", undefined],
])("the input %s means the time %s", (text, moment) => {
  expect(isoMomentOf(text)).toBe(moment);
});
