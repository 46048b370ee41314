/** Monitors the service during an attack: its peak memory, and the latency of another key's small requests. */
import { type Memory, memory } from "../soak/watch.ts";
import { type AbusedService, type Answer, job } from "./service.ts";

export interface Watched {
  /** Memory at the start; the preparation's memory is not all released. */
  readonly start: Memory;
  /** Peak of the service and its child processes together. */
  readonly most: Memory;
  /** Peak of their summed RSS. */
  readonly maxRssMb: number;
  readonly slowestMs: number;
  readonly slowest: string;
  readonly probes: number;
  /** Small requests of the other key that were refused, with the message. */
  readonly refused: readonly string[];
  /** Requests that got 503 with Retry-After because of a stalled disk, and succeeded on retry. */
  readonly askedAgain: number;
}

const sampleMs = 100;
const betweenMs = 100;

/** @returns a function that ends the monitoring. */
export function watch(service: AbusedService): () => Promise<Watched> {
  const start = memory(service.pid);
  let most = start;
  let maxRssMb = start.rssMb;
  let slowestMs = 0;
  let slowest = "";
  let probes = 0;
  let askedAgain = 0;
  let over = false;
  const refused: string[] = [];
  const look = () => {
    const now = memory(service.pid);
    if (now.mb > most.mb) most = now;
    maxRssMb = Math.max(maxRssMb, now.rssMb);
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
    return { start, most, maxRssMb, slowestMs, slowest, probes, refused, askedAgain };
  };
}

/** Other load on the machine can block the disk for seconds, so a 503 with Retry-After is retried once. */
const isPassing = ({ status, retryAfter }: Answer) => status === 503 && retryAfter !== undefined;

/** Jobs per second of the other key, best of several rounds: other load can only lower it. */
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
