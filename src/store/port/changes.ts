/** Changes. Each move is one transaction, and only from the step that was read: nothing is done twice by two nodes. */
import {
  type BulkPhase,
  bulkPhases,
  type ChangeState,
  type TargetState,
  type Verdict,
} from "../../api/changes/change.ts";
import type {
  ChangeEventRow,
  ChangeRehearsalRow,
  ChangeRow,
  ChangeStepRow,
  ChangeTargetRow,
  ChangeVoteRow,
} from "../tables/changes.ts";
import type { Opened } from "../tables/columns.ts";
import type { Actor } from "./trail.ts";

/** Times are milliseconds since 1970. The request is JSON text; undefined: it can no longer be decrypted. */
export interface StoredChange extends Omit<Opened<ChangeRow>, "request"> {
  readonly request: string | undefined;
}
export type StoredChangeTarget = Omit<ChangeTargetRow, "changeId">;
export type StoredChangeVote = Omit<ChangeVoteRow, "changeId">;
export type StoredRehearsal = Omit<ChangeRehearsalRow, "changeId">;
export type StoredChangeStep = Omit<ChangeStepRow, "changeId">;

/** A step in the order of all changes, with the name and author of its change; `what`: null: the step is not known. */
export interface StoredChangeEvent
  extends Omit<ChangeEventRow, "state">,
    Pick<ChangeRow, "name" | "holder" | "hash">,
    Pick<ChangeStepRow, "who" | "detail"> {
  readonly state: string;
  readonly what: string | null;
}

export interface NewChange
  extends Pick<StoredChange, "id" | "name" | "holder" | "submitterKind" | "submitter" | "ticket" | "needed"> {
  readonly request: string;
  /** Of an agent, a recipe, or another round of a fix: it is planned at once, and the same one again is none. */
  readonly proposal?: Proposal;
}

export interface Proposal {
  /** SHA-256 of what a repeat has again, and of its arguments. */
  readonly key: string;
  readonly sha256: string;
  /** Older ones are no repeats: ms since 1970. */
  readonly since: number;
  readonly origin: NonNullable<ChangeRow["origin"]>;
  /** Of the origin `recipe`. */
  readonly run?: { readonly recipe: string; readonly id: string };
}

/** Why a change stops: devices beyond a limit, a gate, a person's word, or something else. */
export const stopCauses = ["failed", "unreachable", "unknown", "gate", "person", "other"] as const;
export type StopCause = (typeof stopCauses)[number];

/** What happened, for the list of steps and the audit trail. */
export interface ChangeEvent {
  readonly what: string;
  readonly detail?: string | undefined;
  /** Null: the service itself. */
  readonly by: Actor | null;
  /** Of a stop, for metrics. */
  readonly cause?: StopCause;
  /** It takes the place of those of the same word right before it. */
  readonly folds?: true;
}

export type ChangeMove = Partial<
  Pick<
    StoredChange,
    | ("state" | "reason" | "wave" | "round" | "phase" | "dueAt" | "startedAt" | "endedAt" | "expiresAt")
    /** Of a move that does not name it: null. */
    | "claimedBy"
    | ("name" | "ticket" | "needed" | "revision" | "hash" | "plan" | "judging" | "rehearsal")
    /** A move to a phase begins it with all its devices. */
    | ("sliceFrom" | "sliceTo")
  >
> & {
  readonly request?: string;
  readonly targets?: readonly TargetMove[];
  /** Waiting jobs of its bulks do not start any more. */
  readonly stopsBulks?: true;
  /** Only if no other change works on one of its devices. */
  readonly alone?: true;
  /** What an earlier start has submitted is no part of it. */
  readonly anew?: true;
};

export type TargetMove = Pick<StoredChangeTarget, "position"> &
  Partial<
    Pick<
      StoredChangeTarget,
      "state" | "reason" | "touched" | "beforeVersion" | "afterVersion" | "jobId" | "returnJobId" | "open"
    >
  >;

