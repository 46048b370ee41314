/** The interface of the inventory: snapshots of devices with their inherited values, and changes to them. */

import type { ChangePolicy, PolicyMember } from "../api/changes/change-policy.ts";
import type { DeviceFacts } from "../api/inventory/facts.ts";
import type {
  DeviceRecord,
  EntryKind,
  GroupRecord,
  OwnDevice,
  OwnGroup,
  UpsertAnswer,
  UpsertMode,
} from "../api/inventory/inventory.ts";
import type { CredentialRights } from "../auth/credentials.ts";
import type { Caller } from "../auth/port.ts";
import type { Actor } from "../store/port.ts";

/** Who changes the inventory; what the service notes by itself has no limits. */
export type Changer = Actor & Partial<CredentialRights>;

/** What restricts a push to a host. */
export interface PushRules {
  /** The maintenance windows of the nearest group that has some; null: none. */
  readonly window: readonly string[] | null;
  /** What changes need, of each member the nearest group's word; null: nothing. */
  readonly change: ChangePolicy | null;
  /** The group that says each. */
  readonly changeFrom: Readonly<Partial<Record<PolicyMember, string>>>;
  /** An ancestor group that cannot be read; its restrictions are unknown. */
  readonly lostGroup: string | undefined;
}

/** A device with its inherited values. Values are shared between devices: do not mutate them. */
export interface EffectiveDevice extends PushRules {
  readonly name: string;
  readonly host: string;
  /** The host in canonical form, as in jobs. */
  readonly hostKey: string;
  readonly port: number | null;
  readonly platform: string | null;
  readonly driver: string | null;
  readonly site: string | null;
  readonly role: string | null;
  readonly tags: readonly string[];
  readonly group: string | null;
  /** Its group and all ancestors, nearest first. */
  readonly groups: readonly string[];
  readonly enabled: boolean;
  /** A reference, as in `connection_args.credential`. */
  readonly credential: Readonly<Record<string, unknown>> | null;
  readonly connection: Readonly<Record<string, unknown>>;
  readonly vars: Readonly<Record<string, unknown>>;
  /** The source that created it; null: a caller did. */
  readonly source: string | null;
}

/** A group with its inherited values. */
export interface EffectiveGroup
  extends Omit<EffectiveDevice, "host" | "hostKey" | "group" | "enabled" | "groups"> {
  readonly parent: string | null;
  readonly description: string | null;
  /** The group itself and all ancestors, nearest first. */
  readonly groups: readonly string[];
}

/** The inventory at one revision, immutable. Names are matched regardless of case. */
export interface Snapshot {
  readonly revision: number;
  /** The number of devices. */
  readonly size: number;
  device(name: string): EffectiveDevice | undefined;
  group(name: string): EffectiveGroup | undefined;
  /** @param hostKey a host in canonical form. */
  devicesAt(hostKey: string): readonly EffectiveDevice[];
  /** The restrictions of all devices at a host, including devices that cannot be read. */
  pushRulesAt(hostKey: string): readonly PushRules[];
  /** Whether any host has a restriction. */
  readonly hasPushRules: boolean;
  /** Restricted hosts that are names and not addresses, in canonical form. The same array on each call. */
  namesWithPushRules(): readonly string[];
  /** Sorted by name. The same array on each call. */
  all(): readonly EffectiveDevice[];
  /** Sorted by name. The same array on each call. */
  groups(): readonly EffectiveGroup[];
  /** The entry as written, without inherited values. */
  ownDevice(name: string): Written<OwnDevice> | undefined;
  ownGroup(name: string): Written<OwnGroup> | undefined;
  /** Discovered facts by lower-cased device name: always the latest, not part of the revision. */
  facts(): Promise<ReadonlyMap<string, DeviceFacts>>;
  /** The origin of each value: `{"port": "group:core", "vars.ntp": "device"}`. */
  from(name: string): Readonly<Record<string, string>> | undefined;
}

