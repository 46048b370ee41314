/**
 * The history of configurations: texts by device and part, devices whose configuration is to be read soon, and remotes
 * that get the versions.
 */
import type {
  ConfigurationPart,
  DeviceHistoryState,
  VersionSource,
  VersionState,
} from "../../api/history/history.ts";
import type { SubmitterCondition } from "../../api/jobs/job.ts";
import type { Opened } from "../tables/columns.ts";
import type {
  ConfigDeviceRow,
  ConfigDueRow,
  ConfigNameRow,
  ConfigRemoteRow,
  ConfigTextRow,
  ConfigVersionRow,
} from "../tables/history.ts";
import type { Actor, StoredWriter } from "./trail.ts";

/** A device as the inventory has it when its configuration is read. */
export interface NewConfigDevice {
  /** As the inventory writes it. */
  readonly name: string;
  readonly host: string;
  readonly group: string | null;
  readonly platform: string | null;
}

/** A packed text with its secrets; `base`: id of the whole text that it differs from. */
export interface NewConfigText {
  readonly base?: string | undefined;
  readonly body: Uint8Array;
  /** JSON text; encrypted by the store. */
  readonly secrets?: string | undefined;
}

type GivenColumns = "part" | "state" | "reason" | "compare" | "lines" | "bytes" | "added" | "removed";

export interface NewConfigVersion
  extends Pick<ConfigVersionRow, GivenColumns>,
    Partial<Pick<ConfigVersionRow, "byOnDevice">> {
  readonly text: NewConfigText;
}

/** What a take has read. */
export interface TakenConfigurations {
  readonly device: NewConfigDevice;
  readonly source: VersionSource;
  readonly causeJobId?: string | undefined;
  readonly who?: string | null | undefined;
  readonly note?: string | undefined;
  /** Undefined: unknown. */
  readonly unsaved?: boolean | undefined;
  /** Modules of the device that answered; undefined: unknown. */
  readonly modules?: readonly string[] | undefined;
  /** Error type of a take that failed. */
  readonly error?: string | undefined;
  readonly versions: readonly NewConfigVersion[];
}

/** A version that was made elsewhere, at a time of its own. */
export interface ImportedVersion extends NewConfigVersion {
  /** Milliseconds since 1970. */
  readonly takenAt: number;
  readonly who: string | null;
  readonly note: string | undefined;
  /** Unique per device: a repeated import adds nothing. */
  readonly origin: string;
}

/** Times are milliseconds since 1970. */
export type StoredConfigDevice = ConfigDeviceRow;
export type StoredConfigVersion = ConfigVersionRow;
export interface StoredConfigText extends Omit<Opened<ConfigTextRow>, "body" | "secrets"> {
  readonly body: Uint8Array;
  /** Null: it has none; undefined: they can no longer be decrypted. */
  readonly secrets: string | null | undefined;
}
export type StoredDue = ConfigDueRow;

/** Of a version, what a search needs to know before it has found something in it. */
export interface SearchedVersion extends Pick<ConfigVersionRow, "device" | "n" | "textId" | "bytes"> {}

/** The newest good version of a device. */
export interface SearchedDevice extends SearchedVersion, Pick<ConfigDeviceRow, "name" | "host"> {}

/** A text as it is stored. */
export type StoredBody = Pick<StoredConfigText, "id" | "base" | "body">;

export interface DeviceHeads {
  readonly device: StoredConfigDevice;
  /** Newest good version of the running configuration. */
  readonly latest: StoredConfigVersion | undefined;
  readonly good: number;
  readonly suspects: number;
}

/** Which devices: names in lower case; undefined: all. */
export interface DeviceCondition {
  readonly names?: readonly string[] | undefined;
  /** Only those whose name follows. */
  readonly after?: string | undefined;
  /** Only those up to this name. */
  readonly until?: string | undefined;
  /** Leaves out devices that are certainly not in this state. */
  readonly state?: DeviceHistoryState | undefined;
}

