/** The rows of TTP: 1 MB of configuration in a new process and with a cached template, next to Python's ttp. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { childEnvironment } from "../../../src/runtime/child.ts";
import { makeWork, type WorkName } from "../templates-work.ts";
import type { SpeedRow } from "./row.ts";

const own = v.object({
  empty: v.number(),
  load: v.number(),
  compile: v.number(),
  runs: v.array(v.number()),
});
const bare = v.object({ floor: v.number() });
const cost = v.object({ compile: v.number(), run: v.number() });
const python = v.object({ cold: cost, kept: v.number() });

/**
 * Recorded CPU milliseconds of Python's ttp, for machines without it: the measured ratio to ours, times ours
 * of that day.
 */
interface Recorded {
  readonly cold: number;
  readonly kept: number;
}

export const ttpRow = (name: WorkName, title: string, recorded: Recorded): SpeedRow => ({
  name,
  title: `TTP, ${title}, 1 MB, CPU of the first use in a new process`,
  unit: "ms",
  better: "less",
  goal: Math.round(recorded.cold / 5),
  async measure({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), "bench-ttp-"));
    try {
      return measured(name, folder, quick ? 2 : 5, quick ? 8 : 25, recorded);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** The minimum over several processes, because other load only adds time. */
function measured(name: WorkName, folder: string, processes: number, runs: number, recorded: Recorded) {
  const work = makeWork(name);
  const template = join(folder, "template.txt");
  const text = join(folder, "text.txt");
  writeFileSync(template, work.templates[0]?.source ?? "");
  writeFileSync(text, work.runs[0]?.[1] ?? "");
  const all = Array.from({ length: processes }, () => v.parse(own, start("engine", text, template, "1")));
  const long = v.parse(own, start("engine", text, template, String(runs)));
  const floors = Array.from({ length: processes }, () => v.parse(bare, start("floor", text)).floor);
  const firstUse = ({ compile, runs: [first = 0] }: (typeof all)[number]) => compile + first;
  const cold = Math.min(...[...all, long].map(firstUse));
  const kept = Math.min(...long.runs);
  const beside = runPython(folder, work);
  const reference = beside ?? recorded;
  return {
    value: rounded(cold),
    floor: { name: "bare regular expressions, a new process", value: rounded(Math.min(...floors)) },
    details: {
      cold: rounded(cold),
      kept: rounded(kept),
      compile: rounded(Math.min(...all.map((one) => one.compile))),
      "loading the engine from source": rounded(Math.min(...all.map((one) => one.load))),
      "an empty process": rounded(Math.min(...all.map((one) => one.empty))),
      python: beside === undefined ? "recorded: TTP_SRC names no checkout of Python's ttp" : "from TTP_SRC",
      "python cold": rounded(reference.cold),
      "python kept": rounded(reference.kept),
      "times cold": rounded(reference.cold / cold),
      "times kept": rounded(reference.kept / kept),
    },
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Uses the environment of template processes. */
function start(...args: readonly string[]): unknown {
  const script = resolve(import.meta.dirname, "../templates-cold.ts");
  const done = spawnSync(process.execPath, [script, ...args], {
    encoding: "utf8",
    env: childEnvironment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(done.stdout);
}

function runPython(folder: string, work: ReturnType<typeof makeWork>): Recorded | undefined {
  const source = process.env.TTP_SRC;
  if (source === undefined) return undefined;
  const file = join(folder, "work.json");
  writeFileSync(file, JSON.stringify(work));
  const script = resolve(import.meta.dirname, "../templates-python.py");
  const env = { PATH: process.env.PATH, PYTHONPATH: source };
  const done = spawnSync("python3", [script, "ttp", file], { encoding: "utf8", env });
  if (done.status !== 0) throw new Error(`Python's ttp in TTP_SRC does not run: ${done.stderr}`);
  const { cold, kept } = v.parse(python, JSON.parse(done.stdout));
  return { cold: cold.compile + cold.run, kept };
}
