/** The starter set parses the recorded outputs of its commands, with the community's field names. */
import { describe, expect, test } from "vitest";
import { checkSet } from "../../../plugins/templates/textfsm/install.ts";
import { TemplateSet } from "../../../plugins/templates/textfsm/library.ts";
import { starterSet } from "../../../plugins/templates/textfsm/starter.ts";
import { defaultTemplateLimits } from "../../../src/plugin/template-engine.ts";
import { parseCases } from "./corpus.ts";

const library = starterSet();
const set = new TemplateSet(library, defaultTemplateLimits);

test("every template and index entry of the starter set compiles", () => {
  const report = checkSet(library);
  expect(report.problems).toEqual([]);
  expect(report.templates).toBe(report.entries);
});

describe("the starter set", () => {
  test.each([
    ["cisco_ios", "show version"],
    ["cisco_ios", "sh ver"],
    ["cisco_ios", "sh ip int br"],
    ["cisco_nxos", "show interface status"],
    ["cisco_xr", "admin show inventory all"],
    ["arista_eos", "show ip bgp summary vrf RED"],
    ["juniper_junos", "show chassis hardware | no-more"],
    ["hp_comware", "dis lldp neighbor-information list"],
    ["huawei_vrp", "display mac-address"],
  ])("has a template for %s: %s", (platform, command) => {
    expect(set.index.find(platform, command)).toBeDefined();
  });

  test.each([
    ["cisco_ios", "show interfaces trunk"],
    ["cisco_ios", "show version | include uptime"],
    ["cisco_ios", "display version"],
    ["linux", "show version"],
  ])("has no template for %s: %s", (platform, command) => {
    expect(set.index.find(platform, command)).toBeUndefined();
  });
});

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
