/** One attempt at a claimed job, from its claim to its end in the store. */

import type { Discovered } from "../api/inventory/facts.ts";
import type { CheckNote, CheckReport, PushOutcome } from "../api/jobs/checks.ts";
import { readPayload } from "../api/jobs/payload.ts";
import { type ErrorData, type ErrorDetail, ServiceError, toErrorData } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import { abortReason, createDeadline, type Deadline, pause } from "../base/time/deadline.ts";
import { lostReport, outcomeOf, readCheckReport } from "../checks/report.ts";
import type { DetachedAccess } from "../detached/port.ts";
import type { LiveOutput, TakeOutcome } from "../events/notices.ts";
import type { Take, Takes } from "../history/port.ts";
import { accountNamed, type CredentialUse, type LoginGate, type LoginPass } from "../limits/port.ts";
import type { Pool } from "../pool/port.ts";
import type { ReadPart } from "../protocol/task.ts";
import type { LineRecord, Rehearsals } from "../rehearsal/port.ts";
import type { ClaimedJob, Store, TakenConfigurations } from "../store/port.ts";
import type { Tracing } from "../tracing/port.ts";
import type { Finisher } from "./finish.ts";
import { judgeFailure } from "./outcome.ts";
import type { LeaseClock } from "./port.ts";
import { rehearseJob } from "./rehearse-job.ts";
import { failureJson, type Output, partialOutputs, successJson } from "./result.ts";
import { type DeviceQuestion, type JobObserver, runJob } from "./run-job.ts";
import { sentWork, workOf } from "./sent-work.ts";
import { createTranscript, type Transcript, transcriptOf } from "./transcript.ts";

export interface Attempt {
  readonly job: ClaimedJob;
  readonly startedMs: number;
  stop(why: StopReason, error: ServiceError): void;
  /** The lease of the node has ended, temporarily or for good. */
  leaseLapsed(): void;
  /** Whether the first command was recorded as sent. */
  intentRecorded(): boolean;
  /** Resolves when the end is stored, or can no longer be. */
  readonly done: Promise<AttemptEnd>;
}

export type StopReason = "cancel" | "worker" | "drain" | "lease";
/** `requeueLater`: requeued, and not to be claimed again at once. */
export type AttemptEnd = "finished" | "failed" | "requeue" | "requeueLater" | "dropped";

export interface AttemptTools {
  readonly pool: Pool;
  readonly store: Pick<Store, "claims" | "detached" | "recovery">;
  readonly detached: Pick<DetachedAccess, "begin" | "started">;
  readonly finish: Finisher;
  readonly live: LiveOutput;
  readonly log: Log;
  readonly loginGate: LoginGate;
  readonly credentialUse: CredentialUse;
  readonly leaseClock: Pick<LeaseClock, "isValid">;
  readonly crashes: CrashCounter;
  readonly tracing: Pick<Tracing, "attempt">;
  readonly discovered?: (discovered: Discovered) => void;
  readonly takes: Takes;
  readonly rehearsals: Rehearsals;
  /** What pushes teach of lines. */
  readonly lineRecord: Pick<LineRecord, "pushed">;
}

/** Counts worker crashes per job before anything was sent. In memory only; the `ttl` of a job bounds the rest. */
export interface CrashCounter {
  /** @returns the count including this one. */
  add(jobId: string): number;
}

export function createCrashCounter(): CrashCounter {
  const counts = createBoundedCache<number>(10_000);
  return {
    add(jobId) {
      const count = (counts.get(jobId) ?? 0) + 1;
      counts.set(jobId, count);
      return count;
    },
  };
}

/** How long a job that is about to send waits for an unavailable store, holding its session. */
const recordMs = 20_000;
const maxWarnings = 100;
const maxAskedJobs = 1_000;
const recordAgainMs = 200;

