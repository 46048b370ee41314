/** Executes a firing: submits its request as the owner of the schedule, exactly once across retries. */

import type { Body } from "../api/body.ts";
import { readSpec, type ScheduleSpec } from "../api/schedules/schedule.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { errorSentence } from "../base/issues.ts";
import type { Jobs } from "../jobs/port.ts";
import type { NodeFence, Schedules as StoredSchedules, TakenFiring } from "../store/port.ts";
import { requireRights, runOf } from "./check.ts";
import { keyIsGone } from "./record.ts";

/** Runs firings that are neither query nor push. */
export interface OtherWork {
  /** @returns the result in one sentence. */
  sync?(source: string, by: Caller): Promise<string>;
  /** Like POST /drift/run. @returns the result in one sentence. */
  drift?(body: unknown, by: Caller): Promise<string>;
  /** Like POST /recipe/{name}/run. @returns the result in one sentence. */
  recipe?(name: string, body: Body, by: Caller, idempotencyKey: string): Promise<string>;
  /** Like POST /inventory/discover. */
  discover?(body: Body, by: Caller, idempotencyKey: string): Promise<{ bulk_id: string }>;
  /** Like POST /history/take. */
  history?(body: Body, by: Caller, idempotencyKey: string): Promise<{ bulk_id: string }>;
}

export interface FiringTools {
  readonly jobs: Pick<Jobs, "bulk" | "cancelBulk">;
  readonly store: { readonly schedules: Pick<StoredSchedules, "settle"> };
  readonly work: OtherWork;
  /** The current key; undefined if it is revoked or expired. */
  ownerOf(keyId: string): Promise<Caller | undefined>;
}

export type FiringEnd = Parameters<StoredSchedules["settle"]>[2];

/** Idempotency keys are kept for a day: an older firing may or may not have been submitted. */
const surelyOnceMs = 23 * 3_600_000;
/** How long a firing is retried while the service cannot accept it. */
const patienceMs = 3_600_000;
const passing = new Set(["Unavailable", "TooManyRequests", "StorageFull", "InProgress", "ResourceExhausted"]);

/** @returns the result; undefined if it must be retried. */
export async function doFiring(
  firing: TakenFiring,
  lease: NodeFence,
  tools: FiringTools,
): Promise<FiringEnd["status"] | undefined> {
  const key = await tools.ownerOf(firing.owner);
  const owner = key && { ...key, submitter: { kind: "schedule", name: firing.name } as const };
  const end = await endOf(firing, owner, tools);
  if (end === undefined) return undefined;
  const by = owner ?? { keyId: firing.owner, name: "schedule", from: null };
  const settled = await tools.store.schedules.settle(lease, firing, end, by);
  return settled ? end.status : undefined;
}

async function endOf(
  firing: TakenFiring,
  owner: Caller | undefined,
  tools: FiringTools,
): Promise<FiringEnd | undefined> {
  if (owner === undefined) return { status: "failed", reason: keyIsGone };
  if (firing.damaged)
    return {
      status: "failed",
      reason: "its request cannot be opened: it is damaged; create the schedule again",
    };
  if (firing.ageMs > surelyOnceMs)
    return {
      status: "missed",
      reason: "its node died a day ago without finishing it: it may have been submitted",
    };
  try {
    return await submit(firing, owner, tools);
  } catch (error) {
    const canPass = !(error instanceof ServiceError) || passing.has(error.kind);
    if (canPass && firing.ageMs < patienceMs) return undefined;
    return { status: "failed", reason: errorSentence(error) };
  }
}

async function submit(firing: TakenFiring, owner: Caller, { jobs, work }: FiringTools): Promise<FiringEnd> {
  const { scheduleId, dueAt, overlap, lastBulk, request } = firing;
  const spec = readSpec(firing.spec);
  const { kind, source } = spec.what;
  const key = `schedule:${scheduleId}:${dueAt}`;
  if (kind === "sync") {
    requireRights(kind, owner);
    if (!work.sync || !source) return { status: "failed", reason: "this version cannot sync sources" };
    return { status: "done", reason: await work.sync(source, owner) };
  }
  if (kind === "drift") {
    requireRights(kind, owner);
    if (!work.drift) return { status: "failed", reason: "this version cannot compare with intents" };
    return { status: "done", reason: await work.drift(JSON.parse(request ?? "{}"), owner) };
  }
  if (kind === "recipe") {
    requireRights(kind, owner);
    if (!work.recipe) return { status: "failed", reason: "this version cannot run recipes" };
    const { name, body } = runOf(JSON.parse(request ?? "{}"), spec.ticket);
    return { status: "done", reason: await work.recipe(name, body, owner, key) };
  }
  if (overlap === "replace" && lastBulk !== null) await cancelFormer(lastBulk, kind === "query", owner, jobs);
  const body = bodyOf(request ?? "{}", spec);
  const submit = kind === "discover" || kind === "history" ? work[kind] : jobs.bulk;
  if (!submit) return { status: "failed", reason: `this version cannot do the work of the kind ${kind}` };
  return { status: "submitted", bulkId: (await submit(body, owner, key)).bulk_id };
}

/** Does not cancel running pushes, whose state would then be unknown. */
async function cancelFormer(
  id: string,
  force: boolean,
  owner: Caller,
  jobs: FiringTools["jobs"],
): Promise<void> {
  try {
    await jobs.cancelBulk(id, force, owner);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== "NotFound") throw error;
  }
}

/** Deterministic, so that retries send the same text. */
function bodyOf(request: string, { label, ticket }: ScheduleSpec): Body {
  const parsed: unknown = JSON.parse(request);
  const fields = typeof parsed === "object" && parsed !== null ? parsed : {};
  const words = Object.entries({ label, ticket }).filter(([name, text]) => text && !(name in fields));
  const more = JSON.stringify(Object.fromEntries(words)).slice(1, -1);
  const rest = request.trimStart().slice(1);
  const text = more === "" ? request : `{${more}${rest.trimStart().startsWith("}") ? "" : ","}${rest}`;
  const value: unknown = JSON.parse(text);
  return { text, value };
}
