/** The summary of failed jobs says what to do about each type of error once. */
import { expect, test } from "vitest";
import { adviceFor } from "../../src/base/error-advice.ts";
import { jobErrorKinds } from "../../src/base/errors.ts";
import { adviceLine, failuresText } from "../../src/client/progress.ts";

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
  );
  const lines = text.trimEnd().split("\n");
  expect(lines.slice(1, 4).map((line) => line.split(/\s+/)[0])).toEqual([
    "192.0.2.1",
    "192.0.2.2",
    "192.0.2.3",
  ]);
  expect(lines.slice(4)).toEqual([`AuthenticationFailed: ${adviceFor("AuthenticationFailed")}`]);
});

test("every type of error but a cancel has advice in whole sentences; unknown types have none", () => {
  for (const kind of jobErrorKinds.filter((kind) => kind !== "Cancelled"))
    expect(adviceLine(kind)).toMatch(/^\w+: [A-Z].*\.\n$/);
  expect(adviceFor("Cancelled")).toBeUndefined();
  expect(adviceFor("constructor")).toBeUndefined();
});
