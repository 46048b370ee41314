/**
 * Whether each push of a change was agreed on: before its entry are those of the start and, where votes were needed, of
 * votes for the same plan. Pure, so that an export is checked as well.
 */
import * as v from "valibot";
import { verdicts } from "../api/changes/change.ts";
import { ledgerActs, type UnapprovedPush } from "../api/ledger/ledger.ts";

/** What is read of the text of an entry that names a change; others are not looked at. */
const changeEntry = v.object({
  seq: v.number(),
  kind: v.picklist([...ledgerActs, "push"]),
  change: v.string(),
  revision_hash: v.optional(v.string()),
  actor: v.object({ name: v.string() }),
  verdict: v.optional(v.picklist(verdicts)),
  needed: v.optional(v.number()),
  returns: v.optional(v.literal(true)),
});
export type ChangeEntry = v.InferOutput<typeof changeEntry>;

/** Undefined: it is about no change, or is damaged, which the chain shows. */
export function changeEntryOf(body: unknown): ChangeEntry | undefined {
  return v.is(changeEntry, body) ? body : undefined;
}

/**
 * @param acts entries of its change, in order
 * @param isWhole false: retention deleted older entries, which may have been the start and votes
 */
export function objectionTo(
  push: ChangeEntry,
  acts: readonly ChangeEntry[],
  isWhole: boolean,
): UnapprovedPush | undefined {
  const before = acts.filter(
    ({ seq, revision_hash }) => seq < push.seq && revision_hash === push.revision_hash,
  );
  const not = (message: string) => ({ seq: push.seq, change: push.change, message });
  const wanted = push.returns ? "change.return" : "change.start";
  const start = before.find(({ kind }) => kind === wanted);
  if (start === undefined) {
    if (!isWhole && before.length === 0) return undefined;
    return not(
      push.returns ? "no return of its change was begun before it" : "its change was not started before it",
    );
  }
  const needed = start.needed ?? 0;
  if (!isWhole || needed === 0) return undefined;
  const given = approvals(before.filter(({ seq }) => seq < start.seq));
  if (given >= needed) return undefined;
  return not(
    `its change needed ${needed} ${needed === 1 ? "approval" : "approvals"} of this plan and had ${given}`,
  );
}

/** The last vote of each person counts. */
function approvals(acts: readonly ChangeEntry[]): number {
  const votes = acts.filter(({ kind }) => kind === "change.vote");
  const byPerson = new Map(votes.map(({ actor, verdict }) => [actor.name, verdict]));
  return [...byPerson.values()].filter((verdict) => verdict === "approve").length;
}

/** Keeps the acts of each change as entries pass in order. */
export function createActs(isWhole: boolean) {
  const byChange = new Map<string, ChangeEntry[]>();
  return {
    /** @returns what is wrong with it */
    entry(entry: ChangeEntry): UnapprovedPush | undefined {
      const acts = byChange.get(entry.change) ?? [];
      if (entry.kind === "push") return objectionTo(entry, acts, isWhole);
      byChange.set(entry.change, [...acts, entry]);
      return undefined;
    },
  };
}
