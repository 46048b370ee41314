/** The interface of the history of configurations. */
import type { Body } from "../api/body.ts";
import type {
  BlameAnswer,
  ConfigurationPart,
  ConfiguredDevice,
  DeviceHistoryState,
  DifferenceAnswer,
  DifferenceForm,
  RestoreDraft,
  RestorePlan,
  SearchResult,
  TakePlan,
  VersionRecord,
} from "../api/history/history.ts";
import type { ImportAnswer } from "../api/history/history-import.ts";
import type { PageOf } from "../api/page.ts";
import type { Caller } from "../auth/port.ts";
import type { Deadline } from "../base/time/deadline.ts";
import type { SessionFacts } from "../configlines/lockout.ts";
import type { LinesEffect } from "../configtext/effect.ts";
import type { SearchQuery } from "../configtext/search.ts";
import type { Foretelling } from "../configtext/work.ts";
import type { EffectiveDevice } from "../inventory/port.ts";
import type { ReadPart, RestoredView, ShownConfiguration } from "../protocol/task.ts";
import type { TakenConfigurations } from "../store/port.ts";

/** A take while its job runs. */
export interface Take {
  /** For the device thread. */
  readonly shows: ShownConfiguration;
  /**
   * A short text that the device had before is whole; before anything else is asked.
   * @param again reads them once more: after a push, a text that ends early is good if it is shown twice
   * @throws ServiceError Unavailable, and what `again` throws
   */
  judged(
    parts: readonly ReadPart[],
    again?: () => Promise<readonly ReadPart[]>,
  ): Promise<readonly ReadPart[]>;
  /** What is stored with the end of the job. @throws ServiceError Unavailable */
  taken(parts: readonly ReadPart[]): Promise<TakenConfigurations>;
  /** The same if reading it failed. */
  failed(errorType: string): TakenConfigurations;
  outcome(parts: readonly ReadPart[]): "changed" | "unchanged" | "suspect";
  /** One sentence for each text that is not whole. */
  warnings(parts: readonly ReadPart[]): string[];
  /** The result of the job: what was read, without the texts. */
  outputs(parts: readonly ReadPart[]): { readonly command: string; readonly output: unknown }[];
}

/** What is pushed to restore a version. */
export interface Restored {
  readonly lines: string[];
  readonly secrets: string[];
  /** How the answer of the device is masked. */
  readonly shown: RestoredView;
}

/** Used by jobs that take a configuration. */
export interface Takes {
  /** @throws ServiceError Unavailable */
  begin(plan: TakePlan): Promise<Take>;
  /** What a job pushes that restores a version. @throws ServiceError NotFound, Internal, Unavailable */
  restored(plan: RestorePlan, deadline: Deadline): Promise<Restored>;
  /** Key of the marks of configurations. @throws ServiceError Unavailable */
  markKey(): Promise<string>;
  /** How long after a push the configuration of its device is read; undefined: it is not. */
  readonly afterPushMs: number | undefined;
}

/** A good version of a running configuration. */
export interface KnownVersion {
  readonly version: number;
  /** Equal for equal configurations. */
  readonly compare: string;
}

/** The newest good one of a device. */
export interface KnownHead extends KnownVersion {
  /** The text that was read last is not whole: what the device has now is not known. */
  readonly isDoubted: boolean;
}

/** Used by rehearsals. */
export interface Foresights {
  /** @throws ServiceError ReadTimeout, TooManyRequests, Unavailable, the reason of the deadline */
  foresee(
    asked: AskedForesight,
    of: { readonly share: string; readonly job: boolean; readonly deadline: Deadline },
  ): Promise<Foresight>;
}

