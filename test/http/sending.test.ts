/** Long answers leave in slices that put together are the answer. */
import { expect, test } from "vitest";
import { slicesOf } from "../../src/http/sending.ts";

test.each([
  ["nothing", ""],
  ["a short text", "a"],
  [
    "characters of two halves, on every place of a slice's end",
    "a".repeat(262_143) + "\u{1f600}".repeat(300_000),
  ],
  ["letters of one byte", "x".repeat(1_000_000)],
])("%s", (_, text) => {
  const parts = [...slicesOf(text)];
  expect(Buffer.concat(parts).equals(Buffer.from(text))).toBe(true);
  for (const part of parts) expect(part.length).toBeLessThanOrEqual(4 * 262_145);
});
