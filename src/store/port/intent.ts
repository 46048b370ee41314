/** Intents, and how configurations differ from them: results by device and intent, and devices that are to be compared. */
import type { DriftState } from "../../api/intent/intent.ts";
import type { Opened } from "../tables/columns.ts";
import type { DriftDueRow, DriftResultRow, DriftTextRow, IntentRow } from "../tables/intent.ts";
import type { Actor } from "./trail.ts";

/** `own`: undefined if it can no longer be decrypted. */
export type StoredIntent = Omit<Opened<IntentRow>, "own"> & { readonly own: string | undefined };
export type StoredDriftDue = DriftDueRow;

/** As it was compared. */
export type DriftResult = Omit<DriftResultRow, "changes" | "told" | "again"> & {
  readonly changes: string | null;
};
/** What says whether a result still holds. */
export type KnownResult = Pick<
  DriftResultRow,
  "device" | "intent" | "state" | "hash" | "compare" | "since" | "fix" | "rounds" | "revision" | "version"
>;

/** As it is to be told now: `stale` says why nothing can be said of it. */
export interface ToldResult extends Omit<DriftResult, "changes" | "hash"> {
  /** When the device was last read well. */
  readonly readAt: number | null;
  readonly stale: StaleReason | null;
}

/** `never`: no good version; `old`; `suspect`: what was read last is not whole; `newer`: another version, or intent, is to be compared. */
export type StaleReason = "never" | "old" | "suspect" | "newer";

export interface DriftCondition {
  /** Names of devices in lower case. */
  readonly names: readonly string[];
  /** A good version must have been read since, in ms since 1970. */
  readonly fresh: number;
  readonly intent?: string | undefined;
}

/** A difference, and how many devices have it. */
export type DriftText = DriftTextRow;
export type DriftPair = Pick<DriftResultRow, "device" | "intent">;

export interface DriftSave {
  readonly result: Omit<DriftResult, "checkedAt" | "since" | "fix" | "rounds">;
  /** Each as JSON: section, kind and line. */
  readonly lines: readonly string[];
}

/** Differences, as they are stored: pieces of what counts them. */
export interface DriftTexts {
  /** Pairs that may have differences, by device and intent, and whether they are told now. */
  pairs(
    condition: Pick<DriftCondition, "fresh" | "intent">,
    after: DriftPair | undefined,
    limit: number,
  ): Promise<(DriftPair & { readonly isTold: boolean })[]>;
  /** How many of the pairs have each difference that one of them has. */
  count(pairs: readonly DriftPair[]): Promise<Pick<DriftText, "id" | "devices">[]>;
  /** Those of these ids; or those that most devices have first, behind one. */
  texts(
    condition: Partial<Pick<DriftText, "intent" | "section">> & {
      /** Part of the line. */
      readonly text?: string | undefined;
    } & (
        | { readonly ids: readonly number[] }
        | { readonly after: Pick<DriftText, "id" | "devices"> | undefined }
      ),
    limit: number,
  ): Promise<DriftText[]>;
  /** Of each difference devices that have it, by name, behind one. */
  devices(of: readonly { readonly id: number; readonly after: string }[], limit: number): Promise<string[][]>;
}

export interface DriftAgain extends DriftPair {
  /** The change that did not mend it. */
  readonly change: string;
  readonly rounds: number;
}

export interface DriftTally {
  readonly states: ReadonlyMap<DriftState, number>;
  readonly needsPerson: number;
  /** Devices that are to be compared. */
  readonly due: number;
}

export interface Intents {
  list(): Promise<StoredIntent[]>;
  get(name: string): Promise<StoredIntent | undefined>;
  /**
   * @param expected revision; `none`: it must not exist; `*`: it must
   * @returns its revision; `moved`: it is another one; `full`: there are as many as may be
   */
  put(
    intent: Pick<StoredIntent, "name" | "owner"> & { readonly own: string },
    expected: number | "*" | "none" | undefined,
    by: Actor,
  ): Promise<{ readonly revision: number } | "moved" | "full">;
  /** With its results. */
  remove(name: string, expected: number | "*" | undefined, by: Actor): Promise<"removed" | "gone" | "moved">;

  /** Devices that are to be compared, by name in lower case. */
  ask(names: readonly string[]): Promise<void>;
  /** Takes some for a while: then they are due again, unless `done`. */
  takeDue(limit: number): Promise<StoredDriftDue[]>;
  /** @param names undefined: all */
  countDue(names: readonly string[] | undefined): Promise<number>;

  known(names: readonly string[]): Promise<KnownResult[]>;
  /** Stores results; those that were compared before say so; devices that were not asked for again are no longer due. */
  save(done: {
    readonly due: readonly StoredDriftDue[];
    readonly results: readonly DriftSave[];
    /** Results that hold. */
    readonly same: readonly Pick<KnownResult, "device" | "intent">[];
    /** Results of intents that are no longer for the device. */
    readonly gone: readonly Pick<KnownResult, "device" | "intent">[];
    /** See {@link DriftCondition}. */
    readonly fresh: number;
  }): Promise<void>;
  /** Notes of what has become too old that it is to be told. */
  tell(fresh: number): Promise<void>;
  /** Pairs, some of them, whose fix left them drifted, of changes that have ended and of which nothing is due any more. */
  again(): Promise<DriftAgain[]>;
  /** Their next round is drafted, or none is to be. */
  drafted(change: string): Promise<void>;
  /** How all pairs stand, as it is told now, and those for which a person has to look. */
  tally(fresh: number): Promise<DriftTally>;

  /** By device and intent, behind one. */
  page(
    condition: DriftCondition & {
      readonly section?: string | undefined;
      readonly state?: DriftState | undefined;
      readonly after?: readonly [device: string, intent: string] | undefined;
    },
    limit: number,
  ): Promise<ToldResult[]>;
  /** The differences of one, as they are stored. */
  changes(device: string, intent: string): Promise<string | null>;
  counts(condition: DriftCondition): Promise<ReadonlyMap<DriftState, number>>;
  readonly lines: DriftTexts;
  /** The change that is to mend them. */
  fixing(change: string, pairs: readonly Pick<KnownResult, "device" | "intent">[]): Promise<void>;
}
