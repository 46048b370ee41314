/** Runs a template engine's work in new processes: ours, and Python's library if installed. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { childEnvironment } from "../../src/runtime/child.ts";
import type { Work } from "./templates-work.ts";

const cost = v.object({ compile: v.number(), run: v.number() });
const coldFigures = v.object({ cold: cost });
const figures = v.object({ ...coldFigures.entries, first: cost, kept: v.number() });
const pythonOnly = { library: v.string(), slowestRun: v.number() };
const pythonColdFigures = v.object({ ...coldFigures.entries, ...pythonOnly });
const pythonFigures = v.object({ ...figures.entries, ...pythonOnly });
export type Figures = v.InferOutput<typeof figures>;
export type PythonFigures = v.InferOutput<typeof pythonFigures>;

/** Cold, first use in a warm process, cached templates. */
export function runOwn(engine: string, work: Work): Figures {
  return v.parse(figures, own(engine, work, []));
}

/** CPU milliseconds of all first uses in a new process, set up like a template process. */
export function runOwnCold(engine: string, work: Work): number {
  const { cold } = v.parse(coldFigures, own(engine, work, ["cold"], childEnvironment));
  return cold.compile + cold.run;
}

/** Undefined if the library is not installed (Debian: python3-textfsm, python3-jinja2; ttp has no package). */
export function runPython(library: string, work: Work): PythonFigures | undefined {
  const printed = python(library, work, []);
  return printed === undefined ? undefined : v.parse(pythonFigures, printed);
}

export function runPythonCold(library: string, work: Work): { library: string; ms: number } | undefined {
  const printed = python(library, work, ["cold"]);
  if (printed === undefined) return undefined;
  const { cold, library: version } = v.parse(pythonColdFigures, printed);
  return { library: version, ms: cold.compile + cold.run };
}

function own(
  engine: string,
  work: Work,
  more: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): unknown {
  const script = resolve(import.meta.dirname, "templates-own.ts");
  return withFile(work, (file) => {
    const done = spawnSync(process.execPath, [script, engine, file, ...more], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      env,
    });
    return JSON.parse(done.stdout);
  });
}

function python(library: string, work: Work, more: readonly string[]): unknown {
  const script = resolve(import.meta.dirname, "templates-python.py");
  return withFile(work, (file) => {
    for (const python of ["/usr/bin/python3", "python3"]) {
      const done = spawnSync(python, [script, library, file, ...more], { encoding: "utf8" });
      if (done.status === 0) return JSON.parse(done.stdout);
      if (done.error === undefined && !/ModuleNotFoundError|ImportError/.test(done.stderr))
        throw new Error(done.stderr);
    }
    return undefined;
  });
}

function withFile<T>(work: Work, use: (file: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "bench-templates-"));
  try {
    const file = join(folder, "work.json");
    writeFileSync(file, JSON.stringify(work));
    return use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
