/**
 * An engine's work in its own process: cold, first use in a warm process, cached templates. CPU time of all
 * threads, as JSON.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { createEngine as createJinja2 } from "../../plugins/templates/jinja2/index.ts";
import { createEngine as createTextFsm } from "../../plugins/templates/textfsm/index.ts";
import { createEngine as createTtp } from "../../plugins/templates/ttp/index.ts";
import { silentLog } from "../../src/base/log.ts";
import { defaultTemplateLimits, type TemplateKit } from "../../src/plugin/template-engine.ts";
import { templateContext } from "../testbed/template-context.ts";
import { cpuMs, type Figures, median, type Work } from "./templates-work.ts";

const [engineName = "", file = "", only] = process.argv.slice(2);
// Written by bench:templates itself.
const work: Work = JSON.parse(readFileSync(file, "utf8"));
const create = { textfsm: createTextFsm, jinja2: createJinja2, ttp: createTtp }[engineName];
if (!create) throw new Error(`there is no engine ${engineName}`);

const kit: TemplateKit = {
  log: silentLog,
  settings: {},
  limits: defaultTemplateLimits,
  readTemplate: () => undefined,
  library: () => ({ installed: false, list: () => [], read: () => undefined }),
};

/** First use in an engine: compiles every template and runs every input once. */
async function firstUse() {
  const engine = create?.(kit);
  const from = cpuMs();
  const compiled = await Promise.all(work.templates.map(({ source, args }) => engine?.compile(source, args)));
  const made = cpuMs();
  const runAll = () => {
    for (const [at, input] of work.runs) {
      const template = compiled[at];
      const result = template?.runJson
        ? template.runJson(input, templateContext)
        : template?.run(input, templateContext);
      // A string rope is only flattened when read.
      if (typeof result === "string") result.charCodeAt(result.length - 1);
      else JSON.stringify(result);
    }
  };
  runAll();
  return { compile: made - from, run: cpuMs() - made, runAll };
}

const blocks = 5;
/** After this time, a process counts as fully warmed up. */
const warmUpMs = 15_000;

/** Runs until two consecutive blocks were no faster: with hundreds of templates the JIT takes seconds. */
function warmUp(work: () => void) {
  const end = cpuMs() + warmUpMs;
  for (let best = Number.POSITIVE_INFINITY, calm = 0; calm < 2 && cpuMs() < end; ) {
    let rounds = 0;
    const from = cpuMs();
    for (; cpuMs() - from < 1_000; rounds++) work();
    const took = (cpuMs() - from) / rounds;
    calm = took < best * 0.98 ? 0 : calm + 1;
    best = Math.min(best, took);
  }
}

const { runAll, ...cold } = await firstUse();
if (only === "cold") {
  console.log(JSON.stringify({ cold }));
  process.exit(0);
}
warmUp(runAll);
const warm: Figures["cold"][] = [];
for (let round = 0; round < 5; round++) {
  // Drop these templates, or they would add memory that the first measurement did not have.
  const { compile, run } = await firstUse();
  warm.push({ compile, run });
}
Bun.gc(true);
const kept = Array.from({ length: blocks }, () => {
  const from = cpuMs();
  for (let n = 0; n < work.repeat; n++) runAll();
  return (cpuMs() - from) / work.repeat;
});
const figures: Figures = {
  cold,
  first: {
    compile: median(warm.map(({ compile }) => compile)),
    run: median(warm.map(({ run }) => run)),
  },
  kept: median(kept),
};
console.log(JSON.stringify(figures));
