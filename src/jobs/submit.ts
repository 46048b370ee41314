/** Takes one operation: checks it, puts it into the store, wakes the dispatcher. */
import { type Caller, demandScope } from "../auth/caller.ts";
import { ServiceError } from "../base/errors.ts";
import type { JobTicket } from "../model/job.ts";
import { executeRequest } from "../model/request.ts";
import type { NewJob } from "../store/insert.ts";
import type { Store } from "../store/store.ts";
import type { Body } from "./api.ts";
import type { Backlog } from "./backlog.ts";
import type { Plugins } from "./connection.ts";
import { checkShape, refuse } from "./issues.ts";
import { newJob } from "./newjob.ts";
import { checkOperation } from "./operation.ts";
import { demandReach, type ReachTools } from "./reach.ts";
import { toTicket } from "./record.ts";

export interface SubmitTools extends ReachTools {
  readonly store: Store;
  readonly plugins: Plugins;
  readonly backlog: Backlog;
  readonly iso: (ms: number) => string;
  readonly resultTtlMs: number;
  /** Why nothing is taken: the service is stopping, or this node has no life in the store. */
  notReady(): readonly string[];
  /** Wakes the dispatcher; the jobs are with the writer, before whatever it writes now. */
  onQueued(jobs: readonly QueuedJob[]): void;
}

export type QueuedJob = Pick<NewJob, "lane" | "strategy" | "bulkId"> & { readonly caller: string };

export function createSubmit(tools: SubmitTools) {
  const { store, plugins, backlog, iso } = tools;

  return async (body: Body, caller: Caller, key?: string): Promise<JobTicket> => {
    demandScope(caller, "operate");
    const known = await repetition<JobTicket>(tools, "execute", body, caller, key);
    if (known) return known;
    const { connection_args, ...request } = checkShape(executeRequest, body.value);
    const checked = await checkOperation(
      { request, connection: connection_args, text: body.text, configPath: ["config"], bulk: false },
      plugins,
      tools.resultTtlMs,
    );
    if (!checked.ok) return refuse(checked.issues);
    await demandReach(tools, caller, checked);
    demandOpen(tools);
    backlog.demandRoom(caller.keyId, 1);
    const job = newJob(checked.operation, {
      id: store.makeId(),
      bulkId: null,
      caller,
      fingerprint: store.fingerprint,
    });
    const ticket = toTicket(job, iso(store.clock.wall()));
    return (await insertOnce(tools, "execute", [job], ticket, body, caller, key)) ?? ticket;
  };
}

/** @throws ServiceError Unavailable */
export function demandOpen({ notReady }: Pick<SubmitTools, "notReady">): void {
  const [reason] = notReady();
  if (reason !== undefined)
    throw new ServiceError("Unavailable", `Nothing is taken now: ${reason}.`, { retryAfter: 5 });
}

/** Where a submission came in: the same body means another thing elsewhere, and is answered in another shape. */
type Endpoint = "execute" | "bulk";

/** What an earlier submission with this key was answered. @throws ServiceError Conflict when its body was another. */
export async function repetition<T>(
  { store }: Pick<SubmitTools, "store">,
  endpoint: Endpoint,
  body: Body,
  caller: Caller,
  key: string | undefined,
): Promise<T | undefined> {
  if (key === undefined) return undefined;
  if (key.length > 255)
    throw new ServiceError("BadRequest", "The Idempotency-Key is longer than 255 characters.");
  const known = await store.findAnswer(caller.keyId, key);
  return known && sameBody<T>(store, known, endpoint, body);
}

const printed = (endpoint: Endpoint, body: Body) => `${endpoint}\n${body.text}`;

function sameBody<T>(
  store: Store,
  known: { body: string; answer: string },
  endpoint: Endpoint,
  body: Body,
): T {
  // The answer is our own: it was stored with the first submission.
  if (store.isFingerprint(known.body, printed(endpoint, body))) return JSON.parse(known.answer);
  throw new ServiceError(
    "Conflict",
    "This Idempotency-Key was used with another body or endpoint in the last 24 hours.",
  );
}

/** @returns the answer of another submission with the same key that came first. */
export async function insertOnce<T>(
  { store, backlog, onQueued }: SubmitTools,
  endpoint: Endpoint,
  jobs: readonly NewJob[],
  answer: T,
  body: Body,
  caller: Caller,
  key: string | undefined,
): Promise<T | undefined> {
  const print = key === undefined ? "" : store.fingerprint(printed(endpoint, body));
  const once =
    key === undefined
      ? undefined
      : { caller: caller.keyId, key, body: print, token: store.makeId(), answer: JSON.stringify(answer) };
  const queued = jobs
    .filter((job) => job.failure === undefined)
    .map(({ lane, strategy, bulkId }) => ({ lane, strategy, bulkId, caller: caller.keyId }));
  backlog.add(caller.keyId, queued.length);
  let inserted = false;
  try {
    // A free slot's claim joins the transaction of the insert: a job costs one commit less.
    const earlier = await store.insert(jobs, once, () => onQueued(queued));
    inserted = earlier === undefined;
    return earlier && sameBody<T>(store, earlier, endpoint, body);
  } finally {
    // A lane that was told of jobs that are not there finds it empty at its next claim.
    if (!inserted) backlog.add(caller.keyId, -queued.length);
  }
}
