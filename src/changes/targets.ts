/** Devices of a change and the jobs of its bulks, read in pages; and words on them that several files need. */
import {
  type ChangePhase,
  type ChangeTarget,
  type TargetCounts,
  type TargetState,
  targetStates,
} from "../api/changes/change.ts";
import { entryKey } from "../api/inventory/inventory.ts";
import type { ServiceError } from "../base/errors.ts";
import {
  type ChangeMove,
  changeParts,
  type Store,
  type StoredChange,
  type StoredChangeTarget,
  type StoredJob,
  type TargetConditions,
} from "../store/port.ts";
import { judgingOf } from "./gates/judging.ts";
import type { StoredPlan } from "./planning/plan.ts";

const pageSize = 1_000;
/** Results that do not fit into a page. */
const largeAtOnce = 20;

export function createTargetReading({ changes, jobs }: Pick<Store, "changes" | "jobs">) {
  async function targetsOf(id: string, conditions: TargetConditions): Promise<StoredChangeTarget[]> {
    const all: StoredChangeTarget[] = [];
    for (let after = conditions.after ?? -1; ; ) {
      const page = await changes.targets(id, { ...conditions, after }, pageSize);
      all.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return all;
      after = last.position;
    }
  }

  /** Of the wave, or of the return, as far as its phase is at work on them: in the order of that work. */
  async function slicedTargets(
    change: StoredChange,
    states: readonly TargetState[],
  ): Promise<StoredChangeTarget[]> {
    const { id, state, phase, wave, sliceFrom, sliceTo } = change;
    if (state === "returning") {
      const conditions = {
        states,
        after: sliceTo === null ? -1 : sliceTo - 1,
        before: sliceFrom ?? undefined,
      };
      return (await targetsOf(id, conditions)).reverse();
    }
    const before = sliceTo === null ? undefined : sliceTo + 1;
    // Pushes of earlier waves may still wait.
    const isEnd = phase === "confirming" || phase === "cancelling" || phase === "proving";
    return targetsOf(id, { states, ...(isEnd ? {} : { wave }), after: sliceFrom ?? -1, before });
  }

  async function* jobsOf(
    bulkId: string,
    { status, result }: { readonly status?: "failed" | "finished" | undefined; readonly result: boolean },
  ): AsyncGenerator<StoredJob> {
    const parts = { result, asked: false };
    for (let beforeSeq: number | undefined; ; ) {
      const page = await jobs.listed({ bulkId, beforeSeq, status }, pageSize, parts);
      const large: number[] = [];
      for (const { head, job } of page)
        if (job === undefined) large.push(head.seq);
        else yield result ? job.open() : job.bare();
      for (let at = 0; at < large.length; at += largeAtOnce)
        for (const job of await jobs.load(large.slice(at, at + largeAtOnce), parts)) yield job.open();
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      beforeSeq = last.head.seq;
    }
  }

  /** Without the results of those that did not fail. */
  async function allJobs(bulkId: string, status?: "failed"): Promise<StoredJob[]> {
    const all: StoredJob[] = [];
    for await (const job of jobsOf(bulkId, { status, result: status === "failed" })) all.push(job);
    return all;
  }

  async function byDevice(bulkId: string): Promise<ReadonlyMap<string, StoredJob>> {
    const [every, failed] = await Promise.all([allJobs(bulkId), allJobs(bulkId, "failed")]);
    return new Map([...every, ...failed].map((job) => [entryKey(job.device ?? ""), job]));
  }

  /** Failed jobs of the bulk that are not among those, with their results. */
  async function failedJobs(bulkId: string, known: ReadonlySet<string>): Promise<StoredJob[]> {
    const failed: string[] = [];
    for (let beforeSeq: number | undefined; ; ) {
      const page = await jobs.heads({ bulkId, beforeSeq, status: "failed" }, pageSize);
      failed.push(...page.flatMap(({ id }) => (known.has(id) ? [] : [id])));
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) break;
      beforeSeq = last.seq;
    }
    const all: StoredJob[] = [];
    for (let from = 0; from < failed.length; from += pageSize) {
      const ids = failed.slice(from, from + pageSize);
      for (const { job } of await jobs.listed({ ids }, ids.length))
        if (job !== undefined) all.push(job.open());
    }
    return all;
  }

  return { targetsOf, slicedTargets, jobsOf, allJobs, failedJobs, byDevice };
}

export type TargetReading = ReturnType<typeof createTargetReading>;

export function noCounts(): TargetCounts {
  const counts = Object.fromEntries(targetStates.map((state) => [state, 0]));
  // Each state is there.
  return counts as TargetCounts;
}

export function partOf(change: StoredChange, phase: ChangePhase): string {
  const { state, wave, round, sliceFrom: from } = change;
  const returns = state === "returning";
  const attempt = phase === "judging" ? judgingOf(change).attempt : 1;
  return changeParts.write({ phase, returns, number: returns ? round : wave, attempt, from });
}

/** Its first move: an attempt of its own. */
export function returning({ round }: StoredChange): ChangeMove {
  return { state: "returning", round: round + 1, phase: "reading", dueAt: null, endedAt: null };
}

/** After a bulk has ended: the next devices of the phase, or the next. A change that stops only ends what waits. */
export function afterBulk({ state, phase: at, sliceTo }: StoredChange, phase: ChangePhase): ChangeMove {
  const goesOn = state !== "stopping" || at === "cancelling" || at === "proving";
  if (sliceTo === null || !goesOn) return { phase, dueAt: null };
  return { sliceFrom: sliceTo, sliceTo: null, dueAt: null };
}

export function whyNotOf(device: string, { notReturnable, whys }: StoredPlan): string | undefined {
  const at = notReturnable[device];
  return at === undefined ? undefined : whys[at];
}

/** Why the push of the device does not wait for its wave; undefined: it does. */
export function whyNotHeld(device: string, { hold }: StoredPlan): string | undefined {
  if (hold === undefined) return "the change has no hold";
  const at = hold.not[device];
  return at === undefined ? undefined : hold.whys[at];
}

export function canReturn(target: StoredChangeTarget, plan: StoredPlan): boolean {
  const { touched, beforeVersion, device, state } = target;
  return (
    touched === true && beforeVersion !== null && state !== "returned" && whyNotOf(device, plan) === undefined
  );
}

/** Errors that pass by themselves. */
const passing: ReadonlySet<string> = new Set([
  ...["Unavailable", "TooManyRequests", "StorageFull", "InProgress", "ResourceExhausted", "Internal"],
]);

export const isPassing = ({ kind }: ServiceError) => passing.has(kind);

/** As callers see it. */
export function targetRecord(target: StoredChangeTarget, plan: StoredPlan | undefined): ChangeTarget {
  const why = plan && whyNotOf(target.device, plan);
  const noHold = plan?.hold && whyNotHeld(target.device, plan);
  return {
    device: target.device,
    host: target.host,
    wave: target.wave,
    state: target.state,
    reason: target.reason ?? why ?? null,
    sha256: target.sha256,
    before_version: target.beforeVersion,
    after_version: target.afterVersion,
    returnable: target.beforeVersion !== null && why === undefined,
    ...(noHold === undefined ? {} : { no_hold: noHold }),
    job_id: target.jobId,
    return_job_id: target.returnJobId,
  };
}

export function withoutAbsent(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}
