/**
 * Submits the plan while nodes go down and come back: if a response is lost, it retries with the same
 * Idempotency-Key.
 */
import * as v from "valibot";
import { pause } from "../../src/base/time/deadline.ts";
import { apiKey, type ChaosNode } from "./node.ts";
import type { PlannedJob, Stream, Submission } from "./plan.ts";
import type { Random } from "./random.ts";

export interface AcceptedJob extends PlannedJob {
  readonly id: string;
  /** Position in the order of acceptance of its stream. */
  readonly order: number;
}

export interface Try {
  /** Wall clock time. */
  readonly at: number;
  readonly ms: number;
  readonly node: string;
  /** HTTP status; `none`: no connection, or it was closed; `hung`: no response within the client's timeout. */
  readonly status: number | "none" | "hung";
  readonly retryAfter: boolean;
}

export interface Load {
  readonly accepted: readonly AcceptedJob[];
  readonly tries: readonly Try[];
  /** Responses that no client should get. */
  readonly refusals: readonly string[];
  /** Resolves when everything is accepted, or the time is over. */
  readonly done: Promise<void>;
  stop(): void;
}

export interface LoadOptions {
  readonly streams: readonly Stream[];
  readonly nodes: readonly ChaosNode[];
  readonly random: Random;
  /** Progress of the disturbances, 0 to 1; the plan is submitted at the same pace. */
  progress(): number;
}

/** Longer than the service may take to answer with 503. */
const patienceMs = 6_000;
const ticket = v.object({ data: v.object({ id: v.string() }) });
const bulkTickets = v.object({
  data: v.object({ succeeded: v.array(v.object({ id: v.string() })), failed: v.array(v.string()) }),
});

export function startLoad({ streams, nodes, random, progress }: LoadOptions): Load {
  const total = streams.flat().reduce((sum, one) => sum + one.jobs.length, 0);
  const accepted: AcceptedJob[] = [];
  const tries: Try[] = [];
  const refusals: string[] = [];
  let sent = 0;
  let stopped = false;

  async function run(stream: Stream): Promise<void> {
    let order = 0;
    let node = random.below(nodes.length);
    for (const submission of stream) {
      while (!stopped && sent > total * progress()) await pause(20);
      sent += submission.jobs.length;
      // A host's jobs go through varying nodes.
      if (random.chance(0.3)) node = random.below(nodes.length);
      const ids = await submit(submission, () => nodes[node++ % nodes.length]);
      for (const [at, job] of submission.jobs.entries()) {
        const id = ids[at];
        if (id !== undefined) accepted.push({ ...job, id, order: order++ });
      }
    }
  }

  async function submit(submission: Submission, next: () => ChaosNode | undefined): Promise<string[]> {
    let node = next();
    while (!stopped && node) {
      const answer = await attempt(submission, node);
      if (answer === "again") {
        await pause(50 + random.below(150));
        node = next();
        continue;
      }
      if (answer.length !== submission.jobs.length)
        refusals.push(`${submission.key}: ${answer.length} of ${submission.jobs.length} jobs were taken`);
      return answer;
    }
    return [];
  }

  async function attempt(submission: Submission, node: ChaosNode): Promise<string[] | "again"> {
    const at = Date.now();
    const from = performance.now();
    const tell = (status: Try["status"], retryAfter = false) =>
      tries.push({ at, ms: performance.now() - from, node: node.name, status, retryAfter });
    try {
      const response = await fetch(node.url + submission.path, {
        method: "POST",
        headers: {
          "X-API-KEY": apiKey,
          "Content-Type": "application/json",
          "Idempotency-Key": submission.key,
        },
        body: submission.body,
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await response.text();
      tell(response.status, response.headers.has("Retry-After"));
      if (response.ok) return idsOf(submission, JSON.parse(text));
      if (response.status === 503 || response.status === 429) return "again";
      refusals.push(`${submission.key}: ${response.status} ${text.slice(0, 300)}`);
      // A server error is a breach, but the same submission must succeed later.
      return response.status >= 500 ? "again" : [];
    } catch (error) {
      if (error instanceof v.ValiError || error instanceof SyntaxError) throw error;
      tell(error instanceof Error && error.name === "TimeoutError" ? "hung" : "none");
      return "again";
    }
  }

  return {
    accepted,
    tries,
    refusals,
    done: Promise.all(streams.map(run)).then(() => {}),
    stop() {
      stopped = true;
    },
  };
}

function idsOf(submission: Submission, answer: unknown): string[] {
  if (submission.path === "/device/execute") return [v.parse(ticket, answer).data.id];
  return v.parse(bulkTickets, answer).data.succeeded.map(({ id }) => id);
}
