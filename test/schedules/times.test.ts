/** Schedule times on a fake clock: both DST changes, windows, jitter, bounds. */
import { describe, expect, test, vi } from "vitest";
import { zoneNamed } from "../../src/base/time/zone.ts";
import { cronProblem } from "../../src/schedules/cron.ts";
import { nextDues, type Timing, timesOf } from "../../src/schedules/times.ts";

const at = (text: string) => Date.parse(text);

function dues(timing: Timing, from: string, count: number): string[] {
  const times = timesOf("s1", timing, at(from));
  return nextDues(times, at(from), count).map(({ fireAt }) => new Date(fireAt).toISOString().slice(0, 16));
}

const berlin = { time_zone: "Europe/Berlin" };

test.each<[string, string, string[]]>([
  // Skipped by the change: once, at the change.
  ["30 2 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T01:00", "2026-03-30T00:30"]],
  ["0,30 2 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T01:00", "2026-03-30T00:00"]],
  ["0 3 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T01:00", "2026-03-30T01:00"]],
  // Occurs twice: the first time.
  ["30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
  [
    "*/20 2 * * *",
    "2026-10-24T12:00:00Z",
    ["2026-10-25T00:00", "2026-10-25T00:20", "2026-10-25T00:40", "2026-10-26T01:00"],
  ],
  ["0 */2 * * *", "2026-10-24T21:00:00Z", ["2026-10-24T22:00", "2026-10-25T00:00", "2026-10-25T03:00"]],
  // Every elapsed hour.
  ["30 * * * *", "2026-10-24T23:50:00Z", ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"]],
  ["0 * * * *", "2026-03-28T23:50:00Z", ["2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T02:00"]],
  ["0 0 29 2 *", "2026-03-28T23:50:00Z", ["2028-02-28T23:00", "2032-02-28T23:00"]],
  ["@daily", "2026-06-01T00:00:00Z", ["2026-06-01T22:00"]],
])("cron %s in Berlin from %s has the expected due times", (cron, from, expected) => {
  expect(dues({ cron, ...berlin }, from, expected.length)).toEqual(expected);
});

test("a cron time in the repeated hour of a DST change is found from within the first hour", () => {
  expect(dues({ cron: "*/30 * * * *", ...berlin }, "2026-10-25T00:10:00Z", 4)).toEqual([
    "2026-10-25T00:30",
    "2026-10-25T01:00",
    "2026-10-25T01:30",
    "2026-10-25T02:00",
  ]);
});

describe("each cron expression, compared minute by minute,", () => {
  // An independent implementation of cron: matching local times, each at its instant.
  const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"] as const;
  const days = ["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"];
  const expressions: [string, (hour: number, minute: number) => boolean][] = [
    ["*/15 * * * *", (_, minute) => minute % 15 === 0],
    ["15,45 1-3 * * *", (hour, minute) => (minute === 15 || minute === 45) && hour >= 1 && hour <= 3],
    ["5 2 * * *", (hour, minute) => minute === 5 && hour === 2],
  ];
  test.each(zones)("has the same due times in %s, through both DST changes", (name) => {
    const zone = zoneNamed(name);
    if (!zone) throw new Error(name);
    for (const [cron, matches] of expressions)
      for (const day of days) {
        const from = at(`${day}T00:00:00Z`) - 14 * 3_600_000;
        const times = timesOf("s1", { cron, time_zone: name }, from);
        const found = new Set<number>();
        for (
          let due = times.after(from);
          due && due.dueAt < from + 40 * 3_600_000;
          due = times.after(due.dueAt)
        )
          found.add(due.dueAt);
        expect([...found], `${cron} ${day}`).toEqual([...found].sort((a, b) => a - b));
        expect([...found], `${cron} ${day}`).toEqual(
          expected(zone, from, matches, cron.startsWith("*/15 *")),
        );
      }
  });
});

