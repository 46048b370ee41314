/** Side by side: every line of both texts stands once, and the parts that differ are marked. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type SideRow, sideBySide } from "../../src/configtext/side.ts";
import { runs } from "../support/runs.ts";
import { anyLines, edited } from "./texts.ts";

const whole = { context: Number.POSITIVE_INFINITY };
const shown = (row: SideRow) => [row.kind, row.left?.text ?? "", row.right?.text ?? ""];
const linesOf = (text: string) =>
  text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => line.replace(/\r$/, ""));

describe("side by side", () => {
  test("holds each line of both texts once, in order, with its number", () => {
    fc.assert(
      fc.property(anyLines, fc.infiniteStream(fc.nat()), (a, choices) => {
        const b = edited(a, choices);
        const rows = sideBySide(a, b, whole).flat();
        if (a === b) {
          expect(rows).toEqual([]);
          return;
        }
        const side = (of: "left" | "right") => rows.flatMap((row) => row[of] ?? []);
        for (const [of, text] of [
          ["left", a],
          ["right", b],
        ] as const) {
          expect(side(of).map(({ text }) => text)).toEqual(linesOf(text));
          expect(side(of).map(({ line }) => line)).toEqual(linesOf(text).map((_, at) => at + 1));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test("puts lines beside each other that are alike, and marks the words that differ", () => {
    const a = "interface A\n description old\n ip address 10.0.0.1 255.255.255.0\n mtu 1500\n";
    const b = "interface A\n bandwidth 100\n ip address 10.0.0.2 255.255.255.0\n mtu 1500\n";
    const [rows = []] = sideBySide(a, b);
    expect(rows.map(shown)).toEqual([
      ["same", "interface A", "interface A"],
      ["removed", " description old", ""],
      ["added", "", " bandwidth 100"],
      ["changed", " ip address 10.0.0.1 255.255.255.0", " ip address 10.0.0.2 255.255.255.0"],
      ["same", " mtu 1500", " mtu 1500"],
    ]);
    expect([rows[3]?.leftSpans, rows[3]?.rightSpans]).toEqual([[[19, 20]], [[19, 20]]]);
  });

  test("leaves ignored lines out of the difference, with the numbers of both texts", () => {
    const ignore = (line: string) => line.startsWith("!");
    const a = "! 10:00\nhostname a\nx\n";
    const b = "! 11:00\n! by bob\nhostname b\nx\n";
    const [rows = []] = sideBySide(a, b, { ignore });
    expect(rows.map(shown).slice(1)).toEqual([
      ["changed", "hostname a", "hostname b"],
      ["same", "x", "x"],
    ]);
    expect(rows.map(({ left, right }) => [left?.line, right?.line]).slice(1)).toEqual([
      [2, 3],
      [3, 4],
    ]);
    expect(sideBySide(a, a.replace("10:00", "12:00"), { ignore })).toEqual([]);
  });

  test("of long lines and of large changes stays within its bounds", () => {
    const long = (seed: string) => `${seed} `.repeat(500_000);
    const [rows = []] = sideBySide(`${long("a")}\n`, `${long("a")}b\n`);
    expect(rows.map(({ kind, leftSpans }) => [kind, leftSpans])).toEqual([["changed", [[0, 1_000_000]]]]);
    const many = (seed: string) => Array.from({ length: 5_000 }, (_, at) => `${seed} ${at}\n`).join("");
    expect(sideBySide(many("a"), many("b")).flat()).toHaveLength(5_000);
  });
});
