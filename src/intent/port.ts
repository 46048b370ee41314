/** The interface of intents: what configurations should be, how they differ from it, and what mends them. */
import type { Body } from "../api/body.ts";
import type {
  DriftDetail,
  DriftLineRecord,
  DriftRecord,
  DriftState,
  DriftSummary,
  FixRequest,
  IntentRecord,
} from "../api/intent/intent.ts";
import type { PageAsked, PageOf } from "../api/page.ts";
import type { Caller } from "../auth/port.ts";
import type { EffectiveDevice, Precondition } from "../inventory/port.ts";
import type { StoredDriftDue } from "../store/port.ts";

/**
 * All methods need the right `history`: an intent is compared with configurations. They throw ServiceError Forbidden,
 * NotFound, Unavailable, besides what each lists.
 */
export interface Intents {
  list(caller: Caller): Promise<IntentRecord[]>;
  read(name: string, caller: Caller): Promise<IntentRecord>;
  /**
   * It is compared with the rights and the reach of the caller from then on. Scope `operate`, and the reach of whoever
   * wrote it before.
   * @throws ServiceError Validation, PayloadTooLarge (too long, or too many), PreconditionFailed
   */
  put(
    name: string,
    body: Body,
    caller: Caller,
    expected: Precondition,
  ): Promise<{ readonly record: IntentRecord; readonly added: boolean }>;
  /** With its results. Scope `operate`, and the reach of its writer. @throws ServiceError PreconditionFailed */
  remove(name: string, caller: Caller, expected: Precondition): Promise<void>;
}

/** As {@link Intents}; shows devices that the caller may reach, in counts, too. */
export interface Drift {
  /** Compares devices soon. Scope `operate`. @throws ServiceError Validation */
  run(body: unknown, caller: Caller, signal?: AbortSignal): Promise<DriftSummary>;
  /** @param waitMs until nothing is to be compared, or that time has passed */
  summary(
    filter: { readonly select?: string | undefined; readonly intent?: string | undefined },
    caller: Caller,
    waiting: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<DriftSummary>;
  /** By device and intent. @throws ServiceError Validation (the selector) */
  page(
    filter: {
      readonly select?: string | undefined;
      readonly intent?: string | undefined;
      readonly section?: string | undefined;
      readonly state?: DriftState | undefined;
    },
    caller: Caller,
    page: PageAsked & { readonly signal?: AbortSignal },
  ): Promise<PageOf<DriftRecord>>;
  /** What POST /drift/fix asks for, as the request of a change. @throws ServiceError Validation: nothing drifts */
  draft(body: Body, caller: Caller): Promise<Body>;
  /** The differences of a device, and the lines that mend it. */
  device(
    name: string,
    intent: string | undefined,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<DriftDetail[]>;
  /**
   * Differences by the number of devices that have them, the most first; further pages are of the count of the first one
   * for a minute. @throws ServiceError Validation: too many different lines; TooManyRequests
   */
  lines(
    filter: {
      readonly select?: string | undefined;
      readonly intent?: string | undefined;
      readonly section?: string | undefined;
      readonly text?: string | undefined;
    },
    caller: Caller,
    page: PageAsked & { readonly signal?: AbortSignal },
  ): Promise<PageOf<DriftLineRecord>>;
}

/** The lines of one device that mend it. */
export type DeviceFix =
  | {
      /** With secrets. Empty: nothing drifts. */
      readonly lines: readonly string[];
      readonly isProven: boolean;
      /** What twins have not shown, or not surely. */
      readonly twins: readonly string[];
      readonly risks: readonly string[];
      /** Intents whose drift they end. */
      readonly intents: readonly string[];
    }
  | { readonly why: string };

/** What changes need of intents. */
export interface Fixes {
  /** @throws ServiceError as a render and a comparison in a process; NotFound (an intent) */
  fixOf(
    device: EffectiveDevice,
    fix: FixRequest,
    of: { readonly caller: Caller; readonly signal: AbortSignal },
  ): Promise<DeviceFix>;
  /** The change is planned: what is read of the devices after its pushes is counted as a round. */
  planned(
    change: string,
    fixes: readonly { readonly device: string; readonly intents: readonly string[] }[],
  ): Promise<void>;
}

/** A pair of a device and an intent as it is now. */
export interface DriftNewsItem {
  readonly record: DriftRecord;
  isVisibleTo(caller: Caller): boolean;
  /** The differing lines, masked. */
  difference(): Promise<string | undefined>;
}

/** In the order of the pairs; undefined: it is gone. */
export type DriftNews = (
  pairs: readonly { readonly device: string; readonly intent: string }[],
) => Promise<readonly (DriftNewsItem | undefined)[]>;

/** All together. */
export interface Parts {
  /** Compares devices that are due. @returns how many pairs of a device and an intent were compared anew */
  judge(due: readonly StoredDriftDue[]): Promise<number>;
  readonly intents: Intents;
  readonly drift: Drift;
  readonly news: DriftNews;
  readonly fixes: Fixes;
}
