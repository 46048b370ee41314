/** Takes one operation: checks it, puts it into the store, wakes the dispatcher. */

import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { createPatience, type Patience } from "../base/patience.ts";
import type { JobTicket } from "../model/job.ts";
import { executeRequest } from "../model/request.ts";
import { differentBody } from "../queue/in-flight.ts";
import type { Admission, Backlog, QueuedJob, Reservation, Submission } from "../queue/port.ts";
import type { NewJob, Store } from "../store/port.ts";
import type { Plugins } from "./connection.ts";
import { checkShape, refuse } from "./issues.ts";
import { newJob } from "./new-job.ts";
import { checkOperation } from "./operation.ts";
import type { Body } from "./port.ts";
import { toTicket } from "./record.ts";
import { type ReachTools, requireReach } from "./request-reach.ts";

export interface SubmitTools extends ReachTools {
  readonly store: Store;
  readonly plugins: Plugins;
  readonly backlog: Backlog;
  readonly admission: Pick<Admission, "inFlight" | "heavyWork" | "rateLimiter">;
  readonly iso: (ms: number) => string;
  readonly resultTtlMs: number;
  /** Why nothing is taken: the service is stopping, or this node holds no lease in the store. */
  notReady(): readonly string[];
  /** Wakes the dispatcher; the jobs are with the writer, before whatever it writes now. */
  onQueued(jobs: readonly QueuedJob[]): void;
}

/** Sealing and writing one of thousands. */
const jobMs = 2;

export function createSubmit(tools: SubmitTools) {
  const { store, plugins, backlog, iso, admission } = tools;

  async function submit(submission: JobSubmission): Promise<JobTicket> {
    const { body, caller } = submission;
    const earlier = await findIdempotentAnswer<JobTicket>(tools, submission);
    if (earlier) return earlier;
    const { connection_args, ...request } = checkShape(executeRequest, body.value);
    const checked = await checkOperation(
      { request, connection: connection_args, text: body.text, configPath: ["config"], bulk: false },
      plugins,
      tools.resultTtlMs,
    );
    if (!checked.ok) return refuse(checked.issues);
    await requireReach(tools, caller, checked);
    requireReady(tools);
    const room = backlog.reserve(caller.keyId, 1);
    try {
      const job = newJob(checked.operation, {
        id: store.makeId(),
        bulkId: null,
        caller,
        fingerprint: store.fingerprint,
      });
      const ticket = toTicket(job, iso(store.clock.wall()));
      return (await insertOnce(tools, submission, [job], room, ticket)) ?? ticket;
    } finally {
      room.release();
    }
  }

  return async (
    body: Body,
    caller: Caller,
    key?: string,
    patience = createPatience(),
  ): Promise<JobTicket> => {
    requireScope(caller, "operate");
    const submission = { endpoint: "execute", body, caller, key, patience } as const;
    return admission.inFlight.run(toInFlight(submission), () => submit(submission));
  };
}

/** @throws ServiceError Unavailable */
export function requireReady({ notReady }: Pick<SubmitTools, "notReady">): void {
  const [reason] = notReady();
  if (reason !== undefined)
    throw new ServiceError("Unavailable", `Nothing is taken now: ${reason}.`, { retryAfter: 5 });
}

/** Where a submission came in: the same body means another thing elsewhere, and is answered in another shape. */
type Endpoint = "execute" | "bulk";

export interface JobSubmission {
  readonly endpoint: Endpoint;
  readonly body: Body;
  readonly caller: Caller;
  readonly key: string | undefined;
  readonly patience: Patience;
}

export function toInFlight({ endpoint, body, caller, key }: JobSubmission): Submission {
  return { caller: caller.keyId, key, endpoint, text: body.text };
}

/** What an earlier submission with this key was answered. @throws ServiceError Conflict when its body was another. */
export async function findIdempotentAnswer<T>(
  { store }: Pick<SubmitTools, "store">,
  submission: JobSubmission,
): Promise<T | undefined> {
  const { caller, key, patience } = submission;
  if (key === undefined) return undefined;
  if (key.length > 255)
    throw new ServiceError("BadRequest", "The Idempotency-Key is longer than 255 characters.");
  const earlier = await patience.wait(store.idempotency.findAnswer(caller.keyId, key));
  return earlier && answerOfSameBody<T>(store, earlier, submission);
}

const idempotencyInput = ({ endpoint, body }: JobSubmission) => `${endpoint}\n${body.text}`;

function answerOfSameBody<T>(
  store: Store,
  earlier: { body: string; answer: string },
  submission: JobSubmission,
): T {
  // The answer is our own: it was stored with the first submission.
  if (store.isFingerprint(earlier.body, idempotencyInput(submission))) return JSON.parse(earlier.answer);
  throw differentBody();
}

/** @returns the answer of another submission with the same key that came first. */
export async function insertOnce<T>(
  { store, onQueued }: SubmitTools,
  submission: JobSubmission,
  jobs: readonly NewJob[],
  room: Reservation,
  answer: T,
): Promise<T | undefined> {
  const { caller, key, patience } = submission;
  const bodyFingerprint = key === undefined ? "" : store.fingerprint(idempotencyInput(submission));
  const idempotency =
    key === undefined
      ? undefined
      : {
          caller: caller.keyId,
          key,
          body: bodyFingerprint,
          token: store.makeId(),
          answer: JSON.stringify(answer),
        };
  const queued = jobs
    .filter((job) => job.failure === undefined)
    .map(({ lane, strategy, bulkId }) => ({ lane, strategy, bulkId, caller: caller.keyId }));
  room.shrinkTo(queued.length);
  // A free slot's claim joins the transaction of the insert: a job costs one commit less. A lane that was told of jobs
  // that are not there finds it empty at its next claim.
  const inserted = store.jobs.insert(jobs, idempotency, () => onQueued(queued));
  const earlier = await patience.wait(inserted, jobs.length * jobMs);
  if (earlier) return answerOfSameBody<T>(store, earlier, submission);
  room.commit();
  return undefined;
}
