/** Idempotent submissions: a repeat with the same Idempotency-Key gets the first answer. */

import * as v from "valibot";
import type { Body } from "../api/body.ts";
import { shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import type { TimeBudget } from "../base/time/time-budget.ts";
import type { JobEvents } from "../events/notices.ts";
import { differentBody } from "../limits/in-flight.ts";
import type { Reservation, Submission } from "../limits/port.ts";
import type { NewBulk, NewJob, Store } from "../store/port.ts";
import type { QueuedJob } from "./port.ts";
import { stale } from "./request/device/selection.ts";

export interface IdempotencyTools {
  readonly store: Store;
  /** Wakes the dispatcher; the jobs are already queued at the writer, before any later write. */
  onQueued(jobs: readonly QueuedJob[]): void;
  /** Jobs were stored as held, until a time or by their bulk. */
  onHeld(bulkId: string | null): void;
  readonly jobEvents: Pick<JobEvents, "submitted">;
}

/** Time to seal and write one job of a large bulk. */
const jobMs = 2;
const maxKeyLength = 255;

/** The endpoint of a submission: the same body has a different meaning and answer elsewhere. */
type Endpoint = "execute" | "bulk" | "discover" | "take" | "change" | `retry of ${string}`;

export interface JobSubmission {
  readonly endpoint: Endpoint;
  readonly body: Body;
  readonly caller: Caller;
  readonly key: string | undefined;
  readonly budget: TimeBudget;
  /** It is a part of a change, and inserted only if that is still at this step. */
  readonly change?: { readonly id: string; readonly step: number; readonly part: string } | undefined;
}

export function toInFlight({ endpoint, body, caller, key }: JobSubmission): Submission {
  return { caller: caller.keyId, key, endpoint, text: body.text };
}

/** The answer to an earlier submission with this key. @throws ServiceError Conflict if its body differs. */
export async function findIdempotentAnswer<T>(
  { store }: Pick<IdempotencyTools, "store">,
  submission: JobSubmission,
): Promise<T | undefined> {
  const { caller, key, budget } = submission;
  if (key === undefined) return undefined;
  if (key.length > maxKeyLength)
    throw new ServiceError("BadRequest", `The Idempotency-Key is longer than ${maxKeyLength} characters.`);
  const earlier = await budget.wait(store.idempotency.findAnswer(caller.keyId, key));
  return earlier && answerOfSameBody<T>(store, earlier, submission);
}

const answeredBulk = v.looseObject({ bulk_id: v.string() });

/** The bulk that the caller submitted with this key, whatever its body was. */
export async function submittedBulk(
  { idempotency }: Pick<Store, "idempotency">,
  { keyId }: Caller,
  key: string,
): Promise<string | undefined> {
  const earlier = await idempotency.findAnswer(keyId, key);
  return earlier && v.parse(answeredBulk, JSON.parse(earlier.answer)).bulk_id;
}

const idempotencyInput = ({ endpoint, body }: JobSubmission) => `${endpoint}\n${body.text}`;

function answerOfSameBody<T>(
  store: Store,
  earlier: { body: string; answer: string },
  submission: JobSubmission,
): T {
  // Trusted: the answer was stored by the first submission.
  if (store.isFingerprint(earlier.body, idempotencyInput(submission))) return JSON.parse(earlier.answer);
  throw differentBody();
}

export interface JobsToInsert<T> {
  readonly jobs: readonly NewJob[];
  readonly room: Reservation;
  readonly answer: T;
  readonly bulk?: NewBulk;
  /** The inventory revision the jobs are based on. */
  readonly revision?: number;
}

/** @returns the answer of an earlier submission with the same key; `stale` if the inventory has changed. */
export async function insertOnce<T>(
  { store, onQueued, onHeld, jobEvents }: IdempotencyTools,
  submission: JobSubmission,
  { jobs, room, answer, bulk, revision }: JobsToInsert<T>,
): Promise<T | typeof stale | undefined> {
  const { caller, key, budget, change } = submission;
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
  const isHeld = (job: NewJob) => job.paced === true || typeof job.notBefore === "number";
  const queued = waiting
    .filter((job) => !isHeld(job))
    .map(({ lane, strategy, bulkId = null }) => ({ lane, strategy, bulkId, share: shareOf(caller) }));
  room.shrinkTo(waiting.length);
  const [only] = waiting.length === 1 ? waiting : [];
  if (only) jobEvents.submitted(only.id);
  // Notified early, so that the claim of a free slot joins the transaction of the insert and saves a commit. If the
  // insert fails, the claim finds nothing.
  const inserted = store.jobs.insert(jobs, {
    ...{ once, bulk, revision, changeStep: change?.step },
    onHandedOver: () => onQueued(queued),
  });
  const earlier = await budget.wait(inserted, jobs.length * jobMs);
  if (earlier === "stale") return stale;
  if (earlier) return answerOfSameBody<T>(store, earlier, submission);
  room.commit();
  if (queued.length < waiting.length) onHeld(jobs[0]?.bulkId ?? null);
  return undefined;
}
