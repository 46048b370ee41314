/** Alternates contenders: each runs a round over all devices, then the next one, until the result is stable. */
import process from "node:process";
import * as v from "valibot";
import { cpuSeconds } from "../process-cpu.ts";
import type { Address } from "./floor.ts";
import { isSteady, type Round, ratios } from "./measure.ts";

/** A finished round, with the contender's total CPU time at its start. */
interface Done {
  readonly wall_ms: number;
  readonly cpuBefore: number;
}

export interface Side {
  round(): Promise<Done>;
  stop(): void;
}

const done = v.object({ wall_ms: v.number(), cpuBefore: v.number() });

/** Minimum number of rounds, however long they take. */
const fewest = 5;

/** A contender of `side.ts`, in its own process. */
export async function ownProcess(
  name: "floor" | "driver",
  system: string,
  told: { readonly addresses: readonly Address[]; readonly questions: readonly string[] },
): Promise<Side> {
  let next = Promise.withResolvers<Done>();
  const child = Bun.spawn([process.execPath, `${import.meta.dirname}/side.ts`, name, system], {
    stdout: "inherit",
    stderr: "inherit",
    ipc: (message) => next.resolve(v.parse(done, message)),
    onExit: (_child, code) => next.reject(new Error(`${system}: the ${name} ended with ${code}`)),
  });
  const say = (message: object) => {
    next = Promise.withResolvers<Done>();
    child.send(message);
    return next.promise;
  };
  await say(told);
  return { round: () => say({}), stop: () => child.kill() };
}

/** A contender that another process runs. @param pid process whose CPU time counts */
export function otherProcess(pid: number, round: () => Promise<unknown>): Side {
  return {
    async round() {
      const [cpuBefore, before] = [cpuSeconds(pid) * 1000, performance.now()];
      await round();
      return { wall_ms: performance.now() - before, cpuBefore };
    },
    stop() {},
  };
}

export interface Limits {
  /** Uncounted warm-up rounds per contender. */
  readonly warm: number;
  readonly least: number;
  readonly seconds: number;
}

/**
 * @param sides the first one is the floor
 * @returns the rounds of each contender, the same number for all
 */
export async function inTurns(sides: readonly Side[], { warm, least, seconds }: Limits): Promise<Round[][]> {
  for (let at = 0; at < warm; at++) for (const side of sides) await side.round();
  const began = performance.now();
  const all = sides.map((): Done[] => []);
  for (;;) {
    const turn = all[0]?.length ?? 0;
    // Varies the order.
    const order = [...sides.keys()];
    for (const at of turn % 2 === 0 ? order : order.reverse()) {
      const side = sides[at];
      if (side !== undefined) all[at]?.push(await side.round());
    }
    const rounds = all.map(roundsOf);
    const isLate = (performance.now() - began) / 1000 > seconds;
    if (turn >= fewest && (isLate || (turn >= least && steady(rounds)))) return rounds;
  }
}

/** The time between the starts of two rounds counts for the first one. */
function roundsOf(list: readonly Done[]): Round[] {
  return list.slice(0, -1).map(({ wall_ms, cpuBefore }, at) => ({
    wall_ms,
    cpu_ms: (list[at + 1]?.cpuBefore ?? 0) - cpuBefore,
  }));
}

function steady([floor = [], ...others]: readonly Round[][]): boolean {
  return others.every((rounds) => {
    const { wall, cpu } = ratios(rounds, floor);
    return isSteady(wall) && isSteady(cpu);
  });
}
