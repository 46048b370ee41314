/** Numbers in texts, as `Intl` writes them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { thousands } from "../../../src/base/text/thousands.ts";

test("a whole number has a comma at every third digit, as Intl writes it", () => {
  expect(thousands(10_000)).toBe("10,000");
  fc.assert(fc.property(fc.maxSafeNat(), (count) => thousands(count) === count.toLocaleString("en")));
});
