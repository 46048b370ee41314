/** Watches a service while it is abused: its most memory, and how long another key's small requests take. */
import { type Memory, memory } from "../soak/watch.ts";
import { type AbusedService, type Answer, job } from "./service.ts";

export interface Watched {
  /** When it began: what the preparation took is not all given back. */
  readonly start: Memory;
  /** Of the service and its processes together, when they held most. */
  readonly most: Memory;
  /** Their resident memory added up, when that was most. */
  readonly mostRssMb: number;
  readonly slowestMs: number;
  readonly slowest: string;
  readonly probes: number;
  /** Small requests of the other key that were not taken, and in which words. */
  readonly refused: readonly string[];
  /** Those that were told to come again, by a disk that stood still, and were served then. */
  readonly askedAgain: number;
}

const sampleMs = 100;
const betweenMs = 100;

/** @returns ends the watch. */
export function watch(service: AbusedService): () => Promise<Watched> {
  const start = memory(service.pid);
  let most = start;
  let mostRssMb = start.rssMb;
  let slowestMs = 0;
  let slowest = "";
  let probes = 0;
  let askedAgain = 0;
  let over = false;
  const refused: string[] = [];
  const look = () => {
    const now = memory(service.pid);
    if (now.mb > most.mb) most = now;
    mostRssMb = Math.max(mostRssMb, now.rssMb);
  };
  const sampling = setInterval(look, sampleMs);

  const small: [name: string, method: string, path: string, body?: object][] = [
    ["submission", "POST", "/device/execute", job("probe", "show")],
    ["list of one", "GET", "/job?limit=1"],
    ["render", "POST", "/template/render", { template: "{{ a }}", context: { a: 1 } }],
    ["small bulk", "POST", "/device/bulk", { driver: "noop", command: "show", devices: [{ host: "probe" }] }],
    ["health", "GET", "/health"],
  ];

  async function probe([name, method, path, body]: (typeof small)[number]): Promise<void> {
    while (!over) {
      const from = performance.now();
      probes++;
      try {
        const ask = () => service.other.call(method, path, body);
        let answer = await ask();
        if (isPassing(answer)) {
          askedAgain++;
          await new Promise((resolve) => setTimeout(resolve, (answer.retryAfter ?? 1) * 1_000));
          answer = await ask();
        }
        if (answer.status >= 300) refused.push(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`);
      } catch (error) {
        refused.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      const ms = performance.now() - from;
      if (ms > slowestMs) [slowestMs, slowest] = [ms, name];
      await new Promise((resolve) => setTimeout(resolve, betweenMs));
    }
  }

  const all = small.map(probe);
  return async () => {
    over = true;
    await Promise.all(all);
    clearInterval(sampling);
    look();
    return { start, most, mostRssMb, slowestMs, slowest, probes, refused, askedAgain };
  };
}

/** Other work on the machine can hold its disk for seconds: whoever is told when to come again does so, once. */
const isPassing = ({ status, retryAfter }: Answer) => status === 503 && retryAfter !== undefined;

/** Jobs a second of the other key, the best of some rounds: other work on the machine only makes it less. */
export async function speed({ other }: AbusedService, rounds: number, jobs: number): Promise<number> {
  let best = 0;
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    let next = 0;
    const one = async () => {
      while (next++ < jobs) {
        const { status, text } = await other.call("POST", "/device/execute", job(`s${next % 50}`, "show"), {
          Prefer: "wait=30",
        });
        if (status !== 201) throw new Error(`a job was not taken: ${status} ${text.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, one));
    best = Math.max(best, jobs / ((performance.now() - from) / 1000));
  }
  return best;
}
