/** What became of a change, from what is stored: the plan, votes, waves, devices, ledger, steps. */
import {
  type ChangeDetail,
  type ChangeReport,
  type ChangeTarget,
  changeLimits,
  type StepRecord,
} from "../../api/changes/change.ts";
import type { Caller } from "../../auth/port.ts";
import type { Store, StoredChange } from "../../store/port.ts";
import { readPlan } from "../planning/plan.ts";
import type { ReportedChange } from "../port.ts";
import type { ChangeReach } from "../reach.ts";
import { noCounts } from "../targets.ts";

export interface ReportTools {
  readonly store: Pick<Store, "changes" | "clock">;
  readonly reach: ChangeReach;
  readonly iso: (ms: number) => string;
  detailOf(change: StoredChange, caller: Caller): Promise<ChangeDetail>;
  targetsAfter(change: StoredChange, after: number, limit: number): Promise<ChangeTarget[]>;
}

const pageSize = 500;

export function createReports({ store, reach, iso, detailOf, targetsAfter }: ReportTools) {
  const { changes, clock } = store;

  return async (id: string, caller: Caller): Promise<ReportedChange> => {
    const change = await reach.find(id, caller);
    const [{ bulks, groups, by_wave, waits_for_you: _waits, ...detail }, begun, all, entries] =
      await Promise.all([
        detailOf(change, caller),
        changes.wavesBegun(change.id),
        changes.steps(change.id, 0, changeLimits.reportedSteps + 1),
        changes.ledgerEntries(change.id),
      ]);
    const steps = all
      .slice(0, changeLimits.reportedSteps)
      .map(({ at, ...step }): StepRecord => ({ ...step, at: iso(at) }));
    const plan = readPlan(change.plan);
    const waves = (plan?.waves ?? []).map((devices, at) => {
      const targets = by_wave[at] ?? noCounts();
      const beganAt = begun.get(at + 1);
      return { number: at + 1, devices, began_at: beganAt === undefined ? null : iso(beganAt), targets };
    });
    const report: ChangeReport = {
      ...detail,
      reported_at: iso(clock.wall()),
      groups: groups.map(({ lines, ...group }) => ({
        ...group,
        lines: lines.slice(0, changeLimits.reportedChars),
        cut: group.cut === true || lines.length > changeLimits.reportedChars,
      })),
      wave_results: waves,
      limits: plan?.rules.limits ?? null,
      returns: bulks.filter(({ returns, phase }) => returns && phase === "pushing").length,
      ledger: entries ?? null,
      steps,
      steps_cut: all.length > steps.length,
    };
    return {
      report,
      async *devices() {
        for (let after = -1; ; ) {
          const page = await targetsAfter(change, after, pageSize);
          if (page.length > 0) yield page;
          if (page.length < pageSize) return;
          after += page.length;
        }
      },
    };
  };
}