export interface VersionCondition {
  readonly device: number;
  readonly part: ConfigurationPart;
  /** Only those older than this one. */
  readonly before?: Pick<StoredConfigVersion, "takenAt" | "n"> | undefined;
  readonly state?: VersionState | undefined;
  /** Who asked for them: a name, of a person also by any of their keys. */
  readonly who?: string | undefined;
}

export interface ChangeCondition {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly state?: VersionState | undefined;
  /** As of `VersionCondition`. */
  readonly who?: string | undefined;
}

export interface ConfigHistory {
  /** Key of the marks that secrets get in texts: the same for the life of the installation. Hex. */
  markKey(): Promise<string>;

  /** By name in lower case. */
  device(name: string): Promise<StoredConfigDevice | undefined>;
  /** By name, with their newest versions. */
  devices(condition: DeviceCondition, limit: number): Promise<DeviceHeads[]>;
  /** Names, in lower case and their order, of those that have a good version of the running configuration. */
  readNames(after: string, limit: number): Promise<string[]>;
  /** By `n`, for devices of versions that were read. */
  devicesOf(ids: readonly number[]): Promise<StoredConfigDevice[]>;
  countDevices(): Promise<number>;

  /** The newest good version; undefined: there is none. @param name of the device in lower case */
  head(name: string, part: ConfigurationPart): Promise<StoredConfigVersion | undefined>;
  /** The newest whole text of the device and part, which later ones are stored as a difference from. */
  base(device: number, part: ConfigurationPart): Promise<StoredConfigText | undefined>;
  /** Newest first. */
  versions(condition: VersionCondition, limit: number): Promise<StoredConfigVersion[]>;
  countVersions(device: number, part: ConfigurationPart): Promise<number>;
  version(device: number, part: ConfigurationPart, version: number): Promise<StoredConfigVersion | undefined>;
  /** The newest good version taken at that time or before. */
  versionAt(device: number, part: ConfigurationPart, at: number): Promise<StoredConfigVersion | undefined>;
  /** Texts with those that they differ from; in no order. */
  texts(ids: readonly string[]): Promise<StoredConfigText[]>;
  /** The same without their secrets. */
  bodies(ids: readonly string[]): Promise<StoredBody[]>;
  /** Newest good version of the first `limit` devices that have one, by device id. */
  newest(part: ConfigurationPart, after: number, limit: number): Promise<SearchedDevice[]>;
  /** How many good versions devices have; 0 is left out. */
  countGood(part: ConfigurationPart, devices: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** All good versions of devices, by device id, the newest first. */
  good(part: ConfigurationPart, devices: readonly number[]): Promise<SearchedVersion[]>;
  /** Versions of all devices, newest first (`before`) or oldest first (`after`). */
  changes(condition: ChangeCondition, limit: number): Promise<StoredConfigVersion[]>;
  /** By `n`, in its order. */
  versionsOf(ns: readonly number[]): Promise<StoredConfigVersion[]>;
  /** Of a job, oldest first. */
  versionsOfJob(jobId: string): Promise<StoredConfigVersion[]>;

  /** Changes the note of a version, with an audit entry. @returns whether it exists */
  setNote(
    device: number,
    part: ConfigurationPart,
    version: number,
    note: string | null,
    by: Actor,
  ): Promise<boolean>;
  /** Gives the history of a device another name. `taken`: that name has one. */
  rename(name: string, to: NewConfigDevice, by: Actor): Promise<"renamed" | "gone" | "taken">;
  /** Those of these origins that the device and part have. @param name of the device in lower case */
  origins(name: string, part: ConfigurationPart, origins: readonly string[]): Promise<string[]>;
  /** Adds versions made elsewhere, oldest first; those of an origin that is known add nothing. @returns how many are new */
  add(device: NewConfigDevice, versions: readonly ImportedVersion[]): Promise<number>;

  /** Asks for a take in `inMs`, unless one is due before. */
  ask(due: Omit<StoredDue, "dueT" | "tries">, inMs: number): Promise<void>;
  /** Devices that are due, which this node takes for a minute: then they are due again, unless `done`. */
  takeDue(limit: number): Promise<StoredDue[]>;
  /** Removes those that were not asked for again. */
  done(taken: readonly StoredDue[]): Promise<void>;
  /** Milliseconds until the next one; undefined: none. */
  nextDueMs(): Promise<number | undefined>;

  /** Deletes old versions, at most a batch. The newest good one of a device and part stays. @returns how many */
  prune(keep: { readonly days: number; readonly versions: number }): Promise<number>;
  /** Deletes the whole history of a device, with an audit entry. @returns whether there was one */
  forget(name: string, by: Actor): Promise<boolean>;
  /** Sums: of suspects, unsaved and failed only devices that the inventory has. */
  summary(): Promise<{
    readonly devices: number;
    readonly versions: number;
    /** Devices of which no good text was read after a suspect one. */
    readonly suspects: number;
    readonly unsaved: number;
    readonly failed: number;
    /** When the device that has waited longest was last read well; undefined: none. */
    readonly oldestGoodAt: number | undefined;
  }>;
  /** Devices of the inventory whose last take failed, or that were last read well before a time: the oldest first. */
  stale(before: number, limit: number): Promise<StoredConfigDevice[]>;
  /** Devices of the inventory of which no good text was read after a suspect one, by name. */
  suspects(limit: number): Promise<StoredConfigDevice[]>;
  /** Of all stored texts: reads all of them. */
  bytes(): Promise<number>;
}

/** Times are milliseconds since 1970. */
export type StoredRemote = Omit<ConfigRemoteRow, "nextT">;
export interface ListedRemote extends StoredRemote, StoredWriter {}
export type StoredConfigName = ConfigNameRow;

/** What a push came to. */
export interface RemotePushed {
  readonly name: string;
  /** The definition that was pushed by: a newer one starts anew. */
  readonly own: string;
  /** All versions up to this one are there; as it was if the push failed. */
  readonly pushedN?: number | undefined;
  readonly head?: string | null | undefined;
  /** Why it failed. */
  readonly error?: string | undefined;
  /** When it is due again, if nothing new comes earlier. */
  readonly againMs: number;
}

/** Git repositories that good versions are pushed to, and the versions in the order in which they are written there. */
export interface ConfigRemotes {
  /** By name; those that somebody wrote, or all. */
  list(writtenBy?: SubmitterCondition): Promise<ListedRemote[]>;
  get(name: string): Promise<ListedRemote | undefined>;
  /** A changed definition is pushed from the beginning. @returns `full`: there are as many as may be */
  put(
    remote: { readonly name: string; readonly own: string; readonly owner: string },
    by: Actor,
  ): Promise<"added" | "changed" | "full">;
  /** @returns whether it existed */
  remove(name: string, by: Actor): Promise<boolean>;
  /** One that has versions to push and is due, for this node alone for that time. @param name even if it is not due */
  claim(forMs: number, name?: string): Promise<StoredRemote | undefined>;
  settle(pushed: RemotePushed): Promise<void>;
  /** Number of the newest good version; 0: there is none. */
  newestN(): Promise<number>;
  /** Number of good versions after that one. */
  countAfter(n: number): Promise<number>;
  /**
   * Good versions after that one, in the order in which they were stored; without those that were older than another
   * one of their device and part when they were stored.
   */
  exported(afterN: number, limit: number): Promise<StoredConfigVersion[]>;
  /** Names of devices, by device and `since`. */
  names(devices: readonly number[]): Promise<StoredConfigName[]>;
  /** Whether another device was given this name and group after `after` and up to `upTo`. */
  isNameTaken(name: StoredConfigName, upTo: number): Promise<boolean>;
  /** The newest exported version of a device and part before that one. */
  exportedBefore(version: StoredConfigVersion): Promise<StoredConfigVersion | undefined>;
}
