/** Matches found line by line equal those of Python's finditer on the whole text. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { compilePython } from "../../python/index.ts";
import { compileLine, endOf, findAll, partOf } from "../run/scan.ts";

const PATTERNS = [
  "\\nip (\\S+)[\\t ]*(?=\\n)",
  "\\n +x[\\t ]*(?=\\n)",
  "\\n(?P<a>\\S+) +(?P<b>.+?)[\\t ]*(?=\\n)",
  "\\n\\s*y(?=\\n)",
  "\\nip\\n(?:x|ip)[\\t ]*(?=\\n)",
  "\\n(?=\\n)",
  "\\n.*(?=\\n)",
  "x\\n",
  "(?<=ip)\\n",
  "\\n(?:(\\S+ {1})+?\\S+)[\\t ]*(?=\\n)",
  "\\n(?P<a>(?P<b>x|ip)*)(?=\\n)",
  "\\n(?:x*)*y(?=\\n)",
];
const text = fc
  .array(fc.constantFrom("ip", "x", " ", "\n", "y", "\t", "é"), { maxLength: 40 })
  .map((parts) => `\n${parts.join("")}\n`);

test("matches found line by line equal finditer's", () => {
  fc.assert(
    fc.property(fc.constantFrom(...PATTERNS), text, fc.nat(10), (source, whole, from) => {
      const start = Math.min(from, whole.length);
      const found = findAll(compileLine(source), whole, start).map((match) => [match.index, endOf(match)]);
      const wanted = [...compilePython(source).finditer(whole.slice(start))].map((match) =>
        match.span().map((at) => at + start),
      );
      expect(found).toEqual(wanted);
    }),
    { numRuns: runs(2000) },
  );
});

test("a truncated text ends at its end, for lookaheads too", () => {
  const text = "\nip 1\nip 2\nip 3\n";
  const line = compileLine("\\nip (\\S+)(?=\\n)");
  const count = (end: number) => findAll(line, partOf(text, end), 0).length;
  expect([count(16), count(15), count(11), count(10), count(1)]).toEqual([3, 2, 2, 1, 0]);
});
