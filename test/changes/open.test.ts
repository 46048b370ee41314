/** Timers of pushes that wait in their devices: how long they are, and until when a word may be sent. */
import { expect, test } from "vitest";
import {
  askedOpen,
  confirmTtl,
  extendedOpen,
  holdSecondsOf,
  openAfter,
  openOf,
  unasked,
} from "../../src/changes/rollout/open.ts";

test("a timer covers the wave up to its gate and two minutes, and never less than the job", () => {
  const request = { checks: { settle_seconds: 30 }, strategy: { soak_seconds: 600 }, ttl: 60 };
  // Two rounds of 90 s, the reading, the soak, the gates, and the spare time.
  expect(holdSecondsOf(request, 100, 0, 50)).toBe(180 + 60 + 600 + 60 + 120);
  expect(holdSecondsOf({ ttl: 3_600 }, 1, 0, 50)).toBe(3_720);
  expect(holdSecondsOf({}, 1, 0, 50)).toBe(720);
  // Two rounds of sentinels; a question of 40 s and the time to evaluate it, asked again for 200 s.
  const question = { url: "https://monitoring.example.net/", expression: "true", timeout_seconds: 40 };
  const gated = { ...request, strategy: { questions: [question], inconclusive_seconds: 200 } };
  expect(holdSecondsOf(gated, 100, 60, 50)).toBe(180 + 60 + 120 + 250 + 120);
});

test("a word is sent only while the device surely waits, and what it runs is judged only when it surely does not", () => {
  const job = { startedAt: 1_000, endedAt: 41_000 };
  const open = openOf({ open: openAfter(job, "marks", 300, 50_000) });
  if (open === undefined) return expect.unreachable();
  // Its timer began after the job and before its end.
  expect(open).toEqual({
    ...{ marks: "marks", lastsUntil: 301_000, endsBy: 431_000 },
    ...{ seconds: 300, extendAt: 151_000, extended: 0 },
  });
  expect(confirmTtl(open, 50_000)).toBe(118);
  for (let now = 41_000; now < open.endsBy; now += 500) {
    const ttl = confirmTtl(open, now);
    // It may wait for that long, and then run for that long.
    if (ttl !== undefined) expect(now + 2 * ttl * 1_000).toBeLessThanOrEqual(open.lastsUntil - 15_000);
  }
  expect(confirmTtl(open, 266_001)).toBeUndefined();
  // One that does not answer holds up few others; thousands take their time.
  const long = { lastsUntil: 3_600_000 };
  expect([1, 1_000, 10_000].map((devices) => confirmTtl(long, 0, devices))).toEqual([121, 170, 600]);
  // Its end was not seen: nothing can be sent, and the time counts from when that was noticed.
  const lost = openOf({ open: openAfter({ startedAt: 1_000, endedAt: null }, undefined, 300, 90_000) });
  expect(lost).toEqual({ lastsUntil: 301_000, endsBy: 480_000, seconds: 300, extended: 0 });
  expect(openOf({ open: null })).toBeUndefined();
});

test("a timer that starts anew lasts as long as both may, until it is known which one runs", () => {
  const open = openOf({ open: openAfter({ startedAt: 1_000, endedAt: 41_000 }, "marks", 300, 50_000) });
  if (open === undefined) return expect.unreachable();
  const asked = openOf({ open: askedOpen(open, { seconds: 600, part: "wave.1.extending.9" }, 151_000) });
  if (asked === undefined) return expect.unreachable();
  // Surely waits as before; has surely ended only when the new timer has, had it begun as late as it could.
  expect(asked).toMatchObject({ lastsUntil: 301_000, endsBy: 991_000, extended: 1, extendAt: 226_000 });
  expect(openOf({ open: extendedOpen(asked, { startedAt: 152_000, endedAt: 154_000 }) })).toEqual({
    ...{ marks: "marks", lastsUntil: 752_000, endsBy: 844_000, seconds: 600, extendAt: 452_000, extended: 1 },
  });
  // Nothing was heard of it, or it was not sent: then the timer of before ends as it would have.
  expect(openOf({ open: unasked(asked) })).toMatchObject({ lastsUntil: 301_000, endsBy: 991_000 });
  const unsent = openOf({ open: unasked(asked, true) });
  expect(unsent).toMatchObject({ lastsUntil: 301_000, endsBy: 431_000, extendAt: 226_000 });
  expect(unsent).not.toHaveProperty("asked");
});
