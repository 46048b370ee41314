/** Who sees a change: its author, and callers that may reach all devices of its plan. */
import { requireScope, seesAll } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { reachOf } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import type { Store, StoredChange } from "../store/port.ts";
import { readPlan } from "./planning/plan.ts";

/** With whose rights a change runs. */
export type ChangeOwner = Pick<StoredChange, "holder" | "recipe">;

const pageSize = 1_000;

export function createReach({ changes }: Pick<Store, "changes">) {
  async function maySee(
    {
      id,
      holder,
      hash,
      plan,
    }: Pick<StoredChange, "id" | "holder" | "hash"> & Partial<Pick<StoredChange, "plan">>,
    caller: Caller,
  ): Promise<boolean> {
    if (caller.hosts.length === 0 || holder === caller.keyId || seesAll(caller)) return true;
    // Its devices are those of an earlier plan, or a part of those of the next one.
    if (hash === null) return false;
    const reach = reachOf(caller.hosts);
    const stored = plan === undefined ? (await changes.find(id))?.plan : plan;
    if (readPlan(stored ?? null)?.sentinels.some(({ host }) => !reach.allows(host))) return false;
    for (let after = -1; ; ) {
      const page = await changes.targets(id, { after }, pageSize);
      if (page.some(({ host }) => !reach.allows(host))) return false;
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return after >= 0 || page.length > 0;
      after = last.position;
    }
  }

  return {
    maySee,
    /** @throws ServiceError Forbidden, NotFound */
    async find(id: string, caller: Caller): Promise<StoredChange> {
      requireScope(caller, "read");
      const change = await changes.find(id);
      if (change !== undefined && (await maySee(change, caller))) return change;
      throw new ServiceError("NotFound", `There is no change "${id.slice(0, 64)}".`);
    },
  };
}

export type ChangeReach = ReturnType<typeof createReach>;
