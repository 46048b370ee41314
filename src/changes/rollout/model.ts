/** What a change does next: decided from what is stored alone, so that any node goes on where another stopped. Pure. */
import type { ChangePhase, ChangeState, TargetCounts, TargetState } from "../../api/changes/change.ts";
import type { GateVerdict } from "../../api/changes/change-gates.ts";
import type { StopCause } from "../../store/port.ts";

/** At most so many devices; null: no limit. */
export interface ChangeLimit {
  readonly wave: number | null;
  readonly total: number | null;
}

export interface ChangeRules {
  readonly limits: {
    readonly failed: ChangeLimit;
    readonly unreachable: ChangeLimit;
    readonly unknown: ChangeLimit;
  };
  readonly soakMs: number;
  /** Whether gates are judged, before the first wave (as those of wave 0) and after each. */
  readonly judges: boolean;
  /** Whether other devices are checked for it. */
  readonly sentinels: boolean;
  /** Whether a person begins each further wave. */
  readonly asks: boolean;
  readonly onStop: "return" | "keep";
  /** Pushes wait in their devices until the last wave is done. */
  readonly holdsAll: boolean;
}

/** The bulk of the current phase. */
export type PhaseWork = "none" | "open" | "ended";

export interface ChangeFacts {
  readonly state: ChangeState;
  readonly phase: ChangePhase | null;
  readonly wave: number;
  readonly waves: number;
  /** When it goes on by itself, and what time it is: ms since 1970. */
  readonly dueAt: number | null;
  readonly now: number;
  readonly work: PhaseWork;
  /** What the gates of this wave said; null: nothing yet. */
  readonly verdict: { readonly is: GateVerdict; readonly reason: string } | null;
  /** Devices of this wave, and of all. */
  readonly inWave: TargetCounts;
  readonly inAll: TargetCounts;
  /** Devices that may have lines and that the service can return. */
  readonly returnable: number;
  /** Devices on which a timer of this change may run, and when the last of them has surely ended. */
  readonly open: {
    readonly count: number;
    readonly endsBy: number;
    /** The bulk that starts timers anew, and when the next one is due; null: nothing can be done. */
    readonly extending: PhaseWork;
    readonly extendAt: number | null;
  };
  /** A node is at what the phase asks of it outside of jobs: the change is not moved meanwhile. */
  readonly isClaimed: boolean;
}

export type ChangeAction =
  /** Nothing, until something ends, somebody says something, or a time has come. */
  | { readonly do: "wait"; readonly until?: number }
  /** Submit the bulk of the phase. */
  | { readonly do: "submit" }
  /** The bulk has ended: note what became of the devices, and go on to a phase. */
  | { readonly do: "settle"; readonly phase: ChangePhase }
  /** The phase has nothing to do. */
  | { readonly do: "skip"; readonly phase: ChangePhase }
  | { readonly do: "stop"; readonly reason: string; readonly cause: StopCause }
  | { readonly do: "cancel" }
  | { readonly do: "pause"; readonly phase: ChangePhase; readonly reason: string }
  | { readonly do: "soak" }
  /** Ask the questions and judge what the sentinels have answered. */
  | { readonly do: "judge" }
  /** Submit a bulk that starts the timers in devices anew, beside that of the phase. */
  | { readonly do: "extend" }
  /** It has ended. */
  | { readonly do: "settleExtension" }
  | { readonly do: "cancelExtension" }
  | { readonly do: "nextWave" }
  | { readonly do: "beginReturn" }
  | { readonly do: "end"; readonly state: ChangeState; readonly reason?: string }
  | { readonly do: "plan" }
  | { readonly do: "expire" };

const wait: ChangeAction = { do: "wait" };

export function nextAction(facts: ChangeFacts, rules: ChangeRules, expiresAt: number | null): ChangeAction {
  const { state, now, dueAt } = facts;
  switch (state) {
    case "planning":
      return dueAt !== null && dueAt > now ? { do: "wait", until: dueAt } : { do: "plan" };
    case "waiting_approval":
    case "approved":
      if (expiresAt === null) return wait;
      return expiresAt <= now ? { do: "expire" } : { do: "wait", until: expiresAt };
    case "running":
      return extendedAction(facts, waveAction(facts, rules));
    case "paused": {
      // What has begun is brought to its end; nothing is begun.
      const action = waveAction(facts, rules);
      return extendedAction(facts, action.do === "settle" || action.do === "stop" ? action : wait);
    }
    case "stopping":
      return stoppingAction(facts, rules);
    case "returning":
      return returnAction(facts);
    default:
      return wait;
  }
}

