/** Judges the gates of a change: what its sentinels have answered, and what its questions are answered now. */
import { inconclusiveSeconds, questionMs } from "../../api/changes/change-gates.ts";
import { entryKey } from "../../api/inventory/inventory.ts";
import type { Check } from "../../api/jobs/checks.ts";
import type { Caller } from "../../auth/port.ts";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { needsBefore } from "../../checks/plan.ts";
import type { GateJobs } from "../../jobs/port.ts";
import { changeParts, type Store, type StoredChange } from "../../store/port.ts";
import type { StoredPlan } from "../planning/plan.ts";
import type { ChangeOwner } from "../reach.ts";
import { readRequest, unreadable } from "../request.ts";
import type { Claims } from "../rollout/claims.ts";
import { partOf, type TargetReading } from "../targets.ts";
import { judgingOf, type Said, verdictOf, writeJudging } from "./judging.ts";
import { answerOfJob, type SentinelAnswer, type SentinelAnswers, sentinelGates } from "./sentinels.ts";

export interface GateTools {
  readonly store: Pick<Store, "changes" | "clock">;
  readonly jobs: Pick<GateJobs, "askQuestion">;
  readonly reading: TargetReading;
  readonly claims: Claims;
  readonly log: Log;
  ownerOf(of: ChangeOwner): Promise<Caller | undefined>;
  /** The questions of a change were answered, or could not be asked. */
  onSaid(): void;
}

/** An inconclusive question is asked again after this part of the time for it, but not at once. */
const againPart = 0.1;
const leastAgainMs = 1_000;
/** Another node asks after so much more than the questions may take. */
const claimMs = 2_000;
const maxDetail = 1_000;

export function createGateJudge({ store, jobs, reading, claims, log, ownerOf, onSaid }: GateTools) {
  const { changes, clock } = store;
  const stopping = new AbortController();

  async function answers(bulkId: string | undefined): Promise<SentinelAnswers> {
    const found = new Map<string, SentinelAnswer>();
    if (bulkId === undefined) return found;
    for await (const job of reading.jobsOf(bulkId, { result: true }))
      found.set(entryKey(job.device ?? ""), answerOfJob(job));
    return found;
  }

  async function ofSentinels(
    change: StoredChange,
    plan: StoredPlan,
    entries: readonly (readonly Check[])[],
  ): Promise<Said["gates"]> {
    if (plan.sentinels.length === 0) return [];
    const bulks = (await changes.bulks(change.id)).filter(({ phase }) => phase === "judging");
    const part = partOf(change, "judging");
    const now = bulks.find((bulk) => changeParts.write(bulk) === part);
    const [first] = bulks
      .filter(({ number }) => number === 0)
      .toSorted((one, other) => other.attempt - one.attempt);
    const compares = entries.flat().some(needsBefore);
    const before = change.wave === 0 ? undefined : await answers(compares ? first?.bulkId : undefined);
    return sentinelGates(plan, entries, await answers(now?.bulkId), before);
  }

  /** @param again until when, and how soon, inconclusive questions are asked again */
  async function say(
    at: StoredChange,
    gates: Said["gates"],
    again?: { readonly until: number; readonly inMs: number },
  ): Promise<void> {
    const now = clock.wall();
    const verdict = verdictOf(gates);
    const asksAgain = verdict.is === "inconclusive" && again !== undefined && now < again.until;
    const where = at.wave === 0 ? "before the first wave" : `wave ${at.wave}`;
    const all = gates.map((one) => `${one.gate}: ${one.verdict}, ${one.reason}`).join("; ");
    await changes.move(
      at,
      {
        judging: writeJudging({ ...judgingOf(at), said: { at: now, ...verdict, gates: [...gates] } }),
        dueAt: asksAgain ? now + again.inMs : null,
      },
      { what: "judged", detail: `${where}: ${verdict.is}: ${all}`.slice(0, maxDetail), by: null },
    );
  }

  async function pause(change: StoredChange, reason: string): Promise<void> {
    await changes.move(
      change,
      { state: "paused", reason, dueAt: null },
      { what: "paused", detail: reason, by: null },
    );
  }

  return {
    /** Questions are asked in the background: other changes need not wait for their answers. */
    async judge(change: StoredChange, plan: StoredPlan): Promise<void> {
      const request = readRequest(change.request);
      if (request === undefined) return pause(change, unreadable);
      const entries = (request.sentinels ?? []).map(({ checks }) => checks);
      const sentinels = await ofSentinels(change, plan, entries);
      const questions = (request.strategy?.questions ?? [])
        .map((question, at) => ({ question, gate: question.name ?? `question ${at + 1}` }))
        .filter(({ question }) => change.wave > 0 || question.before !== false);
      if (questions.length === 0 || sentinels.some(({ verdict }) => verdict === "failed"))
        return say(change, sentinels);
      const owner = await ownerOf(change);
      if (owner === undefined)
        return pause(change, `${change.submitter} has no rights any more: nothing was asked`);
      const judging = judgingOf(change);
      const since = judging.since ?? clock.wall();
      const limitMs = Math.max(...questions.map(({ question }) => questionMs(question))) + claimMs;
      // Another node asks only if this one has not said anything by then, or ends.
      const claim = {
        ...claims.until(clock.wall() + limitMs),
        judging: writeJudging({ ...judging, since, said: null }),
      };
      const detail = questions.map(({ gate }) => gate).join(", ");
      if ((await changes.move(change, claim, { what: "asking", detail, by: null })) !== true) return;
      const at = { ...change, ...claim, step: change.step + 1 };
      const inconclusiveMs = inconclusiveSeconds(request.strategy) * 1_000;
      const again = {
        until: since + inconclusiveMs,
        inMs: Math.max(leastAgainMs, inconclusiveMs * againPart),
      };
      // A sentinel that could not be read is not read again before somebody has looked.
      const isReadable = sentinels.every(({ verdict }) => verdict === "passed");
      void Promise.all(
        questions.map(async ({ question, gate }) => ({
          gate,
          ...(await jobs.askQuestion(question, owner, stopping.signal)),
        })),
      )
        .then((gates) => say(at, [...sentinels, ...gates], isReadable ? again : undefined))
        .catch((error: unknown) => {
          if (stopping.signal.aborted) return;
          log.warn("change.not_judged", { change: change.id, reason: messageOf(error) });
        })
        .finally(onSaid);
    },
    stop: () => stopping.abort(),
  };
}
