/** The major version of a system, in the words of the device. */
import { expect, test } from "vitest";
import { majorOf } from "../../src/rehearsal/version.ts";

test.each([
  ["15.2(7)E3", "15"],
  ["17.03.04a", "17"],
  ["4.28.1F", "4.28"],
  ["9.3(5)", "9"],
  ["21.4R3-S2.3", "21"],
  ["V200R019C10SPC500", "200"],
  ["8.4.4", "8"],
  ["", undefined],
  [undefined, undefined],
])("%s: %s", (version, major) => {
  expect(majorOf(version)).toBe(major);
});