/** What changes need of the history. Names are those of devices. */
export interface Returns {
  /** Newest good versions by the name of the device in lower case. */
  heads(names: readonly string[]): Promise<ReadonlyMap<string, KnownHead>>;
  version(name: string, version: number): Promise<KnownVersion | undefined>;
  /** The version that was chosen, of its running configuration; by time only a good one. */
  chosen(name: string, choice: Pick<VersionChoice, "version" | "at">): Promise<KnownVersion | undefined>;
  /** Why the device cannot be given back an earlier configuration; undefined: it can. */
  whyNot(device: EffectiveDevice): string | undefined;
  /** Whether lines give it an earlier configuration, and no text of the whole one. */
  byLines(device: EffectiveDevice): boolean;
  /**
   * What a job pushes that turns one version into another: masked lines, which stand for those of the plan.
   * @throws ServiceError NotFound (device or version), Validation
   */
  plan(
    name: string,
    wanted: number,
    base: number,
  ): Promise<{
    readonly plan: RestorePlan;
    readonly config: string | string[];
    readonly driverArgs: Readonly<Record<string, unknown>>;
    /** What to look at before. */
    readonly doubts: readonly string[];
  }>;
  /** How two versions of a device differ, in unified format, masked. @throws ServiceError as `effect`; NotFound */
  between(
    name: string,
    from: number,
    to: number,
    of: { readonly share: string; readonly signal: AbortSignal },
  ): Promise<string>;
  /**
   * What lines would change, with secrets as marks on both sides.
   * @param version undefined: the newest good one
   * @throws ServiceError ReadTimeout, TooManyRequests, Cancelled (by the signal)
   */
  effect(
    device: EffectiveDevice,
    version: number | undefined,
    lines: string,
    of: { readonly share: string; readonly signal: AbortSignal },
  ): Promise<KnownEffect>;
}

/** What is asked about lines that are not sent yet. */
export interface AskedForesight {
  /** Name of the inventory device; undefined: it is none. */
  readonly device: string | undefined;
  readonly platform: string | null;
  readonly lines: readonly string[];
  /** The lines have marks of the history in place of secrets: they stay. */
  readonly isMasked?: boolean | undefined;
  readonly session: SessionFacts;
  /**
   * Whether secrets are compared with those of the configuration. Else each differs from all there, and its mark tells
   * nothing: who may not read a secret would guess it otherwise.
   */
  readonly comparesSecrets: boolean;
}

export interface Foresight {
  /** With secrets as marks. */
  readonly lines: readonly string[];
  readonly foreseen: Foretelling;
  /** The newest good version, and whether what was read last is not whole. */
  readonly known:
    | {
        readonly part: "running" | "set";
        readonly version: number;
        readonly takenAt: number;
        readonly seenAt: number;
        readonly isDoubted: boolean;
      }
    | undefined;
  /** Why no configuration is foretold. */
  readonly why: string | undefined;
}

/** What lines would change in a version of a configuration; `why`: nothing can be said. */
export type KnownEffect =
  | { readonly version: number; readonly isNewest: boolean; readonly effect: LinesEffect }
  | { readonly why: string };

/** Which version: its number, or the newest good one at a time; neither: the newest good one. */
export interface VersionChoice {
  readonly part: ConfigurationPart;
  readonly version?: number | undefined;
  /** Milliseconds since 1970. */
  readonly at?: number | undefined;
}

export interface VersionText {
  readonly version: VersionRecord;
  /** Masked, or as the device has it. */
  readonly text: string;
}

/**
 * All methods need the right `history` and show devices that the caller's key may reach; they throw ServiceError
 * Forbidden, NotFound (also for a device out of reach), Unavailable, besides what each lists. `name`: of the device.
 */