/** Timers do not end while nothing else is to be done: not with a word to their devices, nor once it is not known. */
function extendedAction(facts: ChangeFacts, action: ChangeAction): ChangeAction {
  const { state, phase, work, now, isClaimed } = facts;
  const { count, extending, extendAt } = facts.open;
  if (action.do === "stop" || isClaimed) return action;
  if (extending === "ended") return { do: "settleExtension" };
  if (extending === "open" || count === 0 || extendAt === null) return action;
  if (phase === "proving" || phase === "cancelling") return action;
  if (phase === "confirming" && (state === "running" || work !== "none")) return action;
  if (extendAt <= now) return { do: "extend" };
  if (action.do !== "wait") return action;
  return { do: "wait", until: Math.min(extendAt, action.until ?? extendAt) };
}

function waveAction(facts: ChangeFacts, rules: ChangeRules): ChangeAction {
  const { phase, wave, waves, work, inWave, dueAt, now } = facts;
  const breach = breachOf(facts, rules);
  if (breach !== undefined) return { do: "stop", ...breach };
  switch (phase) {
    case "reading":
      if (dueAt !== null && dueAt > now) return { do: "wait", until: dueAt };
      if (work === "none") return { do: "submit" };
      return work === "open" ? wait : { do: "settle", phase: "pushing" };
    case "pushing":
      if (work === "none")
        return inWave.waiting + inWave.pushing > 0 ? { do: "submit" } : { do: "skip", phase: "left" };
      return work === "open" ? wait : { do: "settle", phase: "left" };
    case "left":
      if (work === "none")
        return inWave.pushed + inWave.unconfirmed > 0 ? { do: "submit" } : { do: "skip", phase: "soaking" };
      return work === "open" ? wait : { do: "settle", phase: "soaking" };
    case "soaking":
      if (wave >= waves && !rules.judges && facts.open.count === 0) return { do: "end", state: "done" };
      if (dueAt === null && rules.soakMs > 0) return { do: "soak" };
      if (dueAt !== null && dueAt > now) return { do: "wait", until: dueAt };
      return rules.judges ? { do: "skip", phase: "judging" } : goodWave(facts, rules);
    case "judging":
      return judgingAction(facts, rules);
    case "confirming":
      if (facts.open.count === 0) return goodWave(facts, rules);
      if (work === "open") return wait;
      if (work === "ended") return { do: "settle", phase: "proving" };
      // One word at a time.
      if (facts.open.extending !== "none") return wait;
      return facts.inAll.unconfirmed > 0 ? { do: "submit" } : { do: "skip", phase: "proving" };
    case "proving":
      return facts.open.count === 0 ? goodWave(facts, rules) : provingAction(facts);
    case "gate":
      return { do: "nextWave" };
    default:
      return wait;
  }
}

/** A device of which it is not known whether its push was ended has ended it itself when its timer has: then it is read. */
function provingAction({ work, now, open }: ChangeFacts): ChangeAction {
  if (work === "open") return wait;
  if (work === "ended") return { do: "settle", phase: "confirming" };
  return open.endsBy > now ? { do: "wait", until: open.endsBy } : { do: "submit" };
}

function judgingAction(facts: ChangeFacts, rules: ChangeRules): ChangeAction {
  const { wave, work, verdict, dueAt, now } = facts;
  const isDue = dueAt === null || dueAt <= now;
  if (verdict?.is === "passed") return goodWave(facts, rules);
  // Before the first wave nothing was pushed: what does not hold then would prove nothing later.
  if (verdict?.is === "failed" && wave > 0) return { do: "stop", reason: verdict.reason, cause: "gate" };
  if (verdict !== null && (verdict.is === "failed" || dueAt === null))
    return { do: "pause", phase: "judging", reason: verdict.reason };
  if (!isDue) return { do: "wait", until: dueAt };
  if (!rules.sentinels || work === "ended") return { do: "judge" };
  return work === "none" ? { do: "submit" } : wait;
}

