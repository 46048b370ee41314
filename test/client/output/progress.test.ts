/** The summary of failed jobs says what to do about each type of error once. */
import * as v from "valibot";
import { expect, test } from "vitest";
import { jobErrorKinds } from "../../../src/base/errors.ts";
import { adviceFor } from "../../../src/base/text/error-advice.ts";
import { adviceLine, failuresText, summaryLine } from "../../../src/client/output/progress.ts";
import { bulkRecord } from "../../../src/client/service/answers.ts";
import { bulkDetail } from "../../http/doubles/records.ts";

const failed = (host: string, type: string, message: string) => ({
  host,
  result: { type: "failed" as const, retval: null, error: { type, message } },
});

test("failed jobs are listed with their messages, then each type of error once with its advice", () => {
  const text = failuresText(
    [
      failed("192.0.2.2", "AuthenticationFailed", "no"),
      failed("192.0.2.1", "AuthenticationFailed", "no"),
      failed("192.0.2.3", "Validation", "another"),
    ],
    undefined,
    { total: 37, bulks: ["b1", "b2"] },
  );
  const lines = text.trimEnd().split("\n");
  expect(lines.slice(1, 4).map((line) => line.split(/\s+/)[0])).toEqual([
    "192.0.2.1",
    "192.0.2.2",
    "192.0.2.3",
  ]);
  expect(lines.slice(4)).toEqual([
    "… and 34 more: patchbay bulk b1 --failed, patchbay bulk b2 --failed",
    `AuthenticationFailed: ${adviceFor("AuthenticationFailed")}`,
  ]);
});

test("every type of error but a cancel has advice in whole sentences; unknown types have none", () => {
  for (const kind of jobErrorKinds.filter((kind) => kind !== "Cancelled"))
    expect(adviceLine(kind)).toMatch(/^\w+: [A-Z].*\.\n$/);
  expect(adviceFor("Cancelled")).toBeUndefined();
  expect(adviceFor("constructor")).toBeUndefined();
});

test("pushes of unknown outcome are counted, with what a retry does about them", () => {
  const unknown = failed("192.0.2.1", "ConnectionLost", "gone");
  const lost = {
    ...unknown,
    result: { ...unknown.result, error: { ...unknown.result.error, outcome: "unknown" } },
  };
  const text = failuresText([lost, unknown], undefined, { total: 2, bulks: ["b1"] });
  expect(text).toContain("The outcome of 1 is unknown");
  expect(text).toMatch(/--force sends to them again:\n {2}patchbay bulk b1 --retry\n$/);
  expect(failuresText([unknown], undefined, { total: 1, bulks: ["b1"] })).not.toContain("unknown");
});

test("finished jobs with a refused command are counted apart", () => {
  const counts = { queued: 0, held: 0, running: 0, finished: 5, failed: 1, cancelled: 0 };
  const bulk = v.parse(bulkRecord, {
    ...bulkDetail,
    ...{ status: "ended", total: 6, counts },
    ...{ created_at: "2026-11-22T09:30:00Z", with_warnings: 4, with_refusals: 3 },
  });
  expect(summaryLine(bulk)).toBe(
    "6 devices: 2 finished, 3 finished with a refused command, 1 failed. 1 more with warnings.",
  );
});
