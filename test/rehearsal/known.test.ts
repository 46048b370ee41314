/** What is not known is said: no grade is better than what is known from the device, its configuration or the record. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import type { RehearsedLine } from "../../src/api/rehearsal/rehearsal.ts";
import { foresee } from "../../src/configlines/foresee.ts";
import { treeRules, writtenRules } from "../../src/configtext/rules.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";
import { type GradeInput, gradeLines } from "../../src/rehearsal/grade.ts";
import { runs } from "../support/runs.ts";

const sections = ["", "interface", "router bgp", "router bgp > address-family ipv4 unicast"] as const;
const shapes = [
  "neighbor <ip> timers <n> <n>",
  "description <text>",
  "<word> <n>",
  "no shutdown",
  "exit",
] as const;
const effects = ["adds", "replaces", "removes", "enters", "leaves", "nothing", "unclear"] as const;
const place = { section: fc.constantFrom(...sections), shape: fc.constantFrom(...shapes) };
const count = fc.nat(4);

const record = fc.record({
  ...place,
  platform: fc.constant("x"),
  versionMajor: fc.constantFrom("", "8", "9"),
  accepted: count,
  refused: count,
  sampleError: fc.constantFrom(null, "% Unknown command", "% Specify <word> first"),
  lastAt: fc.constant(0),
});
const line = fc.record({
  ...place,
  effect: fc.constantFrom(...effects),
  refusal: fc.option(fc.constant({ why: "missing" as const, of: "x" }), { nil: undefined }),
});
const given = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 6 }),
  there: fc.array(fc.record({ ...place, count: fc.integer({ min: 1, max: 3 }) }), { maxLength: 4 }),
  record: fc.array(record, { maxLength: 8 }),
  major: fc.constantFrom(undefined, "8", "9"),
  checks: fc.constantFrom("none", "accepts", "refuses"),
  cut: fc.option(fc.constant(1), { nil: undefined }),
});
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

function inputOf({ lines, there, record, major, checks, cut }: Given): GradeInput {
  return {
    foreseen: {
      lines: lines.map(({ refusal, ...one }, at) => ({
        ...{ ...one, line: at + 1, path: one.section === "" ? [] : one.section.split(" > ") },
        ...{ words: one.shape.split(" "), ...(refusal && { refusal }) },
      })),
      there,
      lockouts: cut === undefined ? [] : [{ line: cut, why: "w" }],
    },
    lines: lines.map(({ shape }) => shape.replaceAll(/<(\w+)>/g, "$1")),
    ...{ record, major, asks: [], shows: true, iso: String },
    native:
      checks === "none"
        ? undefined
        : { refused: new Map(checks === "accepts" ? [] : [[1, "no"]]), difference: undefined },
  };
}

/** What is known of the place of a line, from what was given alone. */
function knownOf(input: GradeInput, at: number) {
  const { section, shape, effect } = input.foreseen.lines[at] ?? expect.fail("no line");
  const isHere = (one: { section: string; shape: string }) => one.section === section && one.shape === shape;
  const records = input.record.filter(isHere);
  const sum = (all: typeof records) => all.reduce((most, { accepted }) => most + accepted, 0);
  return {
    effect,
    there: input.foreseen.there.filter(isHere).reduce((most, { count: one }) => most + one, 0),
    accepted: sum(records),
    ofMajor: sum(records.filter(({ versionMajor }) => versionMajor === input.major)),
  };
}

function expectEvidence(input: GradeInput, { grade, evidence, line: number }: RehearsedLine) {
  const known = knownOf(input, number - 1);
  switch (grade) {
    case "checked":
      expect(input.native?.refused.size).toBe(0);
      return expect(evidence.from).toBe("device");
    case "seen":
      expect(input.major).toBeDefined();
      expect(known.ofMajor).toBeGreaterThan(0);
      return expect(evidence).toMatchObject({ from: "record", accepted: expect.any(Number) });
    case "alike":
      if (evidence.from === "rules") return expect(known.effect).toBe("leaves");
      if (evidence.from === "record") return expect(known.accepted).toBeGreaterThan(0);
      expect(evidence.from).toBe("configuration");
      return expect(known.there > 0 || known.effect === "removes").toBe(true);
    case "no_effect":
      expect(known.effect).toBe("nothing");
      return expect(evidence.from).toBe("configuration");
    default:
      return undefined;
  }
}

test("a grade that lets one go on has its evidence, whatever else is known", () => {
  fc.assert(
    fc.property(given, (one) => {
      const input = inputOf(one);
      for (const graded of gradeLines(input)) expectEvidence(input, graded);
    }),
    { numRuns: runs(3_000) },
  );
});

test("a twin is no evidence: that it takes a line makes no grade better", () => {
  fc.assert(
    fc.property(given, (one) => {
      const input = inputOf(one);
      const twin = { isProven: true, lines: 1, refused: undefined, unknown: [], unknownLines: 0 };
      const foreseen = { ...input.foreseen, twin };
      expect(gradeLines({ ...input, foreseen })).toEqual(gradeLines(input));
    }),
    { numRuns: runs(300) },
  );
});

describe("without a configuration", () => {
  const cases: [string, string[]][] = [
    ["frr", ["no ip route 10.0.0.0/8 192.0.2.1"]],
    ["frr", ["router bgp 1", " neighbor 192.0.2.7 description x", " no neighbor PG peer-group"]],
    ["cisco_ios", ["no username guest", "interface Vlan10", " no ip address", " no shutdown"]],
    ["cisco_ios", ["ip route 10.0.0.0 255.0.0.0 192.0.2.1", "no ip route 10.0.0.0 255.0.0.0 192.0.2.1"]],
    ["huawei", ["undo vlan batch 7", "interface Vlanif7", " undo shutdown"]],
    ["juniper_junos", ["delete system services telnet", "delete interfaces ge-0/0/9"]],
    ["fortinet", ["config system interface", "delete port1", "end"]],
  ];
  const session = {
    hosts: ["192.0.2.1"],
    locals: ["192.0.2.2"],
    user: "ops",
    transport: "ssh",
    port: 22,
  } as const;
  const graded = (name: string, lines: readonly string[]) => {
    const platform = builtins.find(
      (plugin): plugin is PlatformPlugin =>
        plugin.kind === "platform" && [plugin.name, ...(plugin.aliases ?? [])].includes(name),
    );
    const rules = treeRules(writtenRules(platform, platform?.running?.set === undefined ? undefined : "set"));
    const foreseen = foresee({
      ...{ configuration: undefined, lines, rules, session, access: platform?.running?.access },
    });
    return gradeLines({
      ...{ foreseen, lines, record: [], major: "1", asks: [], native: undefined, shows: true, iso: String },
    });
  };

  test.each(cases)("nothing is said to be there, or not: %s, %j", (name, lines) => {
    for (const { grade, text, evidence } of graded(name, lines))
      if (!/^(?:end|exit|quit)$/.test(text.trim()))
        expect([text, grade, evidence.from]).toEqual([text, "unknown", "none"]);
  });

  test.each([
    ["cisco_ios", "no username ops"],
    ["juniper_junos", "delete system services ssh"],
    ["huawei", "undo stelnet server enable"],
    ["vyos", "delete service ssh"],
  ])("what cuts all off is known all the same: %s, %s", (name, line) => {
    expect(graded(name, [line]).map(({ grade }) => grade)).toEqual(["locks_out"]);
  });
});
