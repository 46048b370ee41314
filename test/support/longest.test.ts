import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { longest } from "./longest.ts";

test("the files that take longest are there, each named once", () => {
  expect(longest.filter((file) => !existsSync(file))).toEqual([]);
  expect(new Set(longest).size).toBe(longest.length);
});
