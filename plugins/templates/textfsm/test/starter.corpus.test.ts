/** The starter set parses the recorded outputs of its commands, with the community's field names. */

import { describe, expect, test } from "vitest";
import { defaultTemplateLimits } from "../../python/text.ts";
import { TemplateSet } from "../library.ts";
import { starterSet } from "../starter.ts";
import { parseCases } from "./corpus.ts";

const set = new TemplateSet(starterSet(), defaultTemplateLimits);

interface Score {
  cells: number;
  equal: number;
  cases: number;
  sameRows: number;
}

/** Cells of the fields that both sets have, row by row. */
function score(): Map<string, Score> {
  const scores = new Map<string, Score>();
  for (const { id, raw, header, rows } of parseCases("ntc")) {
    const [platform = "", folder = ""] = id.split("/");
    const command = folder.replaceAll("_", " ");
    const row = set.index.find(platform, command);
    const [template] = row === undefined ? [] : set.load(row);
    if (template === undefined) continue;
    const ours = template.machine.run(raw, true);
    const entry = scores.get(`${platform}: ${command}`) ?? { cells: 0, equal: 0, cases: 0, sameRows: 0 };
    scores.set(`${platform}: ${command}`, entry);
    entry.cases += 1;
    if (ours.length === rows.length) entry.sameRows += 1;
    const shared = template.machine.header.filter((name) => header.includes(name));
    rows.forEach((expected, index) => {
      for (const name of shared) {
        const ownCell = ours[index]?.[template.machine.header.indexOf(name)];
        entry.cells += 1;
        if (JSON.stringify(ownCell) === JSON.stringify(expected[header.indexOf(name)])) entry.equal += 1;
      }
    });
  }
  return scores;
}

describe("recorded outputs parsed with the starter set", () => {
  const scores = [...score()];
  const sum = (key: keyof Score) => scores.reduce((total, [, entry]) => total + entry[key], 0);

  test("include all commands of the set", () => {
    expect(scores.length).toBeGreaterThanOrEqual(55);
    expect(sum("cases")).toBeGreaterThanOrEqual(110);
  });

  test("equal the reference in 98 % of the fields and 94 % of the record counts", () => {
    expect(sum("equal") / sum("cells")).toBeGreaterThan(0.98);
    expect(sum("sameRows") / sum("cases")).toBeGreaterThan(0.94);
  });

  // Their records differ from the community's: one per part; no port counts.
  const ownShape = new Set(["juniper_junos: show chassis hardware", "arista_eos: show inventory"]);

  test.each(scores.filter(([name]) => !ownShape.has(name)))(
    "of %s equal the reference in at least 90 %% of the fields",
    (_, { equal, cells }) => {
      expect(equal / cells).toBeGreaterThanOrEqual(0.9);
    },
  );
});
