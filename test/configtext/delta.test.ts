/** Deltas give back the text they were made of, whatever it holds, and fit no other base. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyDelta, makeDelta } from "../../src/configtext/delta.ts";
import { runs } from "../support/runs.ts";
import { anyLines, edited } from "./texts.ts";

const block = (at: number) => `interface Gi0/${at}\n description port ${at}\n no shutdown\n!\n`;
const configuration = Array.from({ length: 2_500 }, (_, at) => block(at)).join("");

describe("a delta", () => {
  test("gives back any text: line ends of any kind, no last one, unpaired surrogates", () => {
    let made = 0;
    fc.assert(
      fc.property(anyLines, fc.infiniteStream(fc.nat()), (base, choices) => {
        const text = edited(base, choices);
        const delta = makeDelta(base, text);
        if (delta === undefined) return;
        made++;
        expect(applyDelta(base, delta)).toBe(text);
        expect(delta.length).toBeLessThanOrEqual(text.length / 4);
        // It crosses a database as UTF-8.
        expect(delta.isWellFormed()).toBe(true);
      }),
      { numRuns: runs(1_000) },
    );
    expect(made).toBeGreaterThan(100);
  });

  test("of a few changed lines is a few hundred bytes", () => {
    const text = configuration
      .replace("port 17\n", "uplink\n")
      .replace(block(1_200), "")
      .replace(block(2_000), block(2_000) + block(9_000));
    const delta = makeDelta(configuration, text) ?? "";
    expect(applyDelta(configuration, delta)).toBe(text);
    expect(delta.length).toBeLessThan(250);
    expect(makeDelta(configuration, configuration)).toBe(
      `[${configuration.length},${configuration.length},[0,${configuration.length}]]`,
    );
  });

  test("is not made where it would be longer than a quarter of the text", () => {
    expect(makeDelta(configuration, configuration.replaceAll("port", "line"))).toBeUndefined();
    expect(makeDelta("", configuration)).toBeUndefined();
    expect(makeDelta(configuration, "")).toBeUndefined();
  });

  test.each([
    ["not JSON", "{"],
    ["not a list", "{}"],
    ["of another base", "[9,1,[0,1]]"],
    ["a part outside of the base", "[3,9,[0,9]]"],
    ["a part before the base", "[3,2,[-1,2]]"],
    ["a part without length", "[3,2,[1]]"],
    ["a part of another kind", "[3,2,7]"],
    ["not as long as the text", "[3,2,[0,3]]"],
  ])("that is damaged is refused: %s", (_, delta) => {
    expect(() => applyDelta("abc", delta)).toThrow("does not fit its base");
  });
});
