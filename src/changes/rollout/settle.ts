/** What the ended jobs of a phase mean for its devices. */
import { notWhole } from "../../api/history/history.ts";
import { entryKey } from "../../api/inventory/inventory.ts";
import type { Returns } from "../../history/port.ts";
import type { Store, StoredChange, StoredJob, TargetMove } from "../../store/port.ts";
import type { StoredPlan } from "../planning/plan.ts";
import { canReturn, type TargetReading, whyNotHeld, whyNotOf } from "../targets.ts";
import { openAfter, openOf } from "./open.ts";
import { foundInPlace, marksOf, outcomeOfJob, type TargetOutcome } from "./outcome.ts";

const doubted = `${notWhole}, see its history`;
const jobGone = { reason: "the job of its return is gone" } as const;

/** A return that may have sent lines: what it left is read, and decides. */
function sentBy(outcome: TargetOutcome | undefined): Pick<TargetMove, "state" | "reason"> {
  if (outcome === undefined || outcome.state === "pushed") return {};
  const { reason, touched } = outcome;
  return touched ? { reason } : { state: "not_returned", reason };
}

/** A change as it is moved, and its plan, which is read apart. */
interface Moved {
  readonly change: StoredChange;
  readonly plan: StoredPlan | undefined;
}

export interface SettlingTools {
  readonly store: Pick<Store, "clock">;
  readonly reading: TargetReading;
  readonly returns: Returns;
}

