/** The interval between a node's transactions adapts to their wait for the lock. */
import { beforeEach, expect, test } from "vitest";
import {
  createTransactionSpacing,
  type TransactionSpacing,
} from "../../../../../src/store/libsql/database/server/transaction-spacing.ts";

let now: number;
let spacing: TransactionSpacing;
beforeEach(() => {
  now = 1_000;
  spacing = createTransactionSpacing(() => now);
});

/** Sequential transactions of 2 ms that wait for the lock. */
function transact(times: number, waitedMs: number): void {
  for (let n = 0; n < times; n++) {
    const sentAt = now;
    now += waitedMs + 2;
    spacing.locked(sentAt, waitedMs);
  }
}

test("a node that never waits for the lock sends at once", () => {
  transact(100, 0);
  expect(spacing.turn()).toBeUndefined();
});

test("a node that repeatedly waits for the lock spaces its transactions until it is quiet", () => {
  transact(4, 10);
  expect(spacing.turn()).toBeInstanceOf(Promise);
  now += 16;
  expect(spacing.turn()).toBeUndefined();
  transact(16, 0);
  expect(spacing.turn()).toBeUndefined();
});

test("the spacing grows with contention, up to 128 ms", () => {
  transact(4, 10);
  now += 16;
  transact(4, 100);
  now += 17;
  expect(spacing.turn()).toBeInstanceOf(Promise);
  for (let n = 0; n < 20; n++) spacing.refused();
  transact(1, 0);
  now += 128;
  expect(spacing.turn()).toBeUndefined();
});

test("an occasional wait does not cause spacing", () => {
  transact(15, 0);
  transact(1, 5);
  expect(spacing.turn()).toBeUndefined();
});

test("a refused transaction causes spacing", () => {
  spacing.refused();
  transact(1, 0);
  expect(spacing.turn()).toBeInstanceOf(Promise);
  now += 64;
  expect(spacing.turn()).toBeUndefined();
});
