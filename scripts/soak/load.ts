/** Generates load on a node, at a steady rate or with fixed concurrency, and counts the outcomes. */
import * as v from "valibot";
import { apiKey, type ChaosNode } from "../chaos/node.ts";
import type { Work, WorkContext, WorkOf } from "./work.ts";

export interface Tally {
  submitted: number;
  finished: number;
  /** Failed as expected: connection refused, or wrong password. */
  refused: number;
  /** Ended in an unexpected state, or with a connection error. */
  otherwise: number;
  /** Refused submissions by status. */
  notTaken: Record<number, number>;
  /** No final state, or the wrong one; the first few with the response. */
  wrong: string[];
  latenciesMs: number[];
}

const answer = v.object({ data: v.object({ id: v.string(), status: v.string() }) });
const waitS = 60;
const headers = { "X-API-KEY": apiKey, "Content-Type": "application/json" };
const maxLatencies = 100_000;

export function createSoakLoad(node: ChaosNode, workOf: WorkOf, context: WorkContext) {
  const tally: Tally = {
    submitted: 0,
    finished: 0,
    refused: 0,
    otherwise: 0,
    notTaken: {},
    wrong: [],
    latenciesMs: [],
  };
  const open = new Set<Promise<void>>();

  async function run(n: number): Promise<void> {
    const work = workOf(n, context);
    const from = performance.now();
    tally.submitted++;
    try {
      const response = await fetch(`${node.url}${work.path}`, {
        method: "POST",
        headers: { ...headers, ...(work.watched ? {} : { Prefer: `wait=${waitS}` }) },
        body: JSON.stringify(work.body),
      });
      const text = await response.text();
      if (!response.ok) return notTaken(response.status, text);
      const other = work.watched ? await readToItsEnd(text) : endedAsWanted(work, text) ? undefined : text;
      if (other !== undefined) return wrong(other);
      if (work.ends === "failed") return void tally.refused++;
      tally.finished++;
      tally.latenciesMs[(tally.finished - 1) % maxLatencies] = performance.now() - from;
    } catch (error) {
      wrong(String(error));
    }
  }

  /** @returns the event text if it does not show a proper end. */
  async function readToItsEnd(submitted: string): Promise<string | undefined> {
    const { id } = v.parse(answer, JSON.parse(submitted)).data;
    const response = await fetch(`${node.url}/job/${id}/events`, { headers });
    // 204: the job has already ended.
    const events = await response.text();
    return response.status === 204 || /"status":"finished"/.test(events) ? undefined : `events: ${events}`;
  }

  function endedAsWanted({ ends }: Work, text: string): boolean {
    return ends === "answered" || v.parse(answer, JSON.parse(text)).data.status === ends;
  }

  /** No id was returned, so nothing was promised and nothing can be lost. */
  function notTaken(status: number, text: string): void {
    tally.notTaken[status] = (tally.notTaken[status] ?? 0) + 1;
    note(`${status} ${text}`);
  }

  function wrong(what: string): void {
    tally.otherwise++;
    note(what);
  }

  function note(what: string): void {
    if (tally.wrong.length < 20) tally.wrong.push(what.slice(0, 400));
  }

  function start(n: number): Promise<void> {
    const job = run(n);
    open.add(job);
    return job.finally(() => void open.delete(job));
  }

  return {
    tally,
    /** Number of jobs that have ended in any way. */
    ended: () => tally.submitted - open.size,
    /** Submits at a fixed rate, regardless of the outcomes. */
    async steadily(perSecond: number, minutes: number): Promise<void> {
      const startedAt = performance.now();
      await new Promise<void>((resolve) => {
        const feeding = setInterval(() => {
          const elapsedMs = Math.min(performance.now() - startedAt, minutes * 60_000);
          const due = Math.floor((elapsedMs / 1000) * perSecond);
          while (tally.submitted < due) void start(tally.submitted);
          if (elapsedMs < minutes * 60_000) return;
          clearInterval(feeding);
          resolve();
        }, 20);
      });
      await Promise.all(open);
    },
    /** Submits `count` in total, `atOnce` concurrently; starts none after the given minutes. */
    async asFastAsItGoes(count: number, atOnce: number, minutes: number): Promise<void> {
      const until = performance.now() + minutes * 60_000;
      const one = async () => {
        while (tally.submitted < count && performance.now() < until) await start(tally.submitted);
      };
      await Promise.all(Array.from({ length: atOnce }, one));
    },
  };
}
