/** Every row of the crash table. */
import { expect, test } from "vitest";
import type { ErrorKind } from "../../src/base/errors.ts";
import {
  type AttemptFacts,
  judgeFailure,
  lostBeforeSending,
  lostWhileSending,
} from "../../src/dispatch/outcome.ts";

const facts: AttemptFacts = {
  crashes: 0,
  lostAttempts: 0,
  retries: 0,
  intentRecorded: false,
  sent: [],
  error: lostBeforeSending,
};
const sending = { intentRecorded: true, sent: ["conf t"], error: lostWhileSending };

test("a job claimed but not started is requeued, and fails with a known outcome on the third crash", () => {
  expect(judgeFailure(facts)).toEqual({ kind: "requeue", lostAttempts: 0 });
  expect(judgeFailure({ ...facts, crashes: 2 })).toEqual({ kind: "requeue", lostAttempts: 0 });
  const third = judgeFailure({ ...facts, crashes: 3 });
  expect(third).toMatchObject({ kind: "failed", error: { type: "WorkerLost" } });
  expect(third).not.toHaveProperty("error.outcome");
});

test("an unavailable store before the first command requeues the job for later", () => {
  const error = { kind: "Unavailable", message: "The store did not answer in time." } as const;
  expect(judgeFailure({ ...facts, error })).toEqual({ kind: "requeueLater", lostAttempts: 0 });
  expect(judgeFailure({ ...facts, ...sending, error })).toMatchObject({
    kind: "failed",
    error: { type: "WorkerLost", outcome: "unknown", sent: ["conf t"] },
  });
});

test("missing file descriptors before the first command requeue the job for later", () => {
  const error = { kind: "ResourceExhausted", message: "No file descriptor is left." } as const;
  expect(judgeFailure({ ...facts, error })).toEqual({ kind: "requeueLater", lostAttempts: 0 });
  expect(judgeFailure({ ...facts, ...sending, retries: 5, error })).toMatchObject({
    kind: "failed",
    error: { type: "ResourceExhausted", outcome: "unknown", sent: ["conf t"] },
  });
});

test("a timeout on a node whose lease lapsed is not blamed on the device", () => {
  const error = { kind: "ReadTimeout", message: "No prompt was found." } as const;
  expect(judgeFailure({ ...facts, error, leaseLapsed: true })).toEqual({ kind: "requeue", lostAttempts: 0 });
  expect(judgeFailure({ ...facts, error })).toMatchObject({ error: { type: "ReadTimeout" } });
  expect(judgeFailure({ ...facts, ...sending, error, leaseLapsed: true })).toMatchObject({
    kind: "failed",
    error: { type: "WorkerLost", outcome: "unknown", message: expect.stringContaining("No prompt") },
  });
  const refused = { kind: "AuthenticationFailed", message: "The device refused it." } as const;
  expect(judgeFailure({ ...facts, error: refused, leaseLapsed: true })).toMatchObject({
    kind: "failed",
    error: { type: "AuthenticationFailed" },
  });
});

test('a push lost while sending is not retried and has outcome "unknown"', () => {
  expect(judgeFailure({ ...facts, ...sending })).toMatchObject({
    kind: "failed",
    error: {
      type: "WorkerLost",
      outcome: "unknown",
      sent: ["conf t"],
      message: expect.stringContaining("may have executed"),
    },
  });
});

test("a query lost while sending is retried as often as its retries option allows", () => {
  const query = { ...facts, ...sending, retries: 2 };
  expect(judgeFailure(query)).toEqual({ kind: "requeue", lostAttempts: 1 });
  expect(judgeFailure({ ...query, lostAttempts: 1 })).toEqual({ kind: "requeue", lostAttempts: 2 });
  expect(judgeFailure({ ...query, lostAttempts: 2 })).toMatchObject({ kind: "failed" });
  // Attempts lost while sending do not count against those that never started.
  expect(judgeFailure({ ...facts, lostAttempts: 2, retries: 2 })).toEqual({
    kind: "requeue",
    lostAttempts: 2,
  });
});

test("a lost attempt that may have sent something makes the outcome unknown until an end is seen", () => {
  const again = { ...facts, crashes: 3, lostAttempts: 1, retries: 1, sent: ["show a"] };
  expect(judgeFailure(again)).toMatchObject({
    kind: "failed",
    error: { type: "WorkerLost", outcome: "unknown", sent: ["show a"] },
  });
  const refused = { kind: "AuthenticationFailed", message: "The device refused it." } as const;
  expect(judgeFailure({ ...again, error: refused })).toMatchObject({ error: { outcome: "unknown" } });
  const seen = { kind: "CommandError", message: "% Invalid input" } as const;
  expect(judgeFailure({ ...again, error: seen })).not.toHaveProperty("error.outcome");
});

test("a job that a caller stopped is not started again", () => {
  for (const stoppedBy of ["cancel", "worker"] as const) {
    expect(judgeFailure({ ...facts, stoppedBy })).toMatchObject({ kind: "failed" });
    expect(judgeFailure({ ...facts, ...sending, retries: 5, stoppedBy })).toMatchObject({ kind: "failed" });
  }
});

test("the outcome is unknown exactly if the end of the last command was not seen", () => {
  const unseen: ErrorKind[] = [
    "ConnectionLost",
    "ReadTimeout",
    "JobTimeout",
    "Cancelled",
    "WorkerLost",
    "DriverError",
    "OutputTooLarge",
  ];
  const seen: ErrorKind[] = ["CommandError", "ParseError", "RenderError"];
  for (const kind of unseen) {
    const error = { kind, message: "x" };
    expect(judgeFailure({ ...facts, ...sending, error }), kind).toHaveProperty("error.outcome", "unknown");
    expect(judgeFailure({ ...facts, crashes: 9, error }), kind).not.toHaveProperty("error.outcome");
  }
  for (const kind of seen)
    expect(judgeFailure({ ...facts, ...sending, error: { kind, message: "x" } }), kind).not.toHaveProperty(
      "error.outcome",
    );
});

test("the error keeps its details, and output obtained so far is separate", () => {
  const error = {
    kind: "CommandError" as const,
    message: "refused",
    detail: { command: "b", matched: "% Invalid", partial: [{ command: "a", output: "1" }] },
  };
  expect(judgeFailure({ ...facts, error })).toEqual({
    kind: "failed",
    partial: [{ command: "a", output: "1" }],
    error: { type: "CommandError", message: "refused", command: "b", matched: "% Invalid" },
  });
});
