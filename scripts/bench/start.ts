/** `bun run bench:start`: time from start to the first 200 and idle memory, from source and of the binary. JSON. */
import { existsSync } from "node:fs";
import process from "node:process";
import { type Idle, startOnce } from "./rows/shared-start.ts";

const runs = 7;

interface Figures {
  startMs: { median: number; min: number; all: number[] };
  cpuMs: { median: number; min: number };
  idleMB: Idle | undefined;
}

const figures: Record<string, Figures> = { source: await measure([process.execPath, "src/main.ts"]) };
if (existsSync("dist/patchbay")) figures.binary = await measure(["dist/patchbay"]);
console.log(JSON.stringify({ bench: "start", runs, figures }, null, 2));

async function measure(program: string[]): Promise<Figures> {
  const all: number[] = [];
  const cpu: number[] = [];
  let idleMB: Idle | undefined;
  for (let run = 0; run < runs; run++) {
    const { ms, cpuMs, idle } = await startOnce([...program, "serve"], run === runs - 1);
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
