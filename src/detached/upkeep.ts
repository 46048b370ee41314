/** Maintains detached tasks: removes those that ended long ago, from their servers and the store. */

import { isOver } from "../api/jobs/detached.ts";
import type { Log } from "../base/log.ts";
import type { Actor, Store, StoredDetachedTask } from "../store/port.ts";
import type { DetachedAccess } from "./port.ts";

export interface DetachedUpkeepTools {
  readonly store: Pick<Store, "detached" | "audit" | "clock">;
  readonly detached: Pick<DetachedAccess, "ask">;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const atOnce = 20;
/** Retry interval for a server that did not answer. */
const againMs = 3_600_000;
/** After this time without an answer, tasks and their sealed logins are removed. */
const unreachableMs = 7 * 24 * 3_600_000;

const upkeep: Actor = { keyId: "upkeep", name: "patchbay", from: null };

export function createDetachedUpkeep({ store, detached, log, signal }: DetachedUpkeepTools) {
  async function forget(task: StoredDetachedTask, outcome: string): Promise<void> {
    await store.detached.forget(task.id);
    const about = { caller: upkeep, host: task.host, jobId: task.id };
    await store.audit.add({ ...about, action: "detached.remove", outcome });
  }

  async function lookAfter(task: StoredDetachedTask): Promise<void> {
    try {
      if (isOver(task.state)) {
        await detached.ask(task, { do: "remove" }, { signal });
        return await forget(task, "removed");
      }
      await detached.ask(task, { do: "look", offset: 0, maxBytes: 0 }, { signal });
    } catch (error) {
      if (signal.aborted) return;
      const silentMs = store.clock.wall() - (task.seenAt ?? task.createdAt);
      log.warn("detached.not_reached", { task: task.id, host: task.host, reason: String(error) });
      if (silentMs > unreachableMs) await forget(task, "forgotten");
    }
  }

  return async (): Promise<void> => {
    for (;;) {
      const tasks = await store.detached.takeDue(againMs, atOnce);
      await Promise.all(tasks.map(lookAfter));
      if (tasks.length < atOnce || signal.aborted) return;
    }
  };
}