export function startAttempt(job: ClaimedJob, tools: AttemptTools): Attempt {
  const { pool, finish, live, log, loginGate } = tools;
  const startedMs = performance.now();
  const settled = Promise.withResolvers<void>();
  const seconds = job.ttlMs / 1000;
  const deadline: Deadline = createDeadline(
    job.ttlMs,
    () =>
      new ServiceError("JobTimeout", `The job did not end within ${seconds} seconds (ttl) and was stopped.`),
  );
  let stopped: StopReason | undefined;
  let sent: readonly string[] = [];
  let intents = 0;
  let warnings: readonly string[] = [];
  let leaseLapsed = false;
  /** Another node has it, or a later attempt. */
  let claimLost = false;
  let answered = false;
  let detaches = false;
  let platform = job.deviceType;
  let checked = false;
  /** Lines are pushed between checks. */
  let isCheckedPush = false;
  /** Progress of a push with checks. */
  let note: CheckNote | undefined;
  let transcript: Transcript | undefined;
  let work: ReturnType<typeof workOf>;
  let given: readonly Output[] = [];
  /** Lines of a push, as they were sent. */
  let pushed: readonly string[] = [];
  let isRehearsal = false;
  let take: Take | undefined;
  let taken: TakenConfigurations | undefined;
  let took: TakeOutcome | undefined;
  let lastIntent: Promise<unknown> = Promise.resolve();
  const trace = tools.tracing.attempt({
    id: job.fence.id,
    number: job.fence.attempt,
    driver: job.driver,
    operation: job.operation,
    platform: job.deviceType ?? undefined,
    host: job.host,
  });

  async function answer(question: DeviceQuestion, pass: LoginPass): Promise<unknown> {
    if (question.about === "hops") return pass.enterHops(question.logins, deadline.signal);
    pass.accepted();
    if (question.about === "ended") return endedJobs(question.jobs);
    if (question.about === "checks") {
      note = question.note;
      // Before the first lines, the note is stored together with them.
      if (intents > 0) await record([]);
      return;
    }
    // Earlier lines are on disk already: record only new ones.
    const lines = startsWith(question.lines, sent) ? question.lines.slice(sent.length) : question.lines;
    if (lines.length > 0) await record(lines);
  }

  /** Of this one, earlier attempts. */
  async function endedJobs(ids: readonly string[]): Promise<readonly string[]> {
    const asked = ids.slice(0, maxAskedJobs);
    const ended = await tools.store.recovery.ended(asked);
    return asked.includes(job.fence.id) ? [...ended, job.fence.id] : ended;
  }

  /** What a rehearsal sends is discarded, also when it is cut off: it may be run again. */
  const mayHaveActed = () => intents > 0 && !isRehearsal;

  /** Serialized, because records are numbered. */
  function record(lines: readonly string[]): Promise<void> {
    const recorded = lastIntent.then(async () => {
      const outcome = await recordIntent(lines);
      if (outcome !== "recorded") throw stopError(outcome);
      intents++;
      sent = [...sent, ...lines];
      // Those of a push are known when they are rendered.
      if (job.operation === "query") transcript?.lines(sent);
    });
    lastIntent = recorded.catch(() => {});
    return recorded;
  }

  /** Nothing is sent before it is recorded. Between two lines a job waits for the store instead of failing at once. */
  async function recordIntent(lines: readonly string[]) {
    const until = performance.now() + recordMs;
    for (;;) {
      try {
        const noteJson = note && JSON.stringify(note);
        return await tools.store.claims.recordIntent(job.fence, lines, intents, noteJson);
      } catch (error) {
        const isPassing = error instanceof ServiceError && error.kind === "Unavailable";
        if (!isPassing || performance.now() > until || !tools.leaseClock.isValid()) throw error;
        log.debug("intent.record_retry", { job: job.fence.id, reason: error.message });
      }
      await pause(recordAgainMs, deadline.signal);
      if (deadline.signal.aborted) throw abortReason(deadline.signal);
    }
  }

  function stopError(outcome: "cancel" | "worker" | "lost"): ServiceError {
    if (outcome === "lost") {
      claimLost = true;
      return new ServiceError("WorkerLost", "The claim of this job was lost: nothing was sent.");
    }
    stopped ??= outcome;
    return stopErrors[outcome]();
  }

  async function run(): Promise<AttemptEnd> {
    live.begin(job.fence.id, job.fence.attempt);
    try {
      const payload = readPayload(job.payload);
      const { host, caller: keyId } = job;
      isRehearsal = payload.rehearsal !== undefined;
      work = workOf(payload);
      if (work) transcript = createTranscript(payload);
      const { credential, reach } = payload;
      await tools.credentialUse.note({ keyId, host, jobId: job.fence.id, credential, reach });
      const account = accountNamed(payload.connection.username, credential);
      const open = () => hasSession(pool, job);
      const pass = await loginGate.enter(job.hostKey, account, deadline.signal, open, payload.through);
      try {
        await tools.detached.begin(job, payload);
        detaches = payload.detached !== undefined;
        checked = payload.checks !== undefined;
        isCheckedPush = checked && payload.operation === "config";
        take = payload.take && (await tools.takes.begin(payload.take));
        const isOpen = payload.ends !== undefined || payload.checks?.holdSeconds !== undefined;
        const markKey = isOpen ? await tools.takes.markKey() : undefined;
        const restored = payload.restore && (await tools.takes.restored(payload.restore, deadline));
        const observer: JobObserver = {
          shows: take?.shows,
          restored,
          markKey,
          answer: (question) => answer(question, pass),
          warned,
          onLines(lines) {
            transcript?.lines(lines);
            const isPush = payload.operation === "config" && payload.driverArgs.dry_run !== true;
            pushed = isPush && restored === undefined ? lines : [];
          },
          onEvent(event) {
            if (event.kind === "step") return trace?.step(event.step);
            if (event.kind === "difference") return transcript?.difference(event.text);
            if (event.kind === "output") transcript?.output(event.text);
            live.add(job.fence.id, event);
          },
          traced: trace !== undefined,
          settled: settled.promise,
          answered(detected) {
            answered = true;
            platform = detected ?? platform;
          },
        };
        const { rehearsal } = payload;
        if (rehearsal !== undefined) {
          const rehearsed = await rehearseJob(
            pool,
            tools.rehearsals,
            job,
            { ...payload, rehearsal },
            deadline,
            observer,
          );
          trace?.end(undefined);
          return await succeed(rehearsed, undefined, undefined);
        }
        const run = () => runJob(pool, job, payload, deadline, observer);
        const { outputs, checks, compared, configuration = [] } = await run();
        pass.accepted();
        if (payload.discovery) tools.discovered?.({ discovery: payload.discovery, platform, outputs });
        if (detaches) await noteTask(tools.detached.started(job.fence.id));
        trace?.end(undefined);
        if (take) {
          const again = async () => (await run()).configuration ?? [];
          return await succeedTake(take, await take.judged(configuration, again));
        }
        return await succeed(outputs, checks, compared);
      } catch (error) {
        if (error instanceof ServiceError) pass.failed(error);
        throw error;
      } finally {
        pass.leave();
      }
    } catch (error) {
      return await fail(error);
    } finally {
      live.end(job.fence.id);
      deadline.dispose();
    }
  }

  async function succeed(
    outputs: readonly Output[],
    checks: CheckReport | undefined,
    compared: boolean | undefined,
  ): Promise<AttemptEnd> {
    given = outputs;
    learn(pushed);
    const { json, tooLarge } = successJson(outputs, undefined, checks, compared);
    return tooLarge ? end("failed", json, "confirmed", "OutputTooLarge") : end("finished", json, "confirmed");
  }

  /** The texts are stored in the history: the result says what was read. */
  async function succeedTake(take: Take, parts: readonly ReadPart[]): Promise<AttemptEnd> {
    taken = await take.taken(parts);
    took = take.outcome(parts);
    warned(take.warnings(parts));
    given = take.outputs(parts);
    return end("finished", successJson(given).json, "confirmed");
  }

  /** Deduplicates warnings: a template is read once per command. */
  function warned(more: readonly string[]) {
    warnings = [...new Set([...warnings, ...more])].slice(0, maxWarnings);
  }

  async function fail(error: unknown): Promise<AttemptEnd> {
    const data = toErrorData(error, "DriverError");
    trace?.end(data.kind);
    warned(data.detail?.warnings ?? []);
    if (!(error instanceof ServiceError))
      log.error("job.unexpected", { job: job.fence.id, reason: String(error) });
    const verdict = judgeFailure({
      crashes: diedUnderIt(data) ? tools.crashes.add(job.fence.id) : 0,
      lostAttempts: job.lostAttempts,
      retries: job.retries,
      intentRecorded: mayHaveActed(),
      sent: mayHaveActed() ? sent : job.sentBefore,
      error: data,
      answered,
      leaseLapsed: leaseLapsed || !tools.leaseClock.isValid(),
      stoppedBy: stopped === "cancel" || stopped === "worker" ? stopped : undefined,
    });
    if (verdict.kind !== "failed") {
      log.warn("job.requeued", { job: job.fence.id, attempt: job.fence.attempt, reason: data.message });
      return (await finish.requeue(job, verdict.lostAttempts)) ? verdict.kind : "dropped";
    }
    // A task that was certainly not started is removed.
    if (detaches && verdict.error.outcome !== "unknown")
      await noteTask(tools.store.detached.forget(job.fence.id));
    if (data.kind === "CommandError" && pushed.length > 0) learnRefusal(data.detail);
    log.info("job.failed", { job: job.fence.id, host: job.host, type: verdict.error.type });
    const report = reportOf(data.detail?.checks);
    given = (take ? undefined : partialOutputs(verdict.partial)) ?? [];
    taken = take?.failed(verdict.error.type);
    took = take && "failed";
    const result = failureJson(verdict.error, given, report);
    return end("failed", result, outcomeOf(report), verdict.error.type);
  }

  function learn(lines: readonly string[], refused?: { readonly line: string; readonly words: string }) {
    if (lines.length === 0 && refused === undefined) return;
    tools.lineRecord.pushed({ platform, host: job.host, lines, refused });
  }

  /** Of a line that the device refused in words of its own; what was sent together with it is left out. */
  function learnRefusal(detail: ErrorDetail | undefined) {
    const { command, output, matched, sent: lines = [] } = detail ?? {};
    if (command === undefined || matched === undefined || detail?.ahead !== undefined) return;
    learn(lines.slice(0, -1), { line: command, words: String(output ?? matched) });
  }

  /** The check report: from the task or, if its thread was lost, from the last note. */
  function reportOf(input: unknown): CheckReport | undefined {
    if (!checked) return undefined;
    return readCheckReport(input) ?? (note && intents > 0 ? lostReport(note) : undefined);
  }

  /** Not awaited by the end of the job: the next query asks the server anyway. */
  async function noteTask(written: Promise<void>): Promise<void> {
    await written.catch((error: unknown) => {
      log.warn("detached.not_noted", { job: job.fence.id, reason: String(error) });
    });
  }

  /** Neither the store that does not answer, nor a claim that is another one's by now, is the fault of the job. */
  function diedUnderIt({ kind, detail }: ErrorData): boolean {
    const counts = kind === "WorkerLost" || (kind === "Unavailable" && detail?.fault === undefined);
    const isOurs = !claimLost && !leaseLapsed && tools.leaseClock.isValid();
    return counts && isOurs && !mayHaveActed() && stopped === undefined;
  }

  async function end(
    status: "finished" | "failed",
    result: string,
    pushed: PushOutcome,
    errorType?: string,
  ): Promise<AttemptEnd> {
    const durationMs = performance.now() - startedMs;
    // A note may still be in flight.
    const hasIntents = intents > 1 || note !== undefined;
    const changed = work && endOfWork(work, isCheckedPush ? pushed : undefined);
    // A push that ended before its first line sent nothing.
    const isPushed = changed !== undefined && intents > 0 && job.operation === "config";
    const jobEnd = {
      ...{ status, result, errorType, warnings, durationMs, hasIntents, ...changed },
      ...{ taken, takeInMs: isPushed ? tools.takes.afterPushMs : undefined },
    };
    const recorded = await finish.end(job, jobEnd, {
      ...{ pushed: isCheckedPush ? pushed : undefined, took },
      unasked: status === "finished" && isRehearsal && !answered,
    });
    return recorded ? status : "dropped";
  }

  /** Undefined: nothing was sent, by this attempt or one before it. */
  function endOfWork(work: NonNullable<ReturnType<typeof workOf>>, checks: string | undefined) {
    if (transcript !== undefined && intents > 0) return sentWork(work, transcript.end(given), checks);
    return job.lostAttempts > 0 ? sentWork(work, transcriptOf(job.sentBefore, null), checks) : undefined;
  }

  return {
    job,
    startedMs,
    stop(why, error) {
      stopped ??= why;
      deadline.abort(error);
    },
    leaseLapsed() {
      leaseLapsed = true;
    },
    intentRecorded: mayHaveActed,
    done: run().finally(settled.resolve),
  };
}

function hasSession(pool: Pool, job: ClaimedJob): boolean {
  return job.strategy === "pinned" && pool.hasSession(job.hostKey);
}

function startsWith(lines: readonly string[], head: readonly string[]): boolean {
  return lines.length >= head.length && head.every((line, at) => lines[at] === line);
}

/** The errors of stopped jobs, by who stopped them. */
export const stopErrors: Record<"cancel" | "worker", () => ServiceError> = {
  cancel: () => new ServiceError("Cancelled", "The job was cancelled."),
  worker: () =>
    new ServiceError("WorkerLost", "The worker was stopped by a caller while the job was running."),
};
