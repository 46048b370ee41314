/** Statistics of recently ended jobs, from a bounded backward scan of the event log. */

import {
  type Spread,
  type StatisticsRecord,
  type StatisticsStep,
  statisticsLimits,
} from "../api/admin/statistics.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { giveWay } from "../base/time/yield.ts";
import type { EndedJob, Store } from "../store/port.ts";

export interface StatisticsTools {
  readonly store: Pick<Store, "events" | "clock">;
  readonly iso: (ms: number) => string;
}

/** Entries per read, about 5 ms. */
const stretch = 1_000;
const { steps, changes, errorTypes } = statisticsLimits;

export function createStatistics({ store: { events, clock }, iso }: StatisticsTools) {
  /**
   * Visible jobs that ended since a time, newest first. Yields between reads, because matching a key with a thousand
   * patterns takes time.
   */
  async function endsSince(since: number, caller: Caller): Promise<{ ends: EndedJob[]; complete: boolean }> {
    const ends: EndedJob[] = [];
    const { n: last } = await events.last();
    for (let to = last; to > 0; to -= stretch) {
      if (last - to >= changes) return { ends, complete: false };
      await giveWay(shareOf(caller));
      const page = await events.ends(Math.max(0, to - stretch), to);
      ends.push(...page.ends.filter((end) => end.at >= since && maySeeJob(caller, end)));
      // Entries are in order of time, unless the clock was set.
      if (page.oldestAt === undefined) return { ends, complete: to === last };
      if (page.oldestAt < since) return { ends, complete: true };
    }
    return { ends, complete: true };
  }

  return {
    async statistics(minutes: number, caller: Caller): Promise<StatisticsRecord> {
      requireScope(caller, "read");
      const until = clock.wall();
      const stepMs = (minutes * 60_000) / steps;
      const since = until - minutes * 60_000;
      const { ends: visibleEnds, complete } = await endsSince(since, caller);
      const stepOf = ({ at }: EndedJob) => Math.min(steps - 1, Math.floor((at - since) / stepMs));
      const byStep = Map.groupBy(visibleEnds, stepOf);
      return {
        since: iso(since),
        until: iso(until),
        complete,
        step_seconds: stepMs / 1000,
        counts: countsOf(visibleEnds),
        error_types: typesOf(visibleEnds),
        run: spreadOf(visibleEnds.map(({ durationMs }) => durationMs)),
        wait: spreadOf(visibleEnds.map(({ queueMs }) => queueMs)),
        steps: Array.from({ length: steps }, (_, index) =>
          toStep(iso(since + index * stepMs), byStep.get(index) ?? []),
        ),
      };
    },
  };
}

function toStep(at: string, ends: readonly EndedJob[]): StatisticsStep {
  const { p50, p95 } = spreadOf(ends.map(({ durationMs }) => durationMs));
  return { at, ...countsOf(ends), run_p50: p50, run_p95: p95 };
}

function countsOf(ends: readonly EndedJob[]): StatisticsRecord["counts"] {
  const counts = { finished: 0, failed: 0, cancelled: 0 };
  for (const { status } of ends) counts[status]++;
  return counts;
}

function typesOf(ends: readonly EndedJob[]): Record<string, number> {
  const types = new Map<string, number>();
  for (const { errorType } of ends)
    if (errorType !== null) types.set(errorType, (types.get(errorType) ?? 0) + 1);
  return Object.fromEntries([...types].sort(([, one], [, other]) => other - one).slice(0, errorTypes));
}

function spreadOf(durations: readonly (number | null)[]): Spread {
  const sorted = durations.filter((ms) => ms !== null).sort((a, b) => a - b);
  const at = (share: number) => {
    const ms = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return ms === undefined ? null : ms / 1000;
  };
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}
