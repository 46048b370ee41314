/** Each line is told the version that brought it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBlame } from "../../src/configtext/blame.ts";
import { runs } from "../support/runs.ts";
import { anyLines, edited } from "./texts.ts";

describe("blame", () => {
  test("names the version that brought a line, and not one that only moved others", () => {
    const blame = createBlame<number>();
    expect(blame.lines()).toEqual([]);
    blame.add("hostname r1\ninterface A\n mtu 1500\n", 1);
    blame.add("hostname r1\nbanner x\ninterface A\n mtu 1500\n", 2);
    blame.add("hostname r1\nbanner x\ninterface A\n mtu 9000", 3);
    expect(blame.lines()).toEqual([
      { text: "hostname r1", version: 1 },
      { text: "banner x", version: 2 },
      { text: "interface A", version: 1 },
      { text: " mtu 9000", version: 3 },
    ]);
    blame.add("", 4);
    expect(blame.lines()).toEqual([]);
  });

  test("of any versions: lines are those of the newest, and each was in the version that it names", () => {
    fc.assert(
      fc.property(anyLines, fc.infiniteStream(fc.nat()), (first, choices) => {
        const blame = createBlame<number>();
        const texts = [first];
        while (texts.length < 5) texts.push(edited(texts.at(-1) ?? "", choices));
        for (const [version, text] of texts.entries()) blame.add(text, version);
        const lines = (text = "") => text.split("\n").map((line) => line.replace(/\r$/, ""));
        for (const { text, version } of blame.lines()) expect(lines(texts[version])).toContain(text);
        expect(blame.lines().map(({ text }) => text)).toEqual(
          lines(texts.at(-1)?.replace(/\n$/, "")).slice(0, texts.at(-1) === "" ? 0 : undefined),
        );
      }),
      { numRuns: runs(300) },
    );
  });
});
