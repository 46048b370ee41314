/** Changes that steps of recipes draft: bound to the step by a key, and waited for without a poll. */
import { createHash } from "node:crypto";
import type { Body } from "../../api/body.ts";
import { changeWords } from "../../api/changes/change.ts";
import type { Caller } from "../../auth/port.ts";
import { pause } from "../../base/time/deadline.ts";
import type { Proposal, Store, StoredChange } from "../../store/port.ts";
import type { Changes, DraftingStep, RunChange, RunChanges } from "../port.ts";

/** What drafts them, beside what callers say of changes. */
export interface RunDrafts {
  check(body: Body, caller: Caller): Promise<void>;
  draftOnce(body: Body, proposal: Proposal, caller: Caller): Promise<StoredChange>;
}

/** As records show it. */
export function draftingRun({ recipe, recipeRun: id }: Pick<StoredChange, "recipe" | "recipeRun">) {
  return recipe === null || id === null ? {} : { run: { recipe, id } };
}

/** Who waits for which change. */
export function createStateWaits() {
  const waiting = new Map<string, Set<() => void>>();
  return {
    moved(id: string): void {
      for (const told of waiting.get(id) ?? []) told();
    },
    /** @param isPast looked at once `moved` is heard */
    async next(id: string, isPast: () => Promise<boolean>, forMs: number, signal: AbortSignal) {
      const told = Promise.withResolvers<void>();
      const known = waiting.get(id) ?? new Set();
      waiting.set(id, known.add(told.resolve));
      const over = new AbortController();
      try {
        if (await isPast()) return;
        await Promise.race([told.promise, pause(forMs, AbortSignal.any([signal, over.signal]))]);
      } finally {
        over.abort();
        known.delete(told.resolve);
        if (known.size === 0) waiting.delete(id);
      }
    },
  };
}

interface RunChangesTools {
  readonly store: Pick<Store, "changes" | "clock">;
  readonly changes: Pick<Changes, "say"> & RunDrafts;
  /** Webhooks may tell of it. */
  readonly onMoved: () => void;
  readonly waits: Pick<ReturnType<typeof createStateWaits>, "next">;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const keyOf = ({ key }: Pick<DraftingStep, "key">) => sha256(`recipe ${key}`);

export function createRunChanges({ store, changes, waits, onMoved }: RunChangesTools): RunChanges {
  async function shown({ id, state, reason, revision }: StoredChange): Promise<RunChange> {
    return { id, state, reason, revision, edited: revision === 1 ? null : await store.changes.editor(id) };
  }
  const find: RunChanges["find"] = async (id) => {
    const change = await store.changes.find(id);
    return change && (await shown(change));
  };
  return {
    check: changes.check,
    async draft(body, step, caller) {
      const { recipe, run: id } = step;
      const proposal = { key: keyOf(step), sha256: sha256(body.text), since: 0, origin: "recipe" as const };
      return await shown(await changes.draftOnce(body, { ...proposal, run: { recipe, id } }, caller));
    },
    async drafted(step, { keyId }) {
      const change = await store.changes.proposal(keyId, { key: keyOf(step), since: 0 });
      return change && (await shown(change));
    },
    find,
    async withdraw(id, why) {
      for (;;) {
        const change = await store.changes.find(id);
        if (change === undefined || !changeWords.cancel.some((state) => state === change.state)) return;
        const to = { state: "cancelled", reason: why, endedAt: store.clock.wall() } as const;
        if (!(await store.changes.move(change, to, { what: "cancelled", detail: why, by: null }))) continue;
        onMoved();
        return;
      }
    },
    async say({ id, revision }, word, why, caller) {
      const note = { note: why, revision };
      await changes.say(id, word, { text: JSON.stringify(note), value: note }, caller);
    },
    waitFor: (id, state, forMs, signal) =>
      waits.next(id, async () => (await find(id))?.state !== state, forMs, signal),
  };
}