function expected(
  zone: NonNullable<ReturnType<typeof zoneNamed>>,
  from: number,
  matches: (hour: number, minute: number) => boolean,
  twice: boolean,
): number[] {
  const found = new Set<number>();
  const seen = new Set<number>();
  for (let ms = from + 60_000; ms < from + 40 * 3_600_000; ms += 60_000) {
    const [before, local] = [zone.localOf(ms - 60_000), zone.localOf(ms)];
    const named = (text: number) => matches(new Date(text).getUTCHours(), new Date(text).getUTCMinutes());
    // Skipped between the two minutes.
    for (let gone = before + 60_000; gone < local; gone += 60_000) if (named(gone)) found.add(ms);
    if (named(local) && (twice || !seen.has(local))) found.add(ms);
    seen.add(local);
  }
  return [...found];
}

test("`every` counts from its start, whatever was missed", () => {
  expect(dues({ every: "6h" }, "2026-03-28T20:00:00Z", 3)).toEqual([
    "2026-03-29T02:00",
    "2026-03-29T08:00",
    "2026-03-29T14:00",
  ]);
  const later = timesOf("s1", { every: "6h" }, at("2026-03-28T20:00:00Z"));
  expect(later.after(at("2026-04-02T21:11:00Z"))?.dueAt).toBe(at("2026-04-03T02:00:00Z"));
});

test("`at` is due once, and `every` only between not_before and not_after", () => {
  expect(dues({ at: "2026-05-01T10:00:00+02:00" }, "2026-04-01T00:00:00Z", 3)).toEqual(["2026-05-01T08:00"]);
  const bounded = { every: "1h", not_before: "2026-05-01T10:30:00Z", not_after: "2026-05-01T13:00:00Z" };
  expect(dues(bounded, "2026-05-01T00:00:00Z", 9)).toEqual(["2026-05-01T11:30", "2026-05-01T12:30"]);
});

test("a time outside the window is never due", () => {
  const window = ["Mon-Fri 22:00-05:00 Europe/Berlin"];
  expect(dues({ cron: "0 */3 * * *", ...berlin, window }, "2026-06-05T10:00:00Z", 4)).toEqual([
    "2026-06-05T22:00",
    "2026-06-06T01:00",
    "2026-06-08T22:00",
    "2026-06-09T01:00",
  ]);
  expect(dues({ cron: "0 12 * * *", ...berlin, window }, "2026-06-05T10:00:00Z", 4)).toEqual([]);
});

test("a schedule with no time in any of 20 windows is searched with few time zone conversions", () => {
  // Each takes 20 µs and blocks the event loop: it used to take a second or more per request.
  const spies = [vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts")];
  const format = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format");
  let formats = 0;
  Object.defineProperty(Intl.DateTimeFormat.prototype, "format", {
    configurable: true,
    get(this: Intl.DateTimeFormat) {
      formats++;
      return format?.get?.call(this);
    },
  });
  try {
    const zones = ["Berlin", "Paris", "Rome", "Madrid", "London", "Athens", "Sofia", "Kyiv", "Riga", "Oslo"];
    const window = zones.flatMap((name) => [`03:05-03:06 Europe/${name}`, `04:05-04:06 Europe/${name}`]);
    expect(dues({ cron: "30 12 1 * *", ...berlin, window }, "2026-06-05T10:00:00Z", 1)).toEqual([]);
    const count = formats + spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    expect(count).toBeLessThan(50_000);
  } finally {
    vi.restoreAllMocks();
    if (format) Object.defineProperty(Intl.DateTimeFormat.prototype, "format", format);
  }
});

test("jitter is deterministic, bounded and stays within the window", () => {
  const timing = { cron: "0 22 * * *", jitter_seconds: 600, window: ["22:00-22:05"] };
  const times = timesOf("s1", timing, 0);
  const fired = nextDues(times, at("2026-06-01T00:00:00Z"), 60);
  expect(nextDues(timesOf("s1", timing, 5), at("2026-06-01T00:00:00Z"), 60)).toEqual(fired);
  const spread = fired.map(({ dueAt, fireAt }) => fireAt - dueAt);
  expect(new Set(spread).size).toBeGreaterThan(10);
  expect(Math.min(...spread)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...spread)).toBeLessThan(300_000);
});

test("an invalid cron expression is reported with the faulty field", () => {
  expect(cronProblem("*/5 * * * *")).toBeUndefined();
  expect(cronProblem("61 * * * *")).toMatch(/minute: 61/);
  expect(cronProblem("* * * * * *")).toMatch(/5 parts/);
  expect(cronProblem("2026-01-01T00:00:00")).toMatch(/five fields/);
});
