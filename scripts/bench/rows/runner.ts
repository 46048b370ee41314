/** Measures rows sequentially, each in its own process, so that none affects another's heap or JIT. */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { type SpeedResult, type SpeedRun, speedResult } from "./row.ts";

/** Files of this folder that are not rows. */
const frame = ["row", "run", "runner", "moved"];
/** Of a row: far more than it takes on a quiet machine. */
const limitMs = 900_000;
const printed = v.omit(speedResult, ["seconds"]);

export function rowNames(): string[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -3))
    .filter((name) => !frame.includes(name) && !name.startsWith("shared-"))
    .sort();
}

/** @throws if a name is not a row */
export function chosenRows(names: readonly string[]): string[] {
  const all = rowNames();
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`there is no row ${unknown}; there are ${all.join(", ")}`);
  return names.length === 0 ? all : [...names];
}

export async function runRows(
  names: readonly string[],
  quick: boolean,
  done: (result: SpeedResult) => void,
): Promise<SpeedRun> {
  const load = loadavg()[0] ?? 0;
  const rows: SpeedResult[] = [];
  for (const name of names) {
    const result = await runRow(name, quick);
    rows.push(result);
    done(result);
  }
  const [first] = cpus();
  const machine = { cores: cpus().length, processor: first?.model.trim() ?? "unknown", load };
  return { bench: "all", quick, machine, rows };
}

/** @param environment additional environment variables of the process */
export async function runRow(
  name: string,
  quick: boolean,
  environment: Readonly<Record<string, string>> = {},
): Promise<SpeedResult> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [resolve(import.meta.dirname, "run.ts"), name, ...(quick ? ["--quick"] : [])],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment }, timeout: limitMs },
  );
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err = (err + String(chunk)).slice(-4_000)));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  if (code === 0) return { ...v.parse(printed, JSON.parse(out.trim().split("\n").at(-1) ?? "")), seconds };
  return {
    name,
    title: name,
    unit: "",
    better: "less",
    goal: 0,
    seconds,
    failed: err.trim() || (code === null ? `was ended after ${limitMs / 60_000} minutes` : `exit ${code}`),
  };
}
