/**
 * `bun run bench:templates`: the template engines next to Python's libraries, and the round trip through the
 * service. Prints JSON.
 */
import process from "node:process";
import { measurePool } from "./templates-pool.ts";
import { type Figures, type PythonFigures, runOwn, runPython } from "./templates-run.ts";
import { makeWork, type Work, type WorkName } from "./templates-work.ts";

const works: readonly { name: WorkName; engine: string; library: string; goal?: number }[] = [
  { name: "textfsm", engine: "textfsm", library: "textfsm", goal: 5 },
  { name: "jinja2", engine: "jinja2", library: "jinja2", goal: 2 },
  { name: "jinja2-large", engine: "jinja2", library: "jinja2", goal: 2 },
  { name: "ttp-flat", engine: "ttp", library: "ttp", goal: 5 },
  { name: "ttp-nested", engine: "ttp", library: "ttp", goal: 5 },
  { name: "ttp-functions", engine: "ttp", library: "ttp", goal: 5 },
];

const rows = works.flatMap(({ name, engine, library, goal }) => {
  const work = makeWork(name);
  const python = runPython(library, work);
  const rows = [row(name, work, runOwn(engine, work), python, goal)];
  if (name === "textfsm" && python !== undefined) {
    // A single text dominates Python's time, so also report the rest without it.
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
