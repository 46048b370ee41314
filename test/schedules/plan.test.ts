/** Evaluation of a schedule, on a clock that advances, stands still and jumps. */
import { expect, test } from "vitest";
import { type Policies, planOf } from "../../src/schedules/plan.ts";
import { type Due, nextDues, type Timing, timesOf } from "../../src/schedules/times.ts";

const at = (text: string) => Date.parse(text);
const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"] as const;
const plain: Policies = { overlap: "skip", missed: { policy: "skip", most: 10 } };

/** Evaluates a schedule repeatedly, as nodes do. */
function follow(timing: Timing, from: number, policies: Policies, clock: Iterable<number>) {
  const times = timesOf("s1", timing, from);
  let pending: Due | undefined = times.after(from);
  const fired: { dueAt: number; does: string; at: number }[] = [];
  for (const now of clock) {
    if (pending === undefined) break;
    if (pending.fireAt > now) continue;
    const plan = planOf(times, pending, now, policies);
    fired.push(...plan.firings.map(({ dueAt, does }) => ({ dueAt, does, at: now })));
    pending = plan.next;
  }
  return fired;
}

function* steps(from: number, to: number, stepMs: number) {
  for (let now = from; now < to; now += stepMs) yield now;
}

test.each(zones)("over a year in %s each time fires once, in order and never early", (time_zone) => {
  const from = at("2026-01-01T00:00:00Z");
  const to = at("2027-01-01T00:00:00Z");
  for (const timing of [
    { cron: "30 2 * * *", time_zone },
    { cron: "15 1-3 * * 0,6", time_zone, jitter_seconds: 40 },
  ]) {
    const fired = follow(timing, from, plain, steps(from, to, 47_000));
    const wanted = nextDues(timesOf("s1", timing, from), from, 2_000).filter(
      ({ fireAt }) => fireAt < to - 47_000,
    );
    expect(fired.map(({ dueAt }) => dueAt).slice(0, wanted.length)).toEqual(wanted.map(({ dueAt }) => dueAt));
    expect(fired.every(({ dueAt, at: now, does }) => now >= dueAt && does === "fire")).toBe(true);
    if (timing.cron.startsWith("30 2")) expect(wanted.length).toBeGreaterThanOrEqual(363);
  }
});

test.each(["2026-03-29", "2026-10-25"])(
  "on the day of a DST change, %s, a five-minute cron fires at every elapsed interval",
  (day) => {
    for (const time_zone of zones) {
      const from = at(`${day}T00:00:00Z`) - 12 * 3_600_000;
      const to = from + 36 * 3_600_000;
      const timing = { cron: "*/5 * * * *", time_zone };
      const fired = follow(timing, from, plain, steps(from, to, 20_000)).map(({ dueAt }) => dueAt);
      expect(new Set(fired).size).toBe(fired.length);
      // Every elapsed hour, regardless of the DST change.
      expect(fired.length).toBe(36 * 12 - 1);
    }
  },
);

test.each([
  { every: "1m", jitter_seconds: 600 },
  { cron: "*/5 * * * *", time_zone: "Europe/Berlin", jitter_seconds: 3_600 },
])("a jitter longer than the interval causes no missed firing", (timing) => {
  const from = at("2026-10-24T00:00:00Z");
  const to = from + 48 * 3_600_000;
  const fired = follow(timing, from, plain, steps(from, to, 20_000));
  const wanted = nextDues(timesOf("s1", timing, from), from, 3_000).filter(
    ({ fireAt }) => fireAt < to - 20_000,
  );
  expect(fired.map(({ dueAt }) => dueAt).slice(0, wanted.length)).toEqual(wanted.map(({ dueAt }) => dueAt));
  expect(fired.filter(({ does }) => does !== "fire")).toEqual([]);
});

const hourly = { every: "1h" };
const start = at("2026-06-01T00:00:00Z");
const hour = 3_600_000;
/** Evaluated on the hour, then not for ten hours. */
const pausedClock = [start + hour, start + 2 * hour, start + 12 * hour + 120_000, start + 13 * hour];
const hours = (fired: { dueAt: number; does: string }[]) =>
  fired.map(({ dueAt, does }) => `${(dueAt - start) / hour}${does === "fire" ? "" : " missed"}`);

test.each<[Policies["missed"], string[]]>([
  [{ policy: "skip", most: 10 }, ["1", "2", "12 missed", "13"]],
  [{ policy: "once", most: 10 }, ["1", "2", "12", "13"]],
  [{ policy: "all", most: 4 }, ["1", "2", "8 missed", "9", "10", "11", "12", "13"]],
  [{ policy: "all", most: 100 }, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"]],
])("times missed while the service was down follow the missed policy: %o", (missed, expected) => {
  expect(hours(follow(hourly, start, { ...plain, missed }, pausedClock))).toEqual(expected);
});

test("missed times are reported, and catch-up firings run one after another", () => {
  const times = timesOf("s1", hourly, start);
  const pending = times.after(start);
  if (!pending) throw new Error("no time");
  const skipped = planOf(times, pending, start + 5.5 * hour, plain);
  expect(skipped.firings).toMatchObject([
    { does: "missed", reason: expect.stringMatching(/^5 times were missed/) },
  ]);
  const all = planOf(times, pending, start + 3.5 * hour, { ...plain, missed: { policy: "all", most: 10 } });
  expect(all.firings.map(({ overlap }) => overlap)).toEqual(["queue", "queue", "queue"]);
});

test("setting the clock back fires nothing twice", () => {
  const clock = [
    start + hour,
    start + 2 * hour,
    start - 5 * hour,
    start + hour,
    start + 2 * hour,
    start + 3 * hour,
  ];
  expect(hours(follow(hourly, start, plain, clock))).toEqual(["1", "2", "3"]);
});

test("ten years of missed minutes are planned in bounded time", () => {
  const times = timesOf("s1", { cron: "* * * * *" }, start);
  const pending = times.after(start);
  if (!pending) throw new Error("no time");
  let searches = 0;
  const counted = {
    after(ms: number) {
      searches++;
      return times.after(ms);
    },
  };
  const now = start + 87_600 * hour;
  const plan = planOf(counted, pending, now, { ...plain, missed: { policy: "all", most: 100 } });
  expect(plan.firings.filter(({ does }) => does === "fire").length).toBeGreaterThan(99);
  expect(plan.firings.at(0)?.reason).toMatch(/^more than 500 times/);
  expect(plan.next?.dueAt).toBeGreaterThan(now);
  expect(searches).toBeLessThan(1_000);
});
