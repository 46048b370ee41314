/**
 * `bun run bench:start`: time to the first 200 and idle memory by part, for Bun with a one-line server, from
 * source, and for the binary with a new and an existing directory. Prints JSON.
 */
import { existsSync, rmSync } from "node:fs";
import process from "node:process";
import { bareServer, dataFolder, type Idle, startOnce } from "./rows/shared-start.ts";

const runs = 7;

interface Figures {
  startMs: { median: number; min: number; all: number[] };
  cpuMs: { median: number; min: number };
  idleMB: Idle | undefined;
}

const figures: Record<string, Figures> = {
  bare: await measure(bareServer),
  source: await measure([process.execPath, "src/main.ts", "serve"]),
};
if (existsSync("dist/patchbay")) {
  const data = dataFolder();
  figures.binary = await measure(["dist/patchbay", "serve"]);
  figures.binaryAgain = await measure(["dist/patchbay", "serve"], data);
  rmSync(data, { recursive: true, force: true });
}
console.log(JSON.stringify({ bench: "start", runs, figures }, null, 2));

async function measure(program: readonly string[], data?: string): Promise<Figures> {
  const all: number[] = [];
  const cpu: number[] = [];
  let idleMB: Idle | undefined;
  for (let run = 0; run < runs; run++) {
    const { ms, cpuMs, idle } = await startOnce(program, run === runs - 1, data);
    all.push(Math.round(ms));
    cpu.push(Math.round(cpuMs));
    idleMB = idle;
  }
  return { startMs: { ...middleOf(all), all }, cpuMs: middleOf(cpu), idleMB };
}

function middleOf(values: readonly number[]): { median: number; min: number } {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: sorted[runs >> 1] ?? 0, min: sorted[0] ?? 0 };
}
