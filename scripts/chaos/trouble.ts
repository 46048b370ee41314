/** Disturbances of the nodes and their store while jobs run. */
import { pause } from "../../src/base/time/deadline.ts";
import type { ChaosNode } from "./node.ts";
import type { Random } from "./random.ts";
import type { ChaosServer } from "./server.ts";

export interface Trouble {
  /** Number of kills, freezes or outages. */
  count(): number;
  /** From 0 to 1. */
  progress(): number;
  run(): Promise<void>;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

const maxLifeMs = 1_800;

/**
 * Kills at random moments: under load, all nodes at once, together with their store, right after a start and
 * during it.
 */
export function kills(
  nodes: readonly ChaosNode[],
  server: ChaosServer | undefined,
  wanted: number,
  random: Random,
): Trouble {
  let done = 0;
  let lastAt = performance.now();

  async function kill(node: ChaosNode): Promise<void> {
    await node.kill();
    done++;
    lastAt = performance.now();
    node.spawn();
  }

  return {
    count: () => done,
    // Also advances between two kills, because jobs arrive all the time.
    progress: () => (done + Math.min(1, (performance.now() - lastAt) / maxLifeMs)) / wanted,
    async run() {
      while (done < wanted) {
        await pause(random.next() * maxLifeMs);
        const victims = random.chance(0.15) ? nodes.slice(0, wanted - done) : [random.pick(nodes)];
        const whole = victims.length === nodes.length && random.chance(0.5);
        await Promise.all([...victims.map(kill), ...(whole ? [restart(server)] : [])]);
        const victim = random.pick(victims);
        if (done < wanted && random.chance(0.2)) {
          await pause(random.next() * 600);
          await kill(victim);
        }
        await Promise.all(victims.map((node) => node.up()));
      }
    },
  };
}

async function restart(server: ChaosServer | undefined): Promise<void> {
  await server?.kill();
  await server?.start();
}

/**
 * A lease lasts 30 s, a node counts as dead 5 s later, and others check every 10 s: by this time one has
 * taken over.
 */
const takenOverMs = 50_000;
/** By its own clock, a node stops sending after this time. */
const trustMs = 25_000;
const betweenMs = 12_000;

/** Stops each node for longer than its lease and resumes it after, or just when, another one takes over. */
export function freezes(nodes: readonly ChaosNode[], wanted: number, random: Random): Trouble {
  const times = Array.from({ length: wanted }, (_, at) =>
    at % 2 === 0 ? takenOverMs : trustMs + random.next() * (takenOverMs - trustMs),
  );
  const clock = createProgress(times.reduce((sum, ms) => sum + ms + betweenMs, betweenMs));
  let done = 0;
  return {
    count: () => done,
    progress: clock,
    async run() {
      for (; done < wanted; done++) {
        await pause(betweenMs);
        const node = nodes[done % nodes.length];
        node?.freeze();
        await pause(times[done] ?? takenOverMs);
        node?.thaw();
      }
      await pause(betweenMs);
    },
  };
}

const outageMs = 30_000;

/** Makes the libSQL server unavailable: killed and restarted on its data, or frozen, alternating. */
export function outages(server: ChaosServer, wanted: number, spans: Span[]): Trouble {
  const clock = createProgress(wanted * (outageMs + betweenMs) + betweenMs);
  let done = 0;
  return {
    count: () => done,
    progress: clock,
    async run() {
      for (; done < wanted; done++) {
        await pause(betweenMs);
        const from = Date.now();
        if (done % 2 === 0) await server.kill();
        else server.freeze();
        await pause(outageMs);
        const to = Date.now();
        if (done % 2 === 0) await server.start();
        else server.thaw();
        spans.push({ from, to });
      }
      await pause(betweenMs);
    },
  };
}

function createProgress(wholeMs: number): () => number {
  const from = performance.now();
  return () => Math.min(1, (performance.now() - from) / wholeMs);
}
