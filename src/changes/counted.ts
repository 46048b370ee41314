/** Counts what is done to changes on this node. */
import type { TargetState } from "../api/changes/change.ts";
import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Changes } from "../store/port.ts";
import type { ChangeCounters } from "./port.ts";

/**
 * The same store; each move that succeeded here is counted, and no other node counts it.
 * @param onState a change may have another state
 */
export function createCountedChanges(
  changes: Changes,
  counters: ChangeCounters,
  log: Log,
  onState: (id: string) => void,
): Changes {
  async function ended(id: string): Promise<void> {
    try {
      const change = await changes.find(id);
      if (change === undefined || change.endedAt === null) return;
      const [plannedAt, counts] = await Promise.all([changes.plannedAt(id), changes.counts(id)]);
      const targets = new Map<TargetState, number>();
      for (const { state, count } of counts) targets.set(state, (targets.get(state) ?? 0) + count);
      const seconds = plannedAt === undefined ? undefined : (change.endedAt - plannedAt) / 1_000;
      counters.changeEnded(change.state, seconds, targets);
    } catch (error) {
      log.warn("change.not_counted", { change: id, reason: messageOf(error) });
    }
  }

  return {
    ...changes,
    async move(at, to, event) {
      const moved = await changes.move(at, to, event);
      if (moved !== true) return moved;
      if (to.state !== undefined) onState(at.id);
      if (to.wave !== undefined && to.wave > 0) counters.waveBegun();
      if (to.state === "stopping")
        counters.changeStopped(event.by === null ? (event.cause ?? "other") : "person");
      if (typeof to.endedAt === "number") await ended(at.id);
      return moved;
    },
    async vote(at, vote, event) {
      const voted = await changes.vote(at, vote, event);
      if (voted) onState(at.id);
      if (voted && vote.verdict === "reject") await ended(at.id);
      return voted;
    },
  };
}
