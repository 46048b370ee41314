/** Lists, reads, stops and removes detached tasks. */

import { canonicalHost } from "../api/identity.ts";
import {
  type DetachedTaskPiece,
  type DetachedTaskRecord,
  type DetachedTaskState,
  isOver,
} from "../api/jobs/detached.ts";
import { requireScope, shareOf, submitterNamed } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { type ErrorKind, ServiceError } from "../base/errors.ts";
import { yieldToEventLoop } from "../base/time/yield.ts";
import { requestFields } from "../jobs/request/request-summary.ts";
import type { Admission } from "../limits/port.ts";
import type { Store, StoredDetachedTask } from "../store/port.ts";
import type { DetachedAccess } from "./port.ts";

export interface DetachedTaskTools {
  readonly store: Pick<Store, "detached" | "jobs" | "audit">;
  readonly detached: DetachedAccess;
  readonly admission: Pick<Admission, "connectionTests">;
  readonly iso: (ms: number) => string;
}

export interface DetachedTaskFilter {
  readonly host?: string;
  readonly state?: DetachedTaskState;
  /** `<name>`, `<kind>:<name>` or `me`. */
  readonly submitted_by?: string;
}

const pageSize = 200;
const maxListed = 500;
/** Maximum output per response. */
const pieceBytes = 1024 * 1024;

/** Errors of the request or of this service; all others come from the target server. */
const ours: ReadonlySet<ErrorKind> = new Set([
  ...(["Forbidden", "TooManyRequests", "Unavailable", "Internal", "Cancelled"] as const),
  ...(["WorkerLost", "ResourceExhausted"] as const),
]);

export function createDetachedTasks({ store, detached, admission, iso }: DetachedTaskTools) {
  function toRecord(task: StoredDetachedTask): DetachedTaskRecord {
    const at = (ms: number | null) => (ms === null ? null : iso(ms));
    return {
      id: task.id,
      host: task.host,
      driver: task.driver,
      state: task.state,
      submitted_by: { kind: task.submitterKind, name: task.submitter },
      exit_status: task.exitStatus,
      created_at: iso(task.createdAt),
      started_at: at(task.startedAt),
      ended_at: at(task.endedAt),
      seen_at: at(task.seenAt),
      ...requestFields(task.asked, null, false),
    };
  }

  async function find(id: string, caller: Caller): Promise<StoredDetachedTask> {
    const task = await store.detached.find(id);
    if (task && maySeeJob(caller, task)) return task;
    throw new ServiceError("NotFound", "There is no detached task with that id.");
  }

  /** Opens a session; shares the concurrency limit of connection tests. */
  async function ask(
    task: StoredDetachedTask,
    action: Parameters<DetachedAccess["ask"]>[1],
    caller: Caller,
    signal: AbortSignal,
  ) {
    const leave = admission.connectionTests.take(shareOf(caller));
    try {
      return await detached.ask(task, action, { signal, key: caller });
    } catch (error) {
      if (!(error instanceof ServiceError) || ours.has(error.kind)) throw error;
      const message = `The server ${task.host} did not report on the task: ${error.message}`;
      throw new ServiceError("BusinessFailure", message, { reason: error.kind }, { cause: error });
    } finally {
      leave();
    }
  }

  /** Its job may be about to start it: the server knows nothing of it yet. */
  async function isStarting({ id, state }: StoredDetachedTask): Promise<boolean> {
    if (state !== "starting") return false;
    const status = (await store.jobs.statusesOf([id])).get(id);
    return status === "running" || status === "queued";
  }

  async function refuseWhileStarting(task: StoredDetachedTask): Promise<void> {
    if (!(await isStarting(task))) return;
    const message = "The job that starts this task has not ended: cancel the job.";
    throw new ServiceError("BusinessFailure", message);
  }

  return {
    async detachedTasks(
      { host, state, submitted_by }: DetachedTaskFilter,
      caller: Caller,
      { limit = maxListed, cursor }: { limit?: number; cursor?: string },
    ): Promise<{ tasks: DetachedTaskRecord[]; next: string | undefined }> {
      requireScope(caller, "read");
      const hostKey = host === undefined ? undefined : canonicalHost(host);
      const submitter = submitterNamed(submitted_by, caller);
      const visible: StoredDetachedTask[] = [];
      for (let beforeId = cursor, last = false; visible.length <= limit && !last; ) {
        const page = await store.detached.page({ hostKey, state, submitter, beforeId }, pageSize);
        visible.push(...page.filter((task) => maySeeJob(caller, task)));
        last = page.length < pageSize;
        beforeId = page.at(-1)?.id;
        await yieldToEventLoop();
      }
      const tasks = visible.slice(0, limit);
      return {
        tasks: tasks.map(toRecord),
        next: visible.length > limit ? tasks.at(-1)?.id : undefined,
      };
    },

    async readDetachedTask(
      id: string,
      offset: number,
      caller: Caller,
      signal: AbortSignal,
    ): Promise<DetachedTaskPiece> {
      requireScope(caller, "read");
      const task = await find(id, caller);
      if (await isStarting(task))
        return { ...toRecord(task), output: "", offset, next_offset: offset, size: 0 };
      const action = { do: "look" as const, offset, maxBytes: pieceBytes };
      const answer = await ask(task, action, caller, signal);
      const record = toRecord((await store.detached.find(id)) ?? task);
      const { output = "", nextOffset = offset, size = 0 } = answer ?? {};
      return { ...record, output, offset, next_offset: nextOffset, size };
    },

    async endDetachedTask(
      id: string,
      force: boolean,
      caller: Caller,
      signal: AbortSignal,
    ): Promise<DetachedTaskRecord & { removed: boolean }> {
      requireScope(caller, "operate");
      const task = await find(id, caller);
      await refuseWhileStarting(task);
      const about = { caller, host: task.host, jobId: id };
      if (force || isOver(task.state)) {
        if (!force) await ask(task, { do: "remove" }, caller, signal);
        await store.detached.forget(id);
        await store.audit.add({
          ...about,
          action: "detached.remove",
          outcome: force ? "forgotten" : "removed",
        });
        return { ...toRecord(task), removed: true };
      }
      const answer = await ask(task, { do: "stop" }, caller, signal);
      await store.audit.add({ ...about, action: "detached.stop", outcome: answer?.state ?? "lost" });
      if (answer?.state === "running")
        throw new ServiceError("BusinessFailure", "The task could not be ended: its server still runs it.");
      return { ...toRecord((await store.detached.find(id)) ?? task), removed: false };
    },
  };
}