export interface ChangeVote {
  readonly revision: number;
  readonly hash: string;
  readonly personId: string;
  readonly person: string;
  readonly verdict: Verdict;
  readonly note: string | null;
}

/** What a bulk of a change is for: a phase of a wave, or of an attempt to return, or a slice of its devices. */
export interface ChangePart {
  /** Of the change, or beside it. */
  readonly phase: BulkPhase;
  /** Counted from 1. */
  readonly number: number;
  readonly returns: boolean;
  /** Counted from 1: a phase may be begun again. */
  readonly attempt: number;
  /** The position before its first device; null: it begins the phase. */
  readonly from: number | null;
}

export interface ChangeBulk extends ChangePart {
  readonly bulkId: string;
}

/** A part as stored with its bulk. */
export const changeParts = {
  write: ({ phase, number, returns, attempt, from }: ChangePart) =>
    `${returns ? "return" : "wave"}.${number}.${phase}${attempt > 1 ? `.${attempt}` : ""}${from === null ? "" : `.after${from}`}`,
  /** Also of one that was set aside, which `read` does not know. */
  isReturn: (stored: string) => stored.startsWith("return."),
  read(stored: string): ChangePart | undefined {
    const [, kind, number, word, attempt = 1, from] =
      /^(wave|return)\.(\d+)\.([a-z]+)(?:\.(\d+))?(?:\.after(\d+))?$/.exec(stored) ?? [];
    const phase = bulkPhases.find((name) => name === word);
    return (
      phase && {
        ...{ phase, number: Number(number), returns: kind === "return", attempt: Number(attempt) },
        from: from === undefined ? null : Number(from),
      }
    );
  },
};

/** Positions lie between `after` and `before`, both excluded. */
export interface TargetConditions {
  readonly wave?: number | undefined;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly states?: readonly TargetState[] | undefined;
}

export type At = Pick<StoredChange, "id" | "step">;

/** Without what may be large. */
export interface ListedChange extends Omit<StoredChange, "request" | "plan"> {
  /** Sizes of the waves of the plan, as JSON. */
  readonly waves: string | null;
}

export interface ChangeTally {
  readonly targets: readonly { readonly state: TargetState; readonly count: number }[];
  readonly approvals: number;
}

export interface RehearsalSum {
  readonly devices: number;
  readonly refusing: number;
  readonly grades: ReadonlyMap<string, number>;
}

export type MovingChange = Pick<StoredChange, "id" | "step" | "state">;

export interface Changes {
  /** `full`: too many have not ended; `again`: it is a proposal that is there already. */
  add(change: NewChange, by: Actor): Promise<"added" | "full" | "again">;
  /** The proposal that another one with the same key repeats. */
  proposal(holder: string, of: Pick<Proposal, "key" | "since">): Promise<StoredChange | undefined>;

  find(id: string): Promise<StoredChange | undefined>;
  /** Newest first. */
  page(
    conditions: { readonly states?: readonly string[] | undefined; readonly before?: string | undefined },
    limit: number,
  ): Promise<ListedChange[]>;
  /** Numbers of devices by their state, and of approvals of the newest revision, by change. */
  tallies(ids: readonly string[]): Promise<ReadonlyMap<string, ChangeTally>>;
  /** Without its request, which may be large. */
  stateOf(id: string): Promise<StoredChange | undefined>;
  /**
   * Those that go on by themselves, or expire, at that time, and when the next one expires. The others cost nothing.
   * @param at ms since 1970
   */
  active(
    at: number,
  ): Promise<{ readonly changes: readonly MovingChange[]; readonly nextExpiry: number | undefined }>;

