/** Wall and processor time of one round over all devices. */
import { readFileSync } from "node:fs";
import process from "node:process";

export interface Figures {
  readonly wall_ms: number;
  readonly cpu_ms: number;
}

/** Of a process, all its threads, in milliseconds. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name, in brackets, may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticksPerSecond = 100;
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1000;
}

const ownCpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The round in the middle of several, behind some that warm up. @param pid whose processor time counts; default: this process */
export async function measured(
  rounds: { readonly warm: number; readonly counted: number },
  round: () => Promise<unknown>,
  pid?: number,
): Promise<Figures> {
  const cpu = () => (pid === undefined ? ownCpu() : cpuOf(pid));
  for (let at = 0; at < rounds.warm; at++) await round();
  const walls: number[] = [];
  const cpus: number[] = [];
  for (let at = 0; at < rounds.counted; at++) {
    const [wallBefore, cpuBefore] = [performance.now(), cpu()];
    await round();
    walls.push(performance.now() - wallBefore);
    cpus.push(cpu() - cpuBefore);
  }
  return { wall_ms: middle(walls), cpu_ms: middle(cpus) };
}

function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 10) / 10;
}

export function ratio(one: Figures, floor: Figures): Figures {
  const by = (a: number, b: number) => Math.round((a / b) * 100) / 100;
  return { wall_ms: by(one.wall_ms, floor.wall_ms), cpu_ms: by(one.cpu_ms, floor.cpu_ms) };
}
