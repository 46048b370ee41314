/** `bun run bench:templates`: one run of the template engines beside Python's libraries, and of the way through the service. JSON. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { measurePool } from "./templates-pool.ts";
import { makeWork, type Work, type WorkName } from "./templates-work.ts";

const cost = v.object({ compile: v.number(), run: v.number() });
const figures = v.object({ cold: cost, first: cost, kept: v.number() });
const pythonFigures = v.object({ ...figures.entries, library: v.string(), slowestRun: v.number() });
type Figures = v.InferOutput<typeof figures>;
type PythonFigures = v.InferOutput<typeof pythonFigures>;

const works: readonly { name: WorkName; engine: string; library: string; goal?: number }[] = [
  { name: "textfsm", engine: "textfsm", library: "textfsm", goal: 5 },
  { name: "jinja2", engine: "jinja2", library: "jinja2", goal: 2 },
  { name: "jinja2-large", engine: "jinja2", library: "jinja2", goal: 2 },
  { name: "ttp-flat", engine: "ttp", library: "ttp", goal: 5 },
  { name: "ttp-nested", engine: "ttp", library: "ttp", goal: 5 },
  { name: "ttp-functions", engine: "ttp", library: "ttp", goal: 5 },
];

const folder = mkdtempSync(join(tmpdir(), "bench-templates-"));
try {
  const rows = works.flatMap(({ name, engine, library, goal }) => {
    const work = makeWork(name);
    const python = runPython(library, work);
    const rows = [row(name, work, runOwn(engine, work), python, goal)];
    if (name === "textfsm" && python !== undefined) {
      // One text alone is most of what Python takes: what it hides is told, too.
      const others = { ...work, runs: work.runs.filter((_, at) => at !== python.slowestRun) };
      const title = "textfsm, without Python's slowest text";
      rows.push(row(title, others, runOwn(engine, others), runPython("textfsm", others), undefined));
    }
    return rows;
  });
  const unit =
    "CPU milliseconds of all threads; cold: in a new process, first: each template for the first time";
  const pool = await measurePool();
  console.log(JSON.stringify({ bench: "templates", unit, rows, pool: { unit: "ms", ...pool } }, null, 2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function row(name: string, work: Work, own: Figures, python: PythonFigures | undefined, goal?: number) {
  const size = { templates: work.templates.length, texts: work.runs.length };
  const times = python && {
    cold: ratio(total(python.cold), total(own.cold)),
    compile: ratio(python.first.compile, own.first.compile),
    first: ratio(total(python.first), total(own.first)),
    kept: ratio(python.kept, own.kept),
  };
  return {
    work: name,
    ...size,
    own: rounded(own),
    ...(python ? { python: rounded(python), times } : {}),
    goal,
  };
}

function total(one: Figures["cold"]): number {
  return one.compile + one.run;
}
function ratio(a: number, b: number): number {
  return Math.round((10 * a) / b) / 10;
}

function rounded<T extends Figures>({ cold, first, kept, ...rest }: T) {
  const cut = (ms: number) => Math.round(ms * 10) / 10;
  const both = (one: Figures["cold"]) => ({ compile: cut(one.compile), run: cut(one.run) });
  return { ...rest, cold: both(cold), first: both(first), kept: cut(kept) };
}

function write(work: Work): string {
  const file = join(folder, "work.json");
  writeFileSync(file, JSON.stringify(work));
  return file;
}

function runOwn(engine: string, work: Work): Figures {
  const script = resolve(import.meta.dirname, "templates-own.ts");
  const done = spawnSync(process.execPath, [script, engine, write(work)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return v.parse(figures, JSON.parse(done.stdout));
}

/** Undefined where the library is not installed (Debian: python3-textfsm, python3-jinja2; ttp has no package). */
function runPython(library: string, work: Work): PythonFigures | undefined {
  const script = resolve(import.meta.dirname, "templates-python.py");
  for (const python of ["/usr/bin/python3", "python3"]) {
    const done = spawnSync(python, [script, library, write(work)], { encoding: "utf8" });
    if (done.status === 0) return v.parse(pythonFigures, JSON.parse(done.stdout));
    if (done.error === undefined && !/ModuleNotFoundError|ImportError/.test(done.stderr))
      throw new Error(done.stderr);
  }
  return undefined;
}
