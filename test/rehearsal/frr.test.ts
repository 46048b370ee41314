/**
 * Pushes with mistakes on the daemons of FRR: which refusals a rehearsal foretells, and whether what it foretells of the
 * configuration is what is there afterwards. The record is learnt from the first half, and the second half is measured.
 */
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import frr from "../../plugins/platforms/frr.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../scripts/testbed/frr.ts";
import { run } from "../../scripts/testbed/run.ts";
import { silentLog } from "../../src/base/log.ts";
import { foresee } from "../../src/configlines/foresee.ts";
import { treeRules, writtenRules } from "../../src/configtext/rules.ts";
import { remediate } from "../../src/configtree/remediate.ts";
import { foretellsRefusal, gradeLines } from "../../src/rehearsal/grade.ts";
import type { LineRecord } from "../../src/rehearsal/port.ts";
import { createLineRecord } from "../../src/rehearsal/record.ts";
import { frrConfiguration, interfaces, randomFrom } from "../configtree/frr-configurations.ts";
import { endStore, makePlace, openStore, type TestPlace } from "../store/support.ts";
import type { AnyStore } from "../support/any-store.ts";
import { mistakes, withMistake } from "./mutations.ts";

const pushes = Number(process.env.FRR_MISTAKES ?? 40);
const firstSeed = Number(process.env.FRR_SEED ?? 1);
const rules = treeRules(writtenRules(frr, "running"));
const iso = (ms: number) => new Date(ms).toISOString();
const inventory = {
  devicesAt: () => [{ name: "r1" }],
  facts: async () => new Map([["r1", { version: "8.4.4" }]]),
};

describe.skipIf(needs("frr"))("FRR", () => {
  let router: Frr;
  let place: TestPlace;
  let store: AnyStore;
  let record: LineRecord;
  beforeAll(async () => {
    [router, place] = await Promise.all([
      startFrr({ daemons: ["staticd", "bgpd", "ospfd"] }),
      makePlace("file"),
    ]);
    store = await openStore(place);
    record = createLineRecord({
      ...{ store, iso, log: silentLog, platform: () => frr },
      inventory: { snapshot: async () => inventory },
    });
    for (const name of interfaces)
      run(["ip", "-n", router.network, "link", "add", name, "type", "veth", "peer", "name", `${name}-b`], {
        mustSucceed: true,
      });
  });
  afterAll(async () => {
    await router.stop();
    await endStore(store);
    await place.remove();
  });

  /** What is known of the lines, what the rehearsal says of them, and what became of them. */
  async function pushed(from: string, lines: readonly string[]) {
    const foreseen = foresee({ configuration: from, lines, rules });
    const of = (all: readonly string[]) => [...new Set(all)];
    const shapes = of(foreseen.lines.map(({ shape }) => shape));
    const sections = of(foreseen.lines.map(({ section }) => section));
    const graded = gradeLines({
      ...{ foreseen, lines, major: "8", asks: [], native: undefined, shows: true, iso },
      record: await store.evidence.find(frr.name, { shapes, sections }, 2_000),
    });
    const checked = router.check(lines);
    const { accepted, words } = router.push(lines);
    const refused = lines[accepted];
    record.pushed({
      ...{ platform: frr.name, host: "r1", lines: lines.slice(0, accepted) },
      refused: refused === undefined ? undefined : { line: refused, words },
    });
    await record.flush();
    return { graded, checked, accepted, refused, words, predicted: foreseen.predicted ?? "" };
  }

  test(`refuses what was foretold of ${pushes} pushes with mistakes`, async () => {
    const running = () => router.vtysh("show running-config");
    const figures = { refused: 0, foretold: 0, right: 0, accepted: 0, known: 0, equal: 0 };
    /** What vtysh says of the same lines by itself. */
    const vtysh = { foretold: 0, right: 0 };
    const notes: string[] = [];
    for (let seed = firstSeed, done = 0, from = running(); done < pushes; seed++) {
      const random = randomFrom(seed + 10_000);
      const kind = mistakes[seed % mistakes.length] ?? "none";
      const lines = withMistake(remediate(from, frrConfiguration(random), rules).lines, kind, random);
      if (lines === undefined || lines.length === 0) continue;
      const { graded, checked, accepted, refused, words, predicted } = await pushed(from, lines);
      from = running();
      // The first half is what the record learns from.
      if (done++ < pushes / 2) continue;
      const note = (what: string, more: string) => notes.push(`${what}, seed ${seed}, ${kind}: ${more}`);
      for (const one of graded.filter(({ line }) => line <= accepted + 1)) {
        const [isRefused, isForetold] = [one.line === accepted + 1, foretellsRefusal(one)];
        if (isRefused) figures.refused++;
        if (isForetold) figures.foretold++;
        if (isRefused && isForetold) figures.right++;
        if (checked.includes(one.line)) vtysh.foretold++;
        if (isRefused && checked.includes(one.line)) vtysh.right++;
        if (isRefused !== isForetold)
          note(
            isForetold ? "foretold" : "not foretold",
            `${one.text} [${one.grade}: ${one.why}] ${words} (behind ${lines.slice(Math.max(0, one.line - 4), one.line - 1).join(" | ")})`,
          );
      }
      if (refused !== undefined) continue;
      figures.accepted++;
      if (graded.some(({ grade }) => grade === "unknown")) continue;
      figures.known++;
      const differs = [
        ...remediate(predicted, from, rules).lines,
        ...remediate(from, predicted, rules).lines,
      ];
      if (differs.length === 0) figures.equal++;
      else note("foretold otherwise", differs.slice(0, 8).join(" | "));
    }
    const { refused, foretold, right, accepted, known, equal } = figures;
    const said = [JSON.stringify({ ...figures, vtysh }), ...notes].join("\n");
    if (process.env.FRR_MISTAKES !== undefined) console.log(said);
    expect(right / refused, said).toBeGreaterThanOrEqual(0.9);
    expect(right / foretold, said).toBeGreaterThanOrEqual(0.9);
    expect(equal / known, said).toBeGreaterThanOrEqual(0.95);
    expect(known / accepted, said).toBeGreaterThanOrEqual(0.7);
  }, 600_000);
});