export interface History {
  /** Devices by name. @throws ServiceError Validation (the selector) */
  devices(
    filter: { readonly select?: string | undefined; readonly state?: DeviceHistoryState | undefined },
    caller: Caller,
    page: { readonly limit: number; readonly cursor?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<PageOf<ConfiguredDevice>>;
  device(name: string, caller: Caller): Promise<ConfiguredDevice>;
  /** Newest first. */
  versions(
    name: string,
    filter: {
      readonly part: ConfigurationPart;
      /** Name of a person or key, or `me`. */
      readonly who?: string | undefined;
    },
    caller: Caller,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<PageOf<VersionRecord>>;
  version(name: string, choice: VersionChoice, caller: Caller): Promise<VersionRecord>;
  /** @param secrets with its secrets: needs the right `history_secrets`, and is written to the audit trail */
  text(name: string, choice: VersionChoice, caller: Caller, secrets?: boolean): Promise<VersionText>;
  /** Versions of all devices, newest first; with `after`, oldest first. */
  changes(
    filter: {
      readonly since?: number | undefined;
      readonly state?: "good" | "suspect" | undefined;
      readonly select?: string | undefined;
      readonly who?: string | undefined;
    },
    caller: Caller,
    page: { readonly limit: number; readonly cursor?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<PageOf<VersionRecord>>;
  /**
   * The difference between two versions, also of two devices.
   * @param from default: the good version before the other one
   */
  difference(
    name: string,
    choices: {
      readonly from: VersionChoice | undefined;
      readonly to: VersionChoice;
      /** The device of `to`, if it is another one. */
      readonly other?: string | undefined;
    },
    form: DifferenceForm,
    caller: Caller,
    signal?: AbortSignal,
  ): Promise<DifferenceAnswer>;
  /** Which version each line of a version comes from. */
  blame(name: string, choice: VersionChoice, caller: Caller, signal?: AbortSignal): Promise<BlameAnswer>;
  /** Devices whose running configuration has lines that match, in the order in which they were first read. */
  search(
    search: SearchQuery & { readonly select?: string | undefined; readonly ever: boolean },
    caller: Caller,
    page: { readonly limit: number; readonly cursor?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<PageOf<SearchResult>>;
  /**
   * A draft of what restores a version, and its dry run as a job where the device can compare. Nothing is changed. Scope
   * `operate`. @throws ServiceError Validation: it cannot be restored there; as `Jobs.submit`
   */
  restore(
    name: string,
    choice: VersionChoice,
    body: Body,
    caller: Caller,
    signal?: AbortSignal,
  ): Promise<RestoreDraft>;
  /** The versions that a job has made. */
  ofJob(jobId: string, caller: Caller): Promise<VersionRecord[]>;
  /** Scope `operate`. @throws ServiceError Validation */
  setNote(name: string, choice: VersionChoice, body: Body, caller: Caller): Promise<VersionRecord>;
  /** The configuration of a device has changed: it is read soon. Scope `operate`. @throws ServiceError Validation */
  notify(body: Body, caller: Caller): Promise<ChangeNoticed>;
  /** Gives the history of a device another name. Scope `admin`. @throws ServiceError Conflict */
  rename(name: string, body: Body, caller: Caller): Promise<ConfiguredDevice>;
  /** Deletes the history of a device that the inventory no longer has. Scope `admin`. @throws ServiceError Conflict */
  forget(name: string, caller: Caller): Promise<void>;
}

/** `n`: position after it. */
export type FeedEvent =
  | { readonly kind: "version"; readonly n: number; readonly record: VersionRecord }
  /** There was no such position: this is the newest one. */
  | { readonly kind: "reset"; readonly n: number }
  /** Keep-alive. */
  | { readonly kind: "here"; readonly n: number };

export interface HistoryFeed {
  /**
   * New versions within reach, endlessly, in the order in which they were stored. Getting the first event throws
   * ServiceError Forbidden (the right `history`), Validation (the selector); any one Unavailable.
   */
  follow(
    filter: { readonly state?: "good" | "suspect" | undefined; readonly select?: string | undefined },
    listening: {
      readonly caller: Caller;
      /** Undefined: from now on. */
      readonly from: number | undefined;
      readonly signal: AbortSignal;
    },
  ): AsyncGenerator<FeedEvent>;
}

/** What has happened to a configuration, for webhooks. */
export interface ConfigurationNews {
  readonly device: string;
  isVisibleTo(caller: Caller): boolean;
}

export interface VersionNews extends ConfigurationNews {
  readonly n: number;
  readonly record: VersionRecord;
  /**
   * What differs from the good version before, in unified format, of masked texts; undefined: a text is damaged, gone or
   * too large to be compared, or the version is suspect. @throws ServiceError Unavailable
   */
  difference(): Promise<string | undefined>;
}

export interface FailureNews extends ConfigurationNews {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly failedAt: number;
  readonly lastGoodAt: number | null;
  readonly error: string;
  readonly jobId: string | null;
}

/** All methods throw ServiceError Unavailable. */
export interface HistoryNews {
  /** By `n`; those that are gone are left out. */
  versions(ns: readonly number[]): Promise<VersionNews[]>;
  /** Devices whose last take has failed; those read well since then are left out. */
  failures(devices: readonly number[]): Promise<FailureNews[]>;
}

export interface ChangeNoticed {
  readonly device: string;
  readonly in_seconds: number;
}

/** Takes in versions that were made elsewhere. */
export interface HistoryImport {
  /**
   * Scope `admin`, and a key that may reach all hosts. A repeated import adds nothing.
   * @throws ServiceError Forbidden, Validation, TooManyRequests, Unavailable
   */
  add(body: unknown, caller: Caller, signal: AbortSignal): Promise<ImportAnswer>;
}