export interface Written<T> {
  readonly own: T;
  /** The inventory revision of the last change. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  readonly source: string | null;
}

/** The input of an upsert, which validates each entry. */
export interface InventoryDocument {
  readonly devices?: readonly unknown[] | null | undefined;
  readonly groups?: readonly unknown[] | null | undefined;
}

export interface ApplyOptions {
  /** Default `merge`. A mirror removes missing devices, and missing groups if the document has a list of groups. */
  readonly mode?: UpsertMode | undefined;
  /** Creates groups that entries name and that do not exist; else they are an error. */
  readonly createGroups?: boolean | undefined;
  /** Writes nothing, and ignores the limits on changes. */
  readonly dryRun?: boolean | undefined;
  /** Refuses a change that adds, changes and removes more entries than this. */
  readonly maxChanges?: number | null | undefined;
  readonly maxRemovals?: number | null | undefined;
  /** Recorded as the source of added entries; a mirror removes only entries of this source. */
  readonly source?: string | undefined;
  /** The path of an entry in issues; default `devices.17`, as in `devices.17.port`. */
  readonly place?: ((kind: EntryKind, index: number) => string) | undefined;
}

/** Which devices to list. */
export interface DeviceFilter {
  /** In this group or a descendant of it. */
  readonly group?: string | undefined;
  /** A selector. */
  readonly select?: string | undefined;
  /** Aborted when the caller disconnects. */
  readonly signal?: AbortSignal | undefined;
}

export interface PageAsked {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly effective: boolean;
}

export interface PageOf<T> {
  readonly entries: readonly T[];
  /** The cursor of the next page; undefined at the end. Large records may end a page before the limit. */
  readonly next: string | undefined;
  /** The number of entries that match the filter. */
  readonly total: number;
}

/** The required state before a change: a revision, present (`*`), or absent (`none`). */
export type Precondition = number | "*" | "none" | undefined;

export type EntryRecord = DeviceRecord | GroupRecord;

export interface Changed {
  readonly record: EntryRecord;
  readonly added: boolean;
}

/**
 * Reads need scope `read` and are filtered by what the key may reach; writes need scope `admin` and a key without
 * host limits. All methods throw ServiceError Unavailable when the store does not answer, besides what each lists.
 */
export interface Inventory {
  /** The current inventory, including changes made on other nodes. */
  snapshot(): Promise<Snapshot>;

  /**
   * Adds, changes and, as a mirror, removes entries in one transaction. Does not check the scope: `caller` is only
   * named in the audit trail.
   * @throws ServiceError Forbidden (a credential that the key may not use), Validation (issues by place; too many changes), PayloadTooLarge (too many devices or groups),
   * TooManyRequests (too many changes wait)
   */
  apply(document: InventoryDocument, options: ApplyOptions, caller: Changer): Promise<UpsertAnswer>;

  /** `apply` for the body of POST /inventory/device. @throws ServiceError as `apply`; Forbidden */
  upsert(body: unknown, caller: Caller): Promise<UpsertAnswer>;

  listDevices(filter: DeviceFilter, caller: Caller, page: PageAsked): Promise<PageOf<DeviceRecord>>;
  listGroups(caller: Caller, page: PageAsked): Promise<PageOf<GroupRecord>>;
  /** @throws ServiceError NotFound */
  read(kind: EntryKind, name: string, caller: Caller, effective: boolean): Promise<EntryRecord>;
  /** Replaces or creates the entry. @throws ServiceError as `apply`; Forbidden, PreconditionFailed */
  put(kind: EntryKind, name: string, body: unknown, caller: Caller, when: Precondition): Promise<Changed>;
  /** A JSON merge patch (RFC 7396). @throws ServiceError as `put`; NotFound */
  patch(kind: EntryKind, name: string, body: unknown, caller: Caller, when: Precondition): Promise<Changed>;
  /** @throws ServiceError as `put`; NotFound, InUse (a group that still has members) */
  remove(kind: EntryKind, name: string, caller: Caller, when: Precondition): Promise<void>;
}
