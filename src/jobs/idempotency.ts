/** A submission with an Idempotency-Key is done once: its repeat gets the first answer, whatever became of the first one. */
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import type { Patience } from "../base/patience.ts";
import { differentBody } from "../queue/in-flight.ts";
import type { JobEvents, QueuedJob, Reservation, Submission } from "../queue/port.ts";
import type { NewBulk, NewJob, Store } from "../store/port.ts";
import type { Body } from "./port.ts";
import { stale } from "./selection.ts";

export interface IdempotencyTools {
  readonly store: Store;
  /** Wakes the dispatcher; the jobs are with the writer, before whatever it writes now. */
  onQueued(jobs: readonly QueuedJob[]): void;
  /** Jobs are held for a time or for their bulk. */
  onHeld(bulkId: string | null): void;
  readonly jobEvents: Pick<JobEvents, "submitted">;
}

/** Sealing and writing one of thousands. */
const jobMs = 2;
const longestKey = 255;

/** Where a submission came in: the same body means another thing elsewhere, and is answered in another shape. */
type Endpoint = "execute" | "bulk" | "discover" | `retry of ${string}`;

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
  { store }: Pick<IdempotencyTools, "store">,
  submission: JobSubmission,
): Promise<T | undefined> {
  const { caller, key, patience } = submission;
  if (key === undefined) return undefined;
  if (key.length > longestKey)
    throw new ServiceError("BadRequest", `The Idempotency-Key is longer than ${longestKey} characters.`);
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

export interface JobsToInsert<T> {
  readonly jobs: readonly NewJob[];
  readonly room: Reservation;
  readonly answer: T;
  readonly bulk?: NewBulk | undefined;
  /** Of the inventory by which they were made. */
  readonly revision?: number | undefined;
}

/** @returns the answer of another submission with the same key that came first; `stale`: the inventory has changed. */
export async function insertOnce<T>(
  { store, onQueued, onHeld, jobEvents }: IdempotencyTools,
  submission: JobSubmission,
  { jobs, room, answer, bulk, revision }: JobsToInsert<T>,
): Promise<T | typeof stale | undefined> {
  const { caller, key, patience } = submission;
  const bodyFingerprint = key === undefined ? "" : store.fingerprint(idempotencyInput(submission));
  const once =
    key === undefined
      ? undefined
      : {
          caller: caller.keyId,
          key,
          body: bodyFingerprint,
          token: store.makeId(),
          answer: JSON.stringify(answer),
        };
  const waiting = jobs.filter((job) => job.failure === undefined);
  const isHeld = (job: NewJob) => job.paced === true || job.notBefore !== undefined;
  const queued = waiting
    .filter((job) => !isHeld(job))
    .map(({ lane, strategy, bulkId }) => ({ lane, strategy, bulkId, caller: caller.keyId }));
  room.shrinkTo(waiting.length);
  const [only] = waiting.length === 1 ? waiting : [];
  if (only) jobEvents.submitted(only.id);
  // A free slot's claim joins the transaction of the insert: a job costs one commit less. A lane that was told of jobs
  // that are not there finds it empty at its next claim.
  const inserted = store.jobs.insert(jobs, { once, bulk, revision, onHandedOver: () => onQueued(queued) });
  const earlier = await patience.wait(inserted, jobs.length * jobMs);
  if (earlier === "stale") return stale;
  if (earlier) return answerOfSameBody<T>(store, earlier, submission);
  room.commit();
  if (queued.length < waiting.length) onHeld(jobs[0]?.bulkId ?? null);
  return undefined;
}
