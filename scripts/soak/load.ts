/** A steady stream of jobs: queries and configuration, pinned and fifo, one in a hundred to a device that is not there. */
import * as v from "valibot";
import type { Fleet } from "../chaos/fleet.ts";
import { apiKey, type ChaosNode } from "../chaos/node.ts";

export interface Tally {
  submitted: number;
  finished: number;
  /** Failed as they had to: nobody listened. */
  refused: number;
  /** Submissions that were answered with an error, by status. */
  notTaken: Record<number, number>;
  /** No final state, or the wrong one; the first few with what was answered. */
  wrong: string[];
  latenciesMs: number[];
}

const answer = v.object({ data: v.object({ id: v.string(), status: v.string() }) });
const waitS = 60;
/** Reserved for this by the system: nothing listens. */
const closedPort = 9;

export function createSoakLoad(node: ChaosNode, fleet: Fleet) {
  // Those of a stranger's driver are for chaos: they take other arguments.
  const devices = fleet.devices.filter(({ driver }) => driver === "netmiko");
  const tally: Tally = { submitted: 0, finished: 0, refused: 0, notTaken: {}, wrong: [], latenciesMs: [] };
  const open = new Set<Promise<void>>();

  function bodyOf(n: number): { body: object; absent: boolean } {
    const device = devices[(n * 7) % devices.length];
    if (!device) throw new Error("there are no devices");
    const absent = n % 100 === 99;
    const connection_args = { ...fleet.connectionOf(device), ...(absent ? { port: closedPort } : {}) };
    const pushes = n % 10 === 3;
    const work = pushes
      ? { config: [`interface Loopback${n}`] }
      : { command: ["show clock", "show version"] };
    // A fifo job logs in anew each time.
    const queue_strategy = n % 5 === 4 ? "fifo" : "pinned";
    return { absent, body: { driver: "netmiko", connection_args, ...work, options: { queue_strategy } } };
  }

  async function run(n: number): Promise<void> {
    const { body, absent } = bodyOf(n);
    const from = performance.now();
    tally.submitted++;
    try {
      const response = await fetch(`${node.url}/device/execute`, {
        method: "POST",
        headers: { "X-API-KEY": apiKey, "Content-Type": "application/json", Prefer: `wait=${waitS}` },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) return notTaken(response.status, text);
      const { status } = v.parse(answer, JSON.parse(text)).data;
      if (!absent && status === "finished") tally.finished++;
      else if (absent && status === "failed") tally.refused++;
      else wrong(text);
      if (!absent) tally.latenciesMs.push(performance.now() - from);
    } catch (error) {
      wrong(String(error));
    }
  }

  /** No id was given out: nothing was promised, and nothing can be lost. */
  function notTaken(status: number, text: string): void {
    tally.notTaken[status] = (tally.notTaken[status] ?? 0) + 1;
    wrong(`${status} ${text}`);
  }

  function wrong(what: string): void {
    if (tally.wrong.length < 20) tally.wrong.push(what.slice(0, 400));
  }

  return {
    tally,
    start(n: number): void {
      const job = run(n);
      open.add(job);
      void job.finally(() => open.delete(job));
    },
    async ended(): Promise<void> {
      await Promise.all(open);
    },
  };
}
