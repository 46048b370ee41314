/** Any pattern is parsed or refused, and both matchers agree. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { TemplateError } from "../../errors.ts";
import { PatternError } from "../../regex/parse/errors.ts";
import { parsePattern } from "../../regex/parse/parse.ts";
import { parseReplacement } from "../../regex/parse/replacement.ts";
import { compilePython } from "../../regex/pattern.ts";
import { createMachine } from "../../regex/run/machine.ts";
import { buildProgram } from "../../regex/run/program.ts";

const piece = fc.constantFrom(
  ..."ab1 .^$*+?|()[]{}\\-,:=!<>#PwdsSWDbBAZxun0_",
  "(?:",
  "(?P<n>",
  "(?=",
  "(?!",
  "(?<=",
  "(?<!",
  "(?>",
  "(?i)",
  "(?i:",
  "(?P=n)",
  "(?(1)",
  "\\1",
  "{2}",
  "{1,}",
  "[^",
  "é",
  "𝔸",
  "\n",
);
const anyPattern = fc.oneof(
  fc.string(),
  fc.array(piece, { maxLength: 25 }).map((parts) => parts.join("")),
);
const anyText = fc.string({ unit: fc.constantFrom(..."aab1 -\n\té𝔸\x1c"), maxLength: 12 });

/** Patterns that are valid by construction. */
const { tree } = fc.letrec<{ tree: string; atom: string; term: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("a", "b", "1", ".", "\\w", "\\d", "\\s", "\\S", "[ab]", "[^a]", "\\b", "^", "$"),
    tie("tree").map((inner) => `(?:${inner})`),
    tie("tree").map((inner) => `(${inner})`),
    tie("tree").map((inner) => `(?=${inner})`),
    tie("tree").map((inner) => `(?!${inner})`),
  ),
  term: fc
    .tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,2}", "*?", "+?"))
    .map(([atom, count]) => (/^(?:\^|\$|\\b)$/.test(atom) ? atom : atom + count)),
  tree: fc
    .array(
      fc.array(tie("term"), { maxLength: 3 }).map((terms) => terms.join("")),
      { minLength: 1, maxLength: 2 },
    )
    .map((options) => options.join("|")),
}));

describe("any text", () => {
  test("as a pattern is compiled, or rejected with a position", () => {
    fc.assert(
      fc.property(anyPattern, anyText, (pattern, text) => {
        try {
          const compiled = compilePython(pattern, { steps: 100_000 });
          compiled.search(text);
          compiled.split(text);
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  test("as a replacement is read or rejected", () => {
    fc.assert(
      fc.property(anyPattern, (template) => {
        try {
          parseReplacement(template, 2, new Map([["n", 1]]));
        } catch (error) {
          expect(error).toBeInstanceOf(PatternError);
        }
      }),
      { numRuns: runs(2000) },
    );
  });
});

test("the native and the linear matcher agree", () => {
  fc.assert(
    fc.property(tree, anyText, (pattern, text) => {
      const compiled = compilePython(pattern);
      const machine = createMachine(buildProgram(parsePattern(pattern).root, compiled.groups), 10_000_000);
      machine.begin(text, /[\ud800-\udfff]/.test(text));
      const own = machine.matchAt(0, "any");
      const found = compiled.match(text);
      const spans = Array.from({ length: compiled.groups + 1 }, (_, group) => found?.span(group));
      const ownSpans = Array.from({ length: compiled.groups + 1 }, (_, group) => {
        if (own === undefined) return undefined;
        const end = own[2 * group + 1] ?? -1;
        return end < 0 ? [-1, -1] : [own[2 * group], end];
      });
      expect(spans).toEqual(ownSpans);
    }),
    { numRuns: runs(3000) },
  );
});
