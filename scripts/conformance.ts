/**
 * `bun run conformance`: a table of how far the engines and the napalm driver match their references, through
 * a running service; engines in process with `--fast`.
 */
import process from "node:process";
import { builtinFolder, readBuiltinCases, readCases } from "../plugins/templates/ttp/test/corpus.ts";
import { startService } from "../src/testkit/service.ts";
import { askOverHttp } from "./conformance/http.ts";
import { askInProcess } from "./conformance/in-process.ts";
import { rendered } from "./conformance/jinja2.ts";
import { recorded, recordedDrivers } from "./conformance/napalm.ts";
import { failures, holds, leftOut, type Row, table } from "./conformance/table.ts";
import * as textfsm from "./conformance/textfsm.ts";
import * as ttp from "./conformance/ttp.ts";

const fast = process.argv.includes("--fast");
/** Concurrent requests, enough to keep the service's template processes busy. */
const width = fast ? 1 : 4;
const way = fast ? "in process" : "http";

const asker = fast ? askInProcess() : await askOverHttp();
try {
  const rows: Row[] = [];
  const row = async (engine: string, bar: number, outcomes: Promise<Row["outcomes"]>) => {
    rows.push({ engine, bar, way, outcomes: await outcomes });
  };
  for (const name of ["ntc", "google", "crafted"] as const)
    await row(`textfsm ${name}`, 100, textfsm.givenTemplates(asker, name, width));
  await row("textfsm ntc by index", 100, textfsm.selected(asker, width));
  await row("textfsm tables", 100, textfsm.tables(asker, width));
  await row("textfsm index", 100, textfsm.picked(asker, width));
  await row("jinja2", 99, rendered(asker, width));

  await asker.install(builtinFolder());
  const cases = readCases().filter(({ skip }) => skip !== true);
  const own = cases.filter((one) => !ttp.needsLibrary(one));
  const calls = own.filter((one) => ttp.whyInProcess(one) !== undefined);
  await row(
    "ttp",
    97,
    ttp.asked(
      asker,
      own.filter((one) => !calls.includes(one)),
      width,
    ),
  );
  rows.push({
    engine: "ttp, parser's calls",
    way: "in process",
    bar: 97,
    outcomes: await ttp.inProcess(calls),
  });
  await row("ttp, a library's checks", 0, ttp.asked(asker, cases.filter(ttp.needsLibrary), width));
  const builtin = readBuiltinCases().filter(({ skip }) => skip !== true);
  await row("ttp built-in", 90, ttp.builtin(asker, builtin, width));

  const service = await startService({ env: { PATCHBAY_LOG_LEVEL: "warn" } });
  try {
    for (const driver of recordedDrivers)
      rows.push({
        engine: `napalm ${driver}`,
        way: "http",
        bar: 97,
        outcomes: await recorded(service, driver, 4),
      });
  } finally {
    await service.close();
  }

  const causes = calls.map((one) => ({ id: one.id, why: `In process: ${ttp.whyInProcess(one)}` }));
  const told = [table(rows), failures(rows), leftOut(ttp.notAsked()), leftOut(causes).replace(/^.*\n/, "")];
  console.log(told.filter((text) => text !== "").join("\n\n"));
  process.exitCode = rows.every(holds) ? 0 : 1;
} finally {
  await asker.stop();
}