export function createSettling({ reading, returns, store: { clock } }: SettlingTools) {
  const { targetsOf, slicedTargets, failedJobs, jobsOf, byDevice } = reading;

  /** A push that waits in its device, or may do so. */
  function opened({ change, plan }: Moved, device: string, job: StoredJob, marks: string | undefined) {
    const seconds = plan?.hold?.seconds[change.wave - 1];
    if (plan === undefined || seconds === undefined || whyNotHeld(device, plan) !== undefined) return {};
    const { state } = outcomeOfJob(job);
    if (state !== "unknown" && (state !== "pushed" || marks === undefined)) return {};
    const open = openAfter(job, marks, seconds, clock.wall());
    return state === "pushed" ? { state: "unconfirmed" as const, open } : { open };
  }

  const pushedBy = (moved: Moved, position: number, device: string, job: StoredJob, marks?: string) => ({
    ...{ position, jobId: job.id, ...outcomeOfJob(job) },
    ...opened(moved, device, job, marks ?? marksOf(job)),
  });

  /**
   * Failures count while the others of the wave still run.
   * @param known ids of jobs that were asked about before; those found are added
   */
  async function failures(
    { change, plan }: Moved,
    bulkId: string,
    known: Set<string>,
  ): Promise<TargetMove[]> {
    const failed = await failedJobs(bulkId, known);
    if (failed.length === 0) return [];
    const pushing = new Map(
      (await slicedTargets(change, ["pushing"])).map((one) => [entryKey(one.device), one]),
    );
    return failed.flatMap((job): TargetMove[] => {
      known.add(job.id);
      const target = pushing.get(entryKey(job.device ?? ""));
      return target === undefined ? [] : [pushedBy({ change, plan }, target.position, target.device, job)];
    });
  }

  /** Whoever has changed since the plan gets nothing. */
  async function settledReading(change: StoredChange, bulkId: string): Promise<TargetMove[]> {
    const waiting = (await slicedTargets(change, ["waiting"])).filter(
      ({ beforeVersion }) => beforeVersion !== null,
    );
    const [ended, heads] = await Promise.all([
      byDevice(bulkId),
      returns.heads(waiting.map(({ device }) => device)),
    ]);
    const moves: TargetMove[] = [];
    for (const { position, device, beforeVersion } of waiting) {
      const job = ended.get(entryKey(device));
      const read = job && outcomeOfJob(job);
      if (read === undefined || read.state !== "pushed") {
        const reason = `its configuration could not be read before its turn: ${read?.reason ?? "the job is gone"}`;
        moves.push({ position, state: read?.state === "unreachable" ? "unreachable" : "failed", reason });
        continue;
      }
      const head = heads.get(entryKey(device));
      if (head?.isDoubted) {
        const reason = `its configuration before its turn is not known: ${doubted}. Nothing was sent`;
        moves.push({ position, state: "diverged", reason });
        continue;
      }
      if (head?.version === beforeVersion) continue;
      const planned = await returns.version(device, beforeVersion ?? 0);
      if (head !== undefined && planned?.compare === head.compare) continue;
      const reason = `its configuration has changed since the plan: version ${head?.version ?? "?"} in place of ${beforeVersion}. Nothing was sent`;
      moves.push({ position, state: "diverged", reason });
    }
    return moves;
  }

  async function settledPush({ change, plan }: Moved, bulkId: string): Promise<TargetMove[]> {
    const pushing = await slicedTargets(change, ["pushing"]);
    const ended = await byDevice(bulkId);
    const marks = new Map<string, string | undefined>();
    if (plan?.hold !== undefined)
      for await (const job of jobsOf(bulkId, { status: "finished", result: true }))
        marks.set(job.id, marksOf(job));
    return pushing.map(({ position, device }): TargetMove => {
      const job = ended.get(entryKey(device));
      if (job !== undefined) return pushedBy({ change, plan }, position, device, job, marks.get(job.id));
      return { position, state: "unknown", reason: "its job is gone", touched: true };
    });
  }

  /** What the push left: a device that cannot be reached any more may be locked out. */
  async function settledLeft(change: StoredChange, bulkId: string): Promise<TargetMove[]> {
    const pushed = await slicedTargets(change, ["pushed", "unconfirmed"]);
    const [ended, heads] = await Promise.all([
      byDevice(bulkId),
      returns.heads(pushed.map(({ device }) => device)),
    ]);
    return pushed.flatMap(({ position, device }): TargetMove[] => {
      const job = ended.get(entryKey(device));
      if (job === undefined) return [];
      const { state, reason } = outcomeOfJob(job);
      const head = heads.get(entryKey(device));
      if (state === "pushed" && head?.isDoubted)
        return [{ position, reason: `what the push left is not known: ${doubted}` }];
      if (state === "pushed") return [{ position, afterVersion: head?.version ?? null }];
      if (state === "unreachable" || job.errorType === "AuthenticationFailed")
        return [{ position, state: "unknown", reason: `it cannot be reached after the push: ${reason}` }];
      return [{ position, reason: `it could not be read after the push: ${reason}` }];
    });
  }

  /** Of a word to pushes that wait in their devices. What is not known is seen when their timers have ended. */
  async function settledEnds(change: StoredChange, bulkId: string): Promise<TargetMove[]> {
    const targets = await slicedTargets(change, openStates);
    const ended = await byDevice(bulkId);
    return targets.flatMap(({ position, device, open }): TargetMove[] => {
      const job = ended.get(entryKey(device));
      if (job === undefined || open === null) return [];
      const found = foundInPlace(job);
      const { state, reason } = outcomeOfJob(job);
      if (state === "pushed")
        return change.phase === "confirming"
          ? [{ position, state: "pushed", reason: null, open: null }]
          : [{ position, state: "returned", reason: cancelled, touched: false, open: null }];
      if (found === "before") return [{ position, state: "failed", reason, touched: false, open: null }];
      if (found === "other") return [{ position, state: "diverged", reason, open: null }];
      return [{ position, reason }];
    });
  }

  /** Their timers have ended: what runs now was confirmed, or has come back. */
  async function settledProof(change: StoredChange, bulkId: string): Promise<TargetMove[]> {
    const targets = (await slicedTargets(change, openStates)).filter(
      (target) => openOf(target) !== undefined,
    );
    const [ended, heads] = await Promise.all([
      byDevice(bulkId),
      returns.heads(targets.map(({ device }) => device)),
    ]);
    const moves: TargetMove[] = [];
    for (const { position, device, state, beforeVersion, afterVersion } of targets) {
      const job = ended.get(entryKey(device));
      const read = job && outcomeOfJob(job);
      const head = heads.get(entryKey(device));
      const to = (word: TargetMove["state"], reason: string | null, touched = true) =>
        void moves.push({ position, state: word, reason, touched, open: null });
      if (read?.state !== "pushed" || head === undefined) {
        to("unknown", `whether its push was undone could not be read: ${read?.reason ?? "the job is gone"}`);
        continue;
      }
      const [before, after] = await Promise.all(
        [beforeVersion, afterVersion].map((version) =>
          version === null ? undefined : returns.version(device, version),
        ),
      );
      if (before?.compare === head.compare)
        to(change.state === "stopping" ? "returned" : "failed", byItself, false);
      else if (state === "unconfirmed" && after?.compare === head.compare) to("pushed", null);
      else if (after === undefined) to("unknown", `it has not come back: see its version ${head.version}`);
      else to("diverged", `somebody has changed it while its push was unconfirmed: version ${head.version}`);
    }
    return moves;
  }

  async function settledReturn(change: StoredChange, bulkId: string): Promise<TargetMove[]> {
    const targets = await slicedTargets(change, ["returning"]);
    const [ended, heads] = await Promise.all([
      byDevice(bulkId),
      returns.heads(targets.map(({ device }) => device)),
    ]);
    const moves: TargetMove[] = [];
    for (const target of targets) {
      const { position, device, beforeVersion, afterVersion } = target;
      const job = ended.get(entryKey(device));
      const outcome = job && outcomeOfJob(job);
      const not = (reason: string | null, after?: number | null) =>
        void moves.push({
          ...{ position, state: "not_returned", reason },
          ...(after === undefined ? {} : { afterVersion: after }),
        });
      if (change.phase === "pushing") {
        moves.push({
          position,
          ...(job === undefined ? jobGone : { returnJobId: job.id, ...sentBy(outcome) }),
        });
        continue;
      }
      const isLeft = change.phase === "left";
      const head = heads.get(entryKey(device));
      if (outcome?.state !== "pushed" || head === undefined || head.isDoubted) {
        const why = outcome?.state === "pushed" ? doubted : (outcome?.reason ?? "the job is gone");
        // What a return has left there is not known, and is no change by somebody else.
        not(`its configuration could not be read: ${why}`, isLeft ? null : undefined);
        continue;
      }
      const before = await returns.version(device, beforeVersion ?? 0);
      const isBefore = before !== undefined && before.compare === head.compare;
      if (isBefore) moves.push({ position, state: "returned", reason: null });
      else if (isLeft)
        not(target.reason ?? `it differs from version ${beforeVersion}: see its history`, head.version);
      else if (afterVersion !== null && head.version !== afterVersion)
        not(
          `somebody else has changed it since the push (version ${head.version} after ${afterVersion}): nothing was sent`,
        );
      else moves.push({ position, afterVersion: head.version });
    }
    return moves;
  }

  /** Marked to be pushed by a node that ended before it could submit them: no other may do so any more. */
  async function neverBegun({ id, phase }: StoredChange): Promise<TargetMove[]> {
    if (phase !== "pushing") return [];
    const reason = "it had not begun when the change stopped";
    return (await targetsOf(id, { states: ["pushing"] })).map(({ position }) => ({
      ...{ position, state: "skipped", reason, touched: false },
    }));
  }

  async function returnTargets(change: StoredChange, plan: StoredPlan | undefined): Promise<TargetMove[]> {
    const targets = await targetsOf(change.id, {});
    return targets.flatMap((target): TargetMove[] => {
      const { position, device, touched } = target;
      if (touched !== true || plan === undefined) return [];
      if (canReturn(target, plan)) return [{ position, state: "returning", reason: null }];
      return [
        {
          position,
          state: "not_returned",
          reason: whyNotOf(device, plan) ?? "nothing is known to return it to",
        },
      ];
    });
  }

  return {
    failures,
    neverBegun,
    returnTargets,
    /** Of the phase that has ended. */
    settled(change: StoredChange, bulkId: string, plan: StoredPlan | undefined): Promise<TargetMove[]> {
      if (change.state === "returning") return settledReturn(change, bulkId);
      if (change.phase === "reading") return settledReading(change, bulkId);
      if (change.phase === "confirming" || change.phase === "cancelling") return settledEnds(change, bulkId);
      if (change.phase === "proving") return settledProof(change, bulkId);
      return change.phase === "left" ? settledLeft(change, bulkId) : settledPush({ change, plan }, bulkId);
    },
  };
}

/** Of devices on which a timer of ours may run. */
const openStates = ["unconfirmed", "unknown"] as const;
const cancelled = "its push was cancelled: the device has what it had before";
const byItself = "its push was not confirmed in time: the device has what it had before";