  /**
   * Moves it on, with a step and, if a person or key did it, an audit entry.
   * @returns false: it was moved meanwhile; `busy`: a device is in another change
   */
  move(at: At, to: ChangeMove, event: ChangeEvent): Promise<boolean | "busy">;
  /** Goes on to plan it until then. @returns false: it was moved meanwhile */
  keepPlanning(at: At, dueAt: number): Promise<boolean>;
  /** Replaces the targets and texts of the plan, before the move that ends the planning. In batches. */
  setTargets(
    at: At,
    targets: readonly Omit<
      StoredChangeTarget,
      "state" | "reason" | "touched" | "afterVersion" | "jobId" | "returnJobId" | "open"
    >[],
    texts: ReadonlyMap<string, string>,
    revision: number,
  ): Promise<boolean>;
  /** A vote, and the state that it leads to, in one transaction. @returns false: it was moved meanwhile */
  vote(at: At, vote: ChangeVote, event: ChangeEvent): Promise<boolean>;

  /** By position. */
  targets(id: string, conditions: TargetConditions, limit: number): Promise<StoredChangeTarget[]>;
  /** One by the name of its device, in any case. */
  targetOf(id: string, device: string): Promise<StoredChangeTarget | undefined>;
  counts(
    id: string,
  ): Promise<{ readonly wave: number; readonly state: TargetState; readonly count: number }[]>;
  /** Lines by SHA-256, opened; undefined: damaged. */
  texts(id: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Numbers of devices by SHA-256 of their lines, the most first, with the first of them. */
  groups(id: string, limit: number): Promise<{ sha256: string; devices: number; first: readonly string[] }[]>;
  votes(id: string): Promise<StoredChangeVote[]>;
  steps(id: string, after: number, limit: number): Promise<StoredChangeStep[]>;
  /** Number of those that persons and keys made. */
  saidSteps(id: string): Promise<number>;
  /** Who has edited it last; null: nobody has. */
  editor(id: string): Promise<string | null>;
  /** Steps of all changes by number, from after one. Those of deleted changes are left out. */
  events(after: number, limit: number): Promise<StoredChangeEvent[]>;
  event(n: number): Promise<StoredChangeEvent | undefined>;
  /** Number of the newest; 0: there is none. */
  lastEvent(): Promise<number>;
  /** When its newest plan was made, in ms since 1970; undefined: it has none. */
  plannedAt(id: string): Promise<number | undefined>;
  /** Numbers of those that have not ended. */
  openByState(): Promise<{ readonly state: ChangeState; readonly count: number }[]>;
  /** When each wave began, in ms since 1970. */
  wavesBegun(id: string): Promise<ReadonlyMap<number, number>>;
  /** Entries of the ledger on its pushes and returns; undefined: there is none. */
  ledgerEntries(
    id: string,
  ): Promise<{ readonly count: number; readonly first: number; readonly last: number } | undefined>;
  bulks(id: string): Promise<ChangeBulk[]>;
  /** The id of the bulk that was submitted for a part. */
  bulkOf(id: string, part: string): Promise<string | undefined>;
  /** Parts that were submitted, as stored. */
  partsOf(id: string): Promise<ReadonlySet<string>>;
  /** What was said of the lines of a device. Nothing is noted if the plan has another hash by now. */
  noteRehearsal(of: { readonly id: string; readonly hash: string }, said: StoredRehearsal): Promise<void>;
  /** Of these devices, in lower case. Those of an earlier plan are gone. */
  rehearsals(id: string, devices: readonly string[]): Promise<StoredRehearsal[]>;
  /** Of all its devices: how many were rehearsed, how many have lines that will probably be refused, and lines by grade. */
  rehearsalSum(id: string): Promise<RehearsalSum>;
  /** Deletes one change that ended before a time, with all that belongs to it. @returns whether there was one */
  prune(endedBefore: number): Promise<boolean>;
  /** Name and id of another open change with this device, at work. */
  otherWith(
    id: string,
  ): Promise<{ readonly id: string; readonly name: string; readonly device: string } | undefined>;
}