/** The wave is done and its gates have passed. */
function goodWave({ wave, waves, open }: ChangeFacts, { asks, holdsAll }: ChangeRules): ChangeAction {
  if (open.count > 0 && !(holdsAll && wave < waves)) return { do: "skip", phase: "confirming" };
  if (wave >= waves) return { do: "end", state: "done" };
  if (!asks || wave === 0) return { do: "nextWave" };
  const reason = `wave ${wave} of ${waves} is done: the next one waits to be resumed`;
  return { do: "pause", phase: "gate", reason };
}

/** Running pushes are never cut off: their outcome would be unknown. */
function stoppingAction(facts: ChangeFacts, { onStop }: ChangeRules): ChangeAction {
  const { phase, work, returnable, open, inAll } = facts;
  if ((phase === "pushing" || phase === "confirming") && work === "open") return { do: "cancel" };
  if (phase === "pushing" && work === "ended") return { do: "settle", phase: "soaking" };
  if (open.extending === "open") return { do: "cancelExtension" };
  if (open.extending === "ended") return { do: "settleExtension" };
  if (open.count > 0) {
    if (phase === "proving") return provingAction(facts);
    if (phase === "confirming" && work === "ended") return { do: "settle", phase: "cancelling" };
    if (phase !== "cancelling") return { do: "skip", phase: "cancelling" };
    if (work === "none") return { do: "submit" };
    return work === "open" ? wait : { do: "settle", phase: "proving" };
  }
  if (onStop === "return" && returnable > 0) return { do: "beginReturn" };
  const isBack =
    onStop === "return" && inAll.returned > 0 && inAll.pushed + inAll.failed + inAll.unknown === 0;
  return { do: "end", state: isBack ? "returned" : "stopped" };
}

function returnAction({ phase, work, inAll }: ChangeFacts): ChangeAction {
  switch (phase) {
    case "reading":
      if (work === "none") return { do: "submit" };
      return work === "open" ? wait : { do: "settle", phase: "pushing" };
    case "pushing":
      if (work === "none") return inAll.returning > 0 ? { do: "submit" } : { do: "skip", phase: "left" };
      return work === "open" ? wait : { do: "settle", phase: "left" };
    case "left":
      if (work === "none") return inAll.returning > 0 ? { do: "submit" } : returnEnd(inAll);
      return work === "open" ? wait : { do: "settle", phase: "soaking" };
    default:
      return returnEnd(inAll);
  }
}

function returnEnd({ returned, not_returned }: TargetCounts): ChangeAction {
  if (not_returned === 0) return { do: "end", state: "returned" };
  const reason = `${not_returned} of ${returned + not_returned} devices were not returned: see their reasons`;
  return { do: "end", state: returned > 0 ? "partly_returned" : "needs_person", reason };
}

/** Which devices count against which limit. */
const counted = {
  failed: ["failed", "diverged"],
  unreachable: ["unreachable"],
  unknown: ["unknown"],
} as const satisfies Record<keyof ChangeRules["limits"], readonly TargetState[]>;

/** @returns which limit is passed, and a sentence on it */
function breachOf({ inWave, inAll, wave }: ChangeFacts, { limits }: ChangeRules) {
  const of = (counts: TargetCounts, kind: keyof typeof counted) =>
    counted[kind].reduce((sum, state) => sum + counts[state], 0);
  for (const kind of ["failed", "unreachable", "unknown"] as const) {
    const limit = limits[kind];
    const [now, all] = [of(inWave, kind), of(inAll, kind)];
    if (limit.wave !== null && now > limit.wave)
      return { cause: kind, reason: passed(now, `of wave ${wave}`, kind, limit.wave) };
    if (limit.total !== null && all > limit.total)
      return { cause: kind, reason: passed(all, "in all", kind, limit.total) };
  }
  return undefined;
}

function passed(count: number, where: string, kind: keyof typeof counted, limit: number): string {
  const [noun, is, has] = count === 1 ? ["device", "is", "has"] : ["devices", "are", "have"];
  const word = {
    failed: `${has} failed`,
    unreachable: `${is} unreachable`,
    unknown: `${has} an unknown outcome`,
  };
  return `${count} ${noun} ${where} ${word[kind]}; the limit is ${limit}`;
}
