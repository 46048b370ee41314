/** The history of configurations as callers read it: devices, versions and texts within their reach. */
import {
  type ConfigurationPart,
  type ConfiguredDevice,
  noticeRequest,
  renameRequest,
  restoreRequest,
  statesOf,
  type VersionRecord,
  versionNote,
} from "../api/history/history.ts";
import { canonicalHost } from "../api/identity.ts";
import { entryKey } from "../api/inventory/inventory.ts";
import { anyCaller, requireScope, shareOf, submitterOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { mayReach, reachOf } from "../auth/reach.ts";
import { requireRight } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import { giveWay } from "../base/time/yield.ts";
import type { Inventory, Snapshot } from "../inventory/port.ts";
import { matchingDevices } from "../inventory/selector/matching-devices.ts";
import { readSelector } from "../inventory/selector/selector.ts";
import type { Jobs } from "../jobs/port.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { DriverPlugin } from "../plugin/index.ts";
import type { Pool } from "../pool/port.ts";
import type { DeviceHeads, Store, StoredConfigDevice, StoredConfigVersion } from "../store/port.ts";
import type { History, VersionChoice } from "./port.ts";
import type { ComparisonTools } from "./reading/comparisons.ts";
import { textOf } from "./reading/texts.ts";
import { deviceRecordOf, versionRecordOf } from "./records.ts";

export interface HistoryOptions extends Pick<ComparisonTools, "platform"> {
  readonly store: Pick<Store, "history" | "audit">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly iso: (ms: number) => string;
  readonly pool: Pick<Pool, "run">;
  readonly jobs: Pick<Jobs, "compare">;
  driver(name: string): DriverPlugin | undefined;
  /** A take is due. */
  onAsked(): void;
}

/** Rows read at once where a page of them may not match. */
const rowsAtOnce = 500;
const namesAtOnce = 2_000;
/** Reads per response; the cursor continues there. */
const maxReads = 40;
/** How long after a message that a configuration has changed it is read: more messages may follow. */
const afterNoticeMs = 60_000;

/** Loaded on demand: comparing and searching is no part of the start. */
async function loadReading(options: HistoryOptions) {
  const [{ createTextWork }, { createComparisons }, { createSearch }, { createRestores }] = await Promise.all(
    [
      import("./reading/text-work.ts"),
      import("./reading/comparisons.ts"),
      import("./reading/search.ts"),
      import("./restoring/restore.ts"),
    ],
  );
  const { createTextSearch } = await import("./reading/text-search.ts");
  const textSearch = createTextSearch(options.pool, options.store);
  const tools = { ...options, textWork: createTextWork(options.pool), textSearch };
  const comparisons = createComparisons(tools);
  return {
    ...comparisons,
    search: createSearch(tools),
    restores: createRestores({ ...tools, comparisons }),
  };
}

type Reading = Awaited<ReturnType<typeof loadReading>>;

export function createHistory(options: HistoryOptions): History {
  const { store, inventory, iso, onAsked } = options;
  const { history } = store;
  let reading: Promise<Reading> | undefined;
  const reader = () => (reading ??= loadReading(options));

  async function deviceOf(name: string, caller: Caller): Promise<StoredConfigDevice> {
    requireReader(caller);
    const [snapshot, device] = await Promise.all([inventory.snapshot(), history.device(entryKey(name))]);
    if (device !== undefined && maySee(caller, device, snapshot)) return device;
    const known = snapshot.device(name);
    const isKnown = known !== undefined && mayReach(caller, known.host);
    throw new ServiceError(
      "NotFound",
      isKnown
        ? `No configuration of ${known.name} has been read yet: read it first.`
        : `There is no history of a device "${name.slice(0, 128)}".`,
    );
  }

  async function versionOf(
    name: string,
    choice: VersionChoice,
    caller: Caller,
  ): Promise<{ device: StoredConfigDevice; version: StoredConfigVersion }> {
    const device = await deviceOf(name, caller);
    const found = await chosen(device, choice);
    if (found !== undefined) return { device, version: found };
    const { part, version, at } = choice;
    const which =
      version !== undefined
        ? `no version ${version}`
        : at !== undefined
          ? "no version that old"
          : "no good version";
    throw new ServiceError("NotFound", `${device.shown} has ${which} of its ${part} configuration.`);
  }

  function chosen(device: StoredConfigDevice, { part, version, at }: VersionChoice) {
    if (version !== undefined) return history.version(device.id, part, version);
    if (at !== undefined) return history.versionAt(device.id, part, at);
    return history.head(device.name, part);
  }

  async function recordOf(device: StoredConfigDevice): Promise<ConfiguredDevice> {
    const [[heads], snapshot] = await Promise.all([
      history.devices({ names: [device.name] }, 1),
      inventory.snapshot(),
    ]);
    return deviceRecordOf(heads ?? { ...nothing, device }, snapshot.device(device.name) !== undefined, iso);
  }

  return {
    async devices({ select, state }, caller, { limit, cursor, signal }) {
      requireReader(caller);
      const snapshot = await inventory.snapshot();
      const selected = await keysSelected(select, snapshot, caller, signal);
      const keys = selected === undefined ? keysOf(snapshot) : [...selected].sort(byCode);
      // Most have been read: their names are looked at in place of their versions.
      const isByNames = state === "missing" && selected === undefined;
      const narrowed = state === "missing" && !isByNames ? undefined : state;
      // Of those that were never read, only the one state is true.
      const unread = state === undefined || state === "missing" ? keys : [];
      const isSifted = state !== undefined || reachOf(caller.hosts).limited;
      const atOnce = isSifted ? rowsAtOnce : Math.min(limit, rowsAtOnce);
      const items: ConfiguredDevice[] = [];
      let after = cursor === undefined ? "" : nameOfCursor(cursor);
      for (let reads = 0; reads < maxReads; reads++) {
        await giveWay(shareOf(caller));
        const names = selected && keys.slice(lowerBound(keys, after)).slice(0, atOnce);
        const read = isByNames ? await history.readNames(after, namesAtOnce) : [];
        const until = read.length < namesAtOnce ? undefined : read.at(-1);
        const stored = await history.devices({ names, after, until, state: narrowed }, atOnce);
        const last =
          (names ?? stored).length < atOnce ? until : (names?.at(-1) ?? stored.at(-1)?.device.name);
        const isRead = new Set(read);
        for (const { key, heads } of merged(stored, unread, after, last)) {
          if (isRead.has(key)) continue;
          const known = snapshot.device(key);
          const isSeen =
            heads === undefined
              ? mayReach(caller, known?.host ?? "")
              : maySee(caller, heads.device, snapshot);
          if (!isSeen) continue;
          const record =
            heads === undefined
              ? known && unreadRecord(known)
              : deviceRecordOf(heads, known !== undefined, iso);
          if (record === undefined || (state !== undefined && !statesOf(record).includes(state))) continue;
          items.push(record);
          if (items.length === limit) return { items, next: cursorOfName(key) };
        }
        if (last === undefined) return { items, next: undefined };
        after = last;
      }
      return { items, next: cursorOfName(after) };
    },

    device: async (name, caller) => recordOf(await deviceOf(name, caller)),

    async versions(name, { part, who }, caller, { limit, cursor }) {
      const device = await deviceOf(name, caller);
      const before = cursor === undefined ? undefined : await versionAtCursor(device, part, cursor);
      const versions = await history.versions(
        { device: device.id, part, before, who: whoNamed(who, caller) },
        limit + 1,
      );
      const shown = versions.slice(0, limit);
      return {
        items: shown.map((version) => versionRecordOf(version, device.shown, iso)),
        next: versions.length > limit ? String(shown.at(-1)?.version) : undefined,
      };
    },

    async version(name, choice, caller) {
      const { device, version } = await versionOf(name, choice, caller);
      return versionRecordOf(version, device.shown, iso);
    },

    async text(name, choice, caller, secrets = false) {
      if (secrets) requireRight(caller, "history_secrets");
      const { device, version } = await versionOf(name, choice, caller);
      const text = await textOf(store, version, secrets);
      const record = versionRecordOf(version, device.shown, iso);
      if (secrets)
        await store.audit.add({
          caller,
          action: "history.secrets",
          host: device.host,
          outcome: "done",
          detail: `${device.shown} ${version.part} version ${version.version}`,
        });
      return { version: record, text };
    },

    async changes({ since, state, select, who }, caller, { limit, cursor, signal }) {
      requireReader(caller);
      const snapshot = await inventory.snapshot();
      const selected = await keysSelected(select, snapshot, caller, signal);
      const items: VersionRecord[] = [];
      let before = cursor === undefined ? undefined : numberOfCursor(cursor);
      const atOnce = selected === undefined && !reachOf(caller.hosts).limited ? limit : rowsAtOnce;
      for (let reads = 0; reads < maxReads; reads++) {
        await giveWay(shareOf(caller));
        const versions = await history.changes({ before, since, state, who: whoNamed(who, caller) }, atOnce);
        const devices = new Map(
          (await history.devicesOf(versions.map(({ device }) => device))).map((device) => [
            device.id,
            device,
          ]),
        );
        for (const version of versions) {
          before = version.n;
          const device = devices.get(version.device);
          if (!device || !maySee(caller, device, snapshot) || selected?.has(device.name) === false) continue;
          items.push(versionRecordOf(version, device.shown, iso));
          if (items.length === limit) return { items, next: String(version.n) };
        }
        if (versions.length < atOnce) return { items, next: undefined };
      }
      return { items, next: before === undefined ? undefined : String(before) };
    },

    async difference(name, { from, to, other }, form, caller, signal) {
      const second = await versionOf(other ?? name, to, caller);
      if (from !== undefined || other !== undefined) {
        const first = await versionOf(name, from ?? { part: to.part }, caller);
        return (await reader()).difference(first, second, form, caller, signal);
      }
      const { device, version } = second;
      const [before] = await history.versions(
        { device: device.id, part: to.part, before: version, state: "good" },
        1,
      );
      if (before === undefined)
        throw new ServiceError(
          "NotFound",
          `${device.shown} has no good version before version ${version.version}.`,
        );
      return (await reader()).difference({ device, version: before }, second, form, caller, signal);
    },

    blame: async (name, choice, caller, signal) =>
      (await reader()).blame(await versionOf(name, choice, caller), caller, signal),

    async search({ select, ever, ...query }, caller, { limit, cursor, signal }) {
      requireReader(caller);
      const snapshot = await inventory.snapshot();
      const selected = await keysSelected(select, snapshot, caller, signal);
      const maySeeDevice = (device: Pick<StoredConfigDevice, "name" | "host">) =>
        selected?.has(device.name) !== false && maySee(caller, device, snapshot);
      const position = cursor === undefined ? 0 : numberOfCursor(cursor);
      return (await reader()).search({ query, ever, maySee: maySeeDevice }, caller, {
        limit,
        position,
        signal,
      });
    },

    async restore(name, choice, body, caller, signal) {
      const request = checkShape(restoreRequest, body.value);
      const { restores } = await reader();
      return restores.draft(await versionOf(name, choice, caller), request, caller, signal);
    },

    async ofJob(jobId, caller) {
      requireReader(caller);
      const [versions, snapshot] = await Promise.all([history.versionsOfJob(jobId), inventory.snapshot()]);
      const devices = await history.devicesOf(versions.map(({ device }) => device));
      return versions.flatMap((version) => {
        const device = devices.find(({ id }) => id === version.device);
        return device && maySee(caller, device, snapshot)
          ? [versionRecordOf(version, device.shown, iso)]
          : [];
      });
    },

    async setNote(name, choice, body, caller) {
      requireScope(caller, "operate");
      const { note } = checkShape(versionNote, body.value);
      const { device, version } = await versionOf(name, choice, caller);
      await history.setNote(device.id, version.part, version.version, note, caller);
      return versionRecordOf({ ...version, note }, device.shown, iso);
    },

    async notify(body, caller) {
      requireScope(caller, "operate");
      const { device: name, host, user, text } = checkShape(noticeRequest, body.value);
      if ((name === undefined) === (host === undefined))
        refuse([{ path: "device", message: "is required, or `host`, but not both" }]);
      const snapshot = await inventory.snapshot();
      const device = name === undefined ? deviceAtHost(snapshot, host ?? "") : snapshot.device(name);
      if (device === undefined || !mayReach(caller, device.host))
        return refuse([
          {
            path: name === undefined ? "host" : "device",
            message: `There is no device "${(name ?? host ?? "").slice(0, 128)}" in the inventory that ${anyCaller} may reach.`,
          },
        ]);
      await history.ask(
        {
          ...{ name: entryKey(device.name), caller: caller.keyId, source: "notify", causeJobId: null },
          ...{ who: user ?? null, note: text ?? null },
        },
        afterNoticeMs,
      );
      onAsked();
      return { device: device.name, in_seconds: afterNoticeMs / 1_000 };
    },

    async rename(name, body, caller) {
      requireScope(caller, "admin");
      const { to } = checkShape(renameRequest, body.value);
      const device = await deviceOf(name, caller);
      const known = (await inventory.snapshot()).device(to);
      const { host, group, platform } = known ?? device;
      const outcome = await history.rename(
        device.name,
        { name: known?.name ?? to, host, group, platform },
        caller,
      );
      if (outcome === "taken")
        throw new ServiceError("InUse", `There is a history of a device "${to}" already.`);
      const renamed = await history.device(entryKey(to));
      return recordOf(renamed ?? device);
    },

    async forget(name, caller) {
      requireScope(caller, "admin");
      const device = await deviceOf(name, caller);
      if ((await inventory.snapshot()).device(device.name) !== undefined)
        throw new ServiceError(
          "InUse",
          `${device.shown} is in the inventory: its history is deleted after it was removed there.`,
        );
      await history.forget(device.name, caller);
    },
  };

  async function versionAtCursor(device: StoredConfigDevice, part: ConfigurationPart, cursor: string) {
    const found = await history.version(device.id, part, numberOfCursor(cursor));
    if (found !== undefined) return found;
    throw new ServiceError("BadRequest", "The version of this cursor is gone: begin again without a cursor.");
  }
}

const nothing = { latest: undefined, good: 0, suspects: 0 } as const;

export function requireReader(caller: Caller): void {
  requireScope(caller, "read");
  requireRight(caller, "history");
}

/** Names in lower case of the devices that a selector names; undefined: all. @throws ServiceError Validation */
export async function keysSelected(
  select: string | undefined,
  snapshot: Snapshot,
  caller: Caller,
  signal?: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  if (select === undefined) return undefined;
  const reach = reachOf(caller.hosts);
  const evaluation = { whose: shareOf(caller), signal };
  const devices = await matchingDevices(
    snapshot.all(),
    [readSelector(select)],
    snapshot,
    evaluation,
    ({ host }) => reach.allows(host),
  );
  return new Set(devices.map(({ name }) => entryKey(name)));
}

/** By the host that the inventory has now or, if it has the device no longer, by the last one. */
export function maySee(
  caller: Caller,
  { name, host }: Pick<StoredConfigDevice, "name" | "host">,
  snapshot: Snapshot,
): boolean {
  return mayReach(caller, snapshot.device(name)?.host ?? host);
}

function deviceAtHost(snapshot: Snapshot, host: string) {
  return snapshot.device(host) ?? snapshot.devicesAt(canonicalHost(host))[0];
}

function unreadRecord({
  name,
  host,
  group,
  platform,
}: Pick<StoredConfigDevice, "host" | "group" | "platform"> & { readonly name: string }): ConfiguredDevice {
  return {
    ...{ device: name, host, group, platform, in_inventory: true, versions: 0, latest: null, suspects: 0 },
    ...{ last_good_at: null, failed_at: null, error: null, unsaved: null },
  };
}

const sortedKeys = new WeakMap<Snapshot, readonly string[]>();

/** The order of the store. */
const byCode = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Of all devices of the inventory, in the order of the store. */
function keysOf(snapshot: Snapshot): readonly string[] {
  let keys = sortedKeys.get(snapshot);
  if (keys === undefined) {
    keys = snapshot
      .all()
      .map(({ name }) => entryKey(name))
      .sort(byCode);
    sortedKeys.set(snapshot, keys);
  }
  return keys;
}

/** Stored devices and those of the inventory, by name, behind one and up to another. */
function* merged(
  stored: readonly DeviceHeads[],
  keys: readonly string[],
  after: string,
  last: string | undefined,
): Generator<{ readonly key: string; readonly heads: DeviceHeads | undefined }> {
  let at = lowerBound(keys, after);
  const before = (key: string | undefined): key is string =>
    key !== undefined && (last === undefined || key <= last);
  for (const heads of [...stored, undefined]) {
    const { name } = heads?.device ?? {};
    for (let key = keys[at]; before(key) && (name === undefined || key < name); key = keys[++at])
      yield { key, heads: undefined };
    if (heads === undefined || name === undefined) return;
    if (keys[at] === name) at++;
    yield { key: name, heads };
  }
}

/** The position of the first key behind a text. */
function lowerBound(keys: readonly string[], text: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? "") <= text) low = middle + 1;
    else high = middle;
  }
  return low;
}

const cursorOfName = (name: string) => Buffer.from(name, "utf8").toString("base64url");
const nameOfCursor = (cursor: string) => Buffer.from(cursor, "base64url").toString("utf8");

/** @throws ServiceError BadRequest */
function numberOfCursor(cursor: string): number {
  const number = Number(cursor);
  if (/^\d{1,15}$/.test(cursor)) return number;
  throw new ServiceError("BadRequest", "cursor: it is not one of this list.");
}

/** `me`: the person of the caller, with all of their keys, or the key. */
function whoNamed(who: string | undefined, caller: Caller): string | undefined {
  return who === "me" ? submitterOf(caller).name : who;
}
