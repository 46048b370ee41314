/** Parses the licence text that the build embeds. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { licences } from "../../scripts/build/licences.ts";
import { licencesOf } from "../../src/service/licences.ts";

test("the embedded licence text is split into one record per component", () => {
  const parts = licencesOf(licences("linux-x64"));
  const titles = parts.map(({ title }) => title);
  expect(titles[0]).toMatch(/^Patchbay [\d.]+: Apache-2.0$/);
  expect(titles.find((title) => title.startsWith("preact "))).toMatch(/: MIT$/);
  expect(parts[0]?.text).toBe(readFileSync("LICENSE", "utf8").trim());
  for (const { text } of parts) expect(text).not.toContain("=".repeat(78));
  expect(licencesOf("")).toEqual([]);
});
