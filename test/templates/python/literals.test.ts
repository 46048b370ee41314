import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLiteral } from "../../../plugins/templates/python/literals.ts";

describe("Python literals", () => {
  test.each([
    ["1", 1],
    ["None", null],
    ["True", true],
    ["'a\\n'", "a\n"],
    ["[1, 'b']", [1, "b"]],
  ])("%s", (source, expected) => {
    expect(parseLiteral(source)).toEqual(expected);
  });

  test("any text gives a value or an error with a text, and never hangs", () => {
    const unit = fc.constantFrom(
      "[",
      "]",
      "{",
      "}",
      "(",
      ")",
      ",",
      ":",
      "'",
      '"',
      "\\",
      "1",
      ".",
      "e",
      "-",
      "x",
      " ",
      "\n",
      "None",
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (source) => {
        try {
          parseLiteral(source);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(RangeError);
          expect(error).not.toBeInstanceOf(TypeError);
        }
      }),
    );
  });
});
