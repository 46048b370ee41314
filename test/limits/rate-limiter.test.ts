/** A token bucket per key, with the clock stopped. */
import { describe, expect, test } from "vitest";
import { createRateLimiter } from "../../src/limits/rate-limiter.ts";
import { refusalOf } from "./support.ts";

describe("the rate of a key", () => {
  test("recovers with time, and retry_after is exact", () => {
    let now = 0;
    const limiter = createRateLimiter({ perSecond: 10, burst: 20 }, () => now);
    limiter.spend("a", 20);
    const refused = refusalOf(() => limiter.spend("a", 5));
    expect(refused.detail.retryAfter).toBe(0.5);
    limiter.spend("b", 20);
    now = 499;
    expect(() => limiter.spend("a", 5)).toThrow();
    now = 500;
    limiter.spend("a", 5);
  });

  test("allows a request above the burst size when the bucket is full, and then recovers", () => {
    let now = 0;
    const limiter = createRateLimiter({ perSecond: 10, burst: 20 }, () => now);
    limiter.spend("a", 100);
    expect(refusalOf(() => limiter.spend("a", 1)).detail.retryAfter).toBeCloseTo(8.1);
    now = 8_100;
    limiter.spend("a", 1);
  });

  test("counts a charge made afterwards against the next requests", () => {
    const limiter = createRateLimiter({ perSecond: 10, burst: 20 }, () => 0);
    limiter.charge("a", 30);
    expect(refusalOf(() => limiter.spend("a", 1)).detail.retryAfter).toBeCloseTo(1.1);
  });
});
