/** For any template and text, the engine returns a result or an error; it never hangs or crashes. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { defaultTemplateLimits, splitLines, TemplateError } from "../../python/text.ts";
import { TemplateIndex } from "../index-file.ts";
import { createTextFsm } from "../machine.ts";
import { starterSet } from "../starter.ts";
import { readTemplate } from "../template.ts";

const text = fc.string({ unit: fc.constantFrom(..."ab1 -:\n\t\r\x0b\x1c\u2028é𝔸"), maxLength: 60 });

function tryAll(source: string, input: string): void {
  try {
    createTextFsm(readTemplate(source), { ...defaultTemplateLimits, steps: 200_000 }).run(input, true);
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError);
  }
}

describe("the TextFSM engine terminates with a result or an error", () => {
  test("for random text as a template", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), text, tryAll), { numRuns: runs(2000) });
  });

  const line = fc.oneof(
    fc.constantFrom("", "Start", "Two", "EOF", "End", "# comment", "  ^${A} -> Record", "  ^$B$$ -> Two"),
    fc.constantFrom(
      "Value A (\\w+)",
      "Value List B (\\S+)",
      "Value Filldown,Required C (a|b)",
      "  ^. -> Error",
    ),
    fc.constantFrom("  ^x -> Continue.Record", "  ^x -> Clearall", ' ^y -> Error "z"', "\t^${C} -> Next End"),
    fc
      .tuple(fc.constantFrom("Value ", "  ^", " ", "Value List "), fc.string())
      .map((parts) => parts.join("")),
  );

  test("for random lines that resemble a template", () => {
    const source = fc.array(line, { maxLength: 14 }).map((lines) => lines.join("\n"));
    fc.assert(fc.property(source, text, tryAll), { numRuns: runs(3000) });
  });

  test("for mutated templates", () => {
    const starter = starterSet();
    const names = starter.list().filter((name) => name.endsWith(".textfsm"));
    const change = fc.tuple(fc.constantFrom(...names), fc.nat(5000), fc.nat(5), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(change, text, ([name, at, length, piece], input) => {
        const source = starter.read(name) ?? "";
        tryAll(source.slice(0, at) + piece + source.slice(at + length), input);
      }),
      { numRuns: runs(500) },
    );
  });
});

test("any text as an index is read or rejected with an error", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (rows, command) => {
      try {
        new TemplateIndex(`Template, Platform, Command\n${rows}`).find("x", command);
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
      }
    }),
    { numRuns: runs(1000) },
  );
});

test("splitting text into lines loses only the line ends", () => {
  fc.assert(
    fc.property(text, (input) => {
      const ends = /\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]/g;
      expect(splitLines(input).join("")).toBe(input.replace(ends, ""));
    }),
  );
});
