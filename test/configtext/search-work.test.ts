/** What it takes to mark the places in lines that were found: no more than a share of the search, whatever the expression. */
import { Matcher } from "re2js";
import { afterEach, expect, test, vi } from "vitest";
import { compileSearch, searchLimits } from "../../src/configtext/search.ts";

const { foundPerLine, foundSteps, hitsPerText, lineChars } = searchLimits;
const finds = vi.spyOn(Matcher.prototype, "find");
afterEach(() => finds.mockClear());

test.each(["(?:.?){40}z|", "x*", "|a", ".", "$|^"])(
  "the places of %s take no more than 20 finds in a line",
  async (regex) => {
    const { hits } = (await compileSearch({ regex })).search("a".repeat(lineChars));
    expect(hits).toHaveLength(1);
    expect(finds.mock.calls.length).toBeGreaterThan(1);
    expect(finds.mock.calls.length).toBeLessThanOrEqual(foundPerLine);
  },
);

test.each([
  ["(?:.?){4}z|.", 10],
  ["(?:.?){400}z|.", 800],
])(
  "lines without marks are found behind those that took all that the marks of %s may",
  async (regex, instructions) => {
    const { search } = await compileSearch({ regex });
    const text = `${"a".repeat(lineChars)}\n`.repeat(hitsPerText);
    const answers = Array.from({ length: 3 }, () => search(text));
    expect(answers.map(({ hits, total }) => [hits.length, total])).toEqual(
      Array.from({ length: 3 }, () => [hitsPerText, hitsPerText]),
    );
    expect(answers[0]?.hits[0]?.found).toHaveLength(foundPerLine);
    expect(answers[2]?.hits.flatMap(({ found }) => found)).toEqual([]);
    // Each had at least this much to read.
    const read = (finds.mock.calls.length - 1) * (lineChars - foundPerLine);
    expect(read * instructions).toBeLessThanOrEqual(foundSteps);
  },
);
