/** `bun run conformance`: one table of what each engine answers as the reference does, in process; exits 1 below the bars. */

import process from "node:process";
import { isDeepStrictEqual } from "node:util";
import createTextFsmEngine from "../plugins/templates/textfsm/engine.ts";
import { readIndex } from "../plugins/templates/textfsm/index-file.ts";
import { createTextFsm } from "../plugins/templates/textfsm/machine.ts";
import { readTemplate } from "../plugins/templates/textfsm/template.ts";
import createTtpEngine from "../plugins/templates/ttp/engine.ts";
import { defaultTemplateLimits } from "../src/plugin/template.ts";
import * as jinja2 from "../test/templates/jinja2/corpus.ts";
import * as textfsm from "../test/templates/textfsm/corpus.ts";
import { kitOf, runBuiltin } from "../test/templates/ttp/builtin.ts";
import * as ttp from "../test/templates/ttp/corpus.ts";

interface Row {
  readonly engine: string;
  readonly cases: number;
  readonly passed: number;
  /** Percent that is required. */
  readonly bar: number;
  readonly failing: string[];
}

function row(engine: string, bar: number, outcomes: readonly { id: string; why: string | undefined }[]): Row {
  const failing = outcomes.flatMap(({ id, why }) => (why === undefined ? [] : [`${id}: ${why}`]));
  return { engine, bar, cases: outcomes.length, passed: outcomes.length - failing.length, failing };
}

/** @returns why it fails; a case that expects an error holds when one is thrown. */
function outcome(id: string, expectsError: boolean, work: () => boolean) {
  try {
    const same = work();
    return { id, why: expectsError ? "no error" : same ? undefined : "another result" };
  } catch (error) {
    return {
      id,
      why: expectsError ? undefined : error instanceof Error ? error.message.slice(0, 120) : String(error),
    };
  }
}

function textFsmRows(): Row[] {
  const parsed = (["ntc", "google", "crafted"] as const).map((name) =>
    row(
      `textfsm ${name}`,
      100,
      textfsm.parseCases(name).map((one) =>
        outcome(one.id, one.error, () => {
          const source = one.template_text ?? textfsm.setTemplate(one.template ?? "");
          const machine = createTextFsm(readTemplate(source), defaultTemplateLimits);
          const rows = machine.run(one.raw, one.eof);
          return isDeepStrictEqual(machine.header, one.header) && isDeepStrictEqual(rows, one.rows);
        }),
      ),
    ),
  );
  const index = readIndex(textfsm.setTemplate("index"));
  const found = textfsm
    .indexCases()
    .map((one) =>
      outcome(
        one.id,
        false,
        () => (index.find(one.platform, one.command)?.templates ?? null) === one.template,
      ),
    );
  const engine = createTextFsmEngine(textfsm.kitWith(textfsm.communitySet()));
  const tables = textfsm.tableCases().map((one) =>
    outcome(one.id, false, () => {
      const keys = one.header.map((name) => name.toLowerCase());
      const records = one.rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [keys[at], cell])));
      const { platform, command } = one;
      return isDeepStrictEqual(
        engine.compile("", { platform, command }).run(one.raw, textfsm.context),
        records,
      );
    }),
  );
  return [...parsed, row("textfsm index", 100, found), row("textfsm clitable", 100, tables)];
}

async function jinja2Row(): Promise<Row> {
  const engine = jinja2.createTestEngine();
  const outcomes: { id: string; why: string | undefined }[] = [];
  for (const one of jinja2.readCases()) outcomes.push({ id: one.id, why: await jinja2.judge(engine, one) });
  return row("jinja2", 99, outcomes);
}

function ttpRows(): Row[] {
  const needs = (one: { features: readonly string[] }) =>
    ["cerberus", "deepdiff", "yangson"].some((name) =>
      one.features.some((feature) => feature.includes(name)),
    );
  const cases = ttp.readCases().filter((one) => one.skip !== true);
  const run = (one: ttp.Case) =>
    outcome(one.id, one.error !== undefined, () => ttp.sameJson(ttp.runCase(one), one.expected));
  const engine = createTtpEngine(kitOf());
  const builtin = ttp
    .readBuiltinCases()
    .filter((one) => one.skip !== true)
    .map((one) =>
      outcome(one.id, false, () => ttp.sameJson(runBuiltin(one, engine, one.structure), one.expected)),
    );
  return [
    row("ttp", 97, cases.filter((one) => !needs(one)).map(run)),
    row("ttp (needs a Python library)", 0, cases.filter(needs).map(run)),
    row("ttp built-in", 90, builtin),
  ];
}

const rows = [...textFsmRows(), await jinja2Row(), ...ttpRows()];
console.log(`${"engine".padEnd(30)}  cases  passed  percent  required`);
for (const { engine, cases, passed, bar } of rows) {
  const percent = cases === 0 ? 100 : (100 * passed) / cases;
  const cells = [
    String(cases).padStart(5),
    String(passed).padStart(6),
    percent.toFixed(1).padStart(7),
    String(bar).padStart(8),
  ];
  console.log(`${engine.padEnd(30)}  ${cells.join("  ")}`);
}
for (const { failing } of rows) for (const one of failing) console.log(`  ${one}`);
process.exit(rows.every(({ cases, passed, bar }) => 100 * passed >= bar * cases) ? 0 : 1);
