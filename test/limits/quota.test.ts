/** A total limit with a share for each key. */
import { describe, expect, test } from "vitest";
import { createQuota } from "../../src/limits/quota.ts";

describe("a quota", () => {
  test("limits each key and the total, and frees what is released", () => {
    const quota = createQuota("things", { inAll: 5, perKey: 3 });
    const back = quota.take("a", 3);
    expect(() => quota.take("a")).toThrow(/This API key/);
    quota.take("b", 2);
    expect(() => quota.take("c")).toThrow(/The service/);
    back();
    back();
    expect(quota.held()).toBe(2);
    quota.take("a", 3);
  });

  test("counts what exists even above the limit, and then rejects further requests", () => {
    const quota = createQuota("bytes", { inAll: 10, perKey: 10 });
    const back = quota.hold("a", 25);
    expect(() => quota.take("a")).toThrow();
    back();
    quota.take("a");
  });

  test("counts no more than its share of what a key holds against the other keys", () => {
    const quota = createQuota("bytes", { inAll: 20, perKey: 10 });
    const back = quota.hold("a", 25);
    expect(() => quota.take("a")).toThrow(/This API key/);
    const other = quota.take("b", 10);
    expect(() => quota.take("c")).toThrow(/The service/);
    expect(quota.held()).toBe(35);
    other();
    back();
    expect(quota.held()).toBe(0);
    quota.take("c", 10);
    quota.take("a", 10);
    expect(() => quota.take("b")).toThrow(/The service/);
  });

  test("lets a key below half of its share exceed the share once, and rejects what follows", () => {
    const quota = createQuota("bytes", { inAll: 100, perKey: 10 });
    const back = quota.holdIfRoom("a", 25);
    expect(() => quota.holdIfRoom("a", 1)).toThrow(/This API key/);
    quota.holdIfRoom("b", 5);
    quota.holdIfRoom("b", 9);
    expect(() => quota.holdIfRoom("b", 1)).toThrow(/This API key/);
    back();
    quota.holdIfRoom("a", 25);
  });
});
