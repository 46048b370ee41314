/** The interface of the inventory: devices with what they inherit, as they are at one moment, and changes to them. */
import type { Caller } from "../auth/port.ts";
import type { DeviceFacts } from "../model/facts.ts";
import type {
  DeviceRecord,
  EntryKind,
  GroupRecord,
  OwnDevice,
  OwnGroup,
  UpsertAnswer,
  UpsertMode,
} from "../model/inventory.ts";
import type { Actor } from "../store/port.ts";

/** What a push to a host must heed. */
export interface Brake {
  /** When it may be configured: of the nearest group that says so. */
  readonly window: readonly string[] | null;
  /** A group above it that can not be read: what that gives is not known. */
  readonly lostGroup: string | undefined;
}

/** A device with what it inherits. Values are shared between devices: never changed by who reads them. */
export interface EffectiveDevice extends Brake {
  readonly name: string;
  readonly host: string;
  /** The host in canonical form, as jobs have it. */
  readonly hostKey: string;
  readonly port: number | null;
  readonly platform: string | null;
  readonly driver: string | null;
  readonly site: string | null;
  readonly role: string | null;
  readonly tags: readonly string[];
  readonly group: string | null;
  /** Its own group, that group's parent, and so on. */
  readonly groups: readonly string[];
  readonly enabled: boolean;
  /** A reference, as in `connection_args.credential`. */
  readonly credential: Readonly<Record<string, unknown>> | null;
  readonly connection: Readonly<Record<string, unknown>>;
  readonly vars: Readonly<Record<string, unknown>>;
  /** Which source brought it; null: a caller. */
  readonly source: string | null;
}

/** A group with what it inherits. */
export interface EffectiveGroup
  extends Omit<EffectiveDevice, "host" | "hostKey" | "group" | "enabled" | "groups"> {
  readonly parent: string | null;
  readonly description: string | null;
  /** The group itself, its parent, and so on. */
  readonly groups: readonly string[];
}

/** The inventory at one revision; it never changes. Names are found whatever their case. */
export interface Snapshot {
  readonly revision: number;
  /** How many devices there are. */
  readonly size: number;
  device(name: string): EffectiveDevice | undefined;
  group(name: string): EffectiveGroup | undefined;
  /** @param hostKey a host in canonical form. */
  devicesAt(hostKey: string): readonly EffectiveDevice[];
  /** The same, and what is known of devices there that can not be read. */
  brakesAt(hostKey: string): readonly Brake[];
  /** Whether any host has one. */
  readonly hasBrakes: boolean;
  /** Those that are names and have one, in canonical form; the same list each time. */
  brakedNames(): readonly string[];
  /** By name; the same list each time. */
  all(): readonly EffectiveDevice[];
  /** By name; the same list each time. */
  groups(): readonly EffectiveGroup[];
  /** As it was written. */
  ownDevice(name: string): Written<OwnDevice> | undefined;
  ownGroup(name: string): Written<OwnGroup> | undefined;
  /** What devices said they are, by name in small letters: as it is known now, and no part of the revision. */
  facts(): Promise<ReadonlyMap<string, DeviceFacts>>;
  /** Where its values come from: `{"port": "group:core", "vars.ntp": "device"}`. */
  from(name: string): Readonly<Record<string, string>> | undefined;
}

export interface Written<T> {
  readonly own: T;
  /** Of the inventory, when it was changed last. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  readonly source: string | null;
}

/** What an upsert is given; each entry is checked by it. */
export interface InventoryDocument {
  readonly devices?: readonly unknown[] | null | undefined;
  readonly groups?: readonly unknown[] | null | undefined;
}

export interface ApplyOptions {
  /** Default `merge`. A mirror removes devices; groups only where the document has a list of them. */
  readonly mode?: UpsertMode | undefined;
  /** Nothing is written; limits on changes do not refuse it. */
  readonly dryRun?: boolean | undefined;
  /** More that are added, changed and removed are refused. */
  readonly maxChanges?: number | null | undefined;
  readonly maxRemovals?: number | null | undefined;
  /** What is added is noted as brought by it; a mirror removes nothing but what the source itself has brought. */
  readonly source?: string | undefined;
  /** Names the place of an entry in an issue; default `devices.17`. A field follows it: `devices.17.port`. */
  readonly place?: ((kind: EntryKind, index: number) => string) | undefined;
}

/** What of the inventory is listed. */
export interface DeviceFilter {
  /** In this group, or in one below it. */
  readonly group?: string | undefined;
  /** What a selector says. */
  readonly matches?: ((device: EffectiveDevice) => boolean) | undefined;
}

export interface PageAsked {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly effective: boolean;
}

export interface PageOf<T> {
  readonly entries: readonly T[];
  /** The cursor of what follows, also where records are so large that fewer than the limit are given; undefined: this is the end. */
  readonly next: string | undefined;
  /** How many fit the filter. */
  readonly total: number;
}

/** What must be so for a change: the entry is at this revision, is there (`*`), or is not there (`none`). */
export type Precondition = number | "*" | "none" | undefined;

export interface Changed<T> {
  readonly record: T;
  readonly added: boolean;
}

/**
 * Reading is for scope `read` and shows what the key reaches; writing for scope `admin` of a key that may reach all
 * hosts. All throw ServiceError: Unavailable when the store does not answer, and what each names itself.
 */
export interface Inventory {
  /** As it is now, on whichever node it was changed last. */
  snapshot(): Promise<Snapshot>;

  /**
   * Adds, changes and, as a mirror, removes: all of it in one transaction, or nothing. Asks no scope: `caller` is who
   * is named in the audit trail.
   * @throws ServiceError Validation (issues by place; too many changes), PayloadTooLarge (too many devices or groups),
   * TooManyRequests (too many changes wait)
   */
  apply(document: InventoryDocument, options: ApplyOptions, caller: Actor): Promise<UpsertAnswer>;

  /** POST /inventory/device: the same from a body. @throws ServiceError as `apply`; Forbidden */
  upsert(body: unknown, caller: Caller): Promise<UpsertAnswer>;

  listDevices(filter: DeviceFilter, caller: Caller, page: PageAsked): Promise<PageOf<DeviceRecord>>;
  listGroups(caller: Caller, page: PageAsked): Promise<PageOf<GroupRecord>>;
  /** @throws ServiceError NotFound */
  read(kind: EntryKind, name: string, caller: Caller, effective: boolean): Promise<DeviceRecord>;
  /** In place of what is there. @throws ServiceError as `apply`; Forbidden, PreconditionFailed */
  put(
    kind: EntryKind,
    name: string,
    body: unknown,
    caller: Caller,
    when: Precondition,
  ): Promise<Changed<DeviceRecord>>;
  /** A JSON merge patch (RFC 7396). @throws ServiceError as `put`; NotFound */
  patch(
    kind: EntryKind,
    name: string,
    body: unknown,
    caller: Caller,
    when: Precondition,
  ): Promise<Changed<DeviceRecord>>;
  /** @throws ServiceError as `put`; NotFound, InUse (a group that devices or groups are in) */
  remove(kind: EntryKind, name: string, caller: Caller, when: Precondition): Promise<void>;
}
