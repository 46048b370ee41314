/** Formatting of durations in the console. */
import { expect, test } from "vitest";
import { formatDuration } from "../../src/console/duration.ts";

test.each([
  [1.254, "1.25 s"],
  [20, "20 s"],
  [59.94, "59.9 s"],
  [59.96, "1 min"],
  [119.7, "2 min"],
  [125.4, "2 min 5 s"],
  [3_599.6, "1 h"],
  [11_050, "3 h 4 min"],
])("%d seconds are shown as %s", (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
