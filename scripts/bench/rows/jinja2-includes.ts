/** The row `jinja2-includes`: a round of renders that each include 125 files, next to Python's Jinja2. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { adminKey, startService } from "../../../src/testkit/service.ts";
import { makeTemplateSet, type TemplateSetWork } from "../templates-set/make.ts";
import { createRender } from "../templates-task.ts";
import { cpuMs, median } from "../templates-work.ts";
import type { SpeedRow } from "./row.ts";

export default {
  name: "jinja2-includes",
  title: "Jinja2: 410 renders that each include 125 files (CPU, warm)",
  unit: "s",
  better: "less",
  goal: 0.45,
  async measure({ quick }) {
    const root = mkdtempSync(join(tmpdir(), "template-set-"));
    try {
      const work = makeTemplateSet(root);
      const own = await measureOwn(root, work, quick ? 8 : 20);
      const python = measurePython(root, work, quick ? 3 : 7);
      if (python?.texts.some((text, at) => text !== own.texts[at]))
        throw new Error("Python renders the set otherwise");
      const http = quick ? {} : await measureHttp(root, work);
      return {
        value: own.seconds,
        ...(python && { floor: { name: `Python's Jinja2 ${python.version}`, value: least(python.seconds) } }),
        details: { cold: own.cold, "a new text that includes all of it, ms": own.newTextMs, ...http },
      };
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
} satisfies SpeedRow;

/** The lower quartile, because other load on the machine only adds time. */
function least(seconds: readonly number[]): number {
  const warm = seconds.slice(Math.ceil(seconds.length / 4)).sort((a, b) => a - b);
  return round(warm[warm.length >> 2] ?? 0);
}

async function measureOwn(root: string, { source, args, contexts }: TemplateSetWork, rounds: number) {
  const render = createRender([root]);
  const seconds: number[] = [];
  let texts: string[] = [];
  for (let n = 0; n < rounds; n++) {
    const from = cpuMs();
    texts = [];
    for (const context of contexts) texts.push(await render(source, context, args));
    seconds.push((cpuMs() - from) / 1000);
  }
  const newTexts: number[] = [];
  for (let n = 0; n < 10; n++) {
    const from = cpuMs();
    await render(`{# ${n} #}${source}`, contexts[n] ?? "{}", args);
    newTexts.push(cpuMs() - from);
  }
  return { seconds: least(seconds), cold: round(seconds[0] ?? 0), newTextMs: round(median(newTexts)), texts };
}

const pythonFigures = v.object({
  version: v.string(),
  seconds: v.array(v.number()),
  texts: v.array(v.string()),
});

/** Undefined if Debian's python3-jinja2 is not installed. */
function measurePython(root: string, work: TemplateSetWork, rounds: number) {
  const file = join(root, "work.json");
  writeFileSync(file, JSON.stringify(work));
  const script = resolve(import.meta.dirname, "../templates-set/python.py");
  const done = spawnSync("/usr/bin/python3", [script, root, file, String(rounds)], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.status === 0) return v.parse(pythonFigures, JSON.parse(done.stdout));
  if (done.error !== undefined || /ModuleNotFoundError/.test(done.stderr)) return undefined;
  throw new Error(done.stderr);
}

/** Sequential renders over the API, once the template process is warm. */
async function measureHttp(root: string, { source, args, contexts }: TemplateSetWork) {
  const service = await startService({
    env: { PATCHBAY_LOG_LEVEL: "warn", PATCHBAY_TEMPLATE_ROOTS: root, PATCHBAY_TEMPLATE_PROCESSES: "1" },
  });
  try {
    const times: number[] = [];
    for (let n = 0; n < 600; n++) {
      const context: unknown = JSON.parse(contexts[n % contexts.length] ?? "{}");
      const from = performance.now();
      const response = await fetch(`${service.url}/template/render`, {
        method: "POST",
        headers: { "X-API-KEY": adminKey, "Content-Type": "application/json" },
        body: JSON.stringify({ template: source, args, context }),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(text);
      if (n >= 300) times.push(performance.now() - from);
    }
    return { "over HTTP, p50 ms": round(median(times)) };
  } finally {
    await service.stop();
  }
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
