/**
 * What groups of the inventory say of pushes. Devices that need a change get no other push; a push waits until the
 * maintenance window of its device opens, and never starts after it.
 */

import { canonicalHost } from "../../api/identity.ts";
import type { Caller } from "../../auth/port.ts";
import { hasRight } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { addressesSpelled } from "../../base/net/address-spelling.ts";
import { plainAddress } from "../../base/net/host-match.ts";
import { allOf, readWindows, type Windows } from "../../base/time/maintenance-windows.ts";
import type { Inventory, PushRules, Snapshot } from "../../inventory/port.ts";
import type { Webhooks } from "../../store/port.ts";
import type { HostAddresses } from "./device/host-addresses.ts";
import type { CheckedOperation } from "./operation.ts";

export interface PushGateTools {
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly store: { readonly clock: { wall(): number }; readonly webhooks: Pick<Webhooks, "noteBreakGlass"> };
  readonly iso: (ms: number) => string;
  readonly addresses: HostAddresses;
}

/** Who pushes, and whether it is a part of a change. */
export interface Pusher {
  readonly caller: Caller;
  readonly change: boolean;
}

/** The restrictions found for a host, and why the list may be incomplete. */
interface Found {
  readonly rules: readonly PushRules[];
  readonly warning?: string;
}

type Taken = Extract<CheckedOperation, { ok: true }>;

/** Paths of the device itself, as opposed to jump hosts. */
const devicePaths = new Set(["connection_args", "connection_args.host"]);
/** Time limit for resolving one name. */
const oneNameMs = 2_000;
/** Time limit for all names of a request: a bulk may have thousands. */
const allNamesMs = 10_000;
const byTexts = new WeakMap<readonly string[], Windows>();

/** For one request: reads the inventory once, and only for pushes. */
export function createPushGate(
  { inventory, store, iso, addresses }: PushGateTools,
  { caller, change }: Pusher,
) {
  let snapshotRead: Promise<Snapshot> | undefined;
  /** Remaining time for name resolution. */
  let leftMs = allNamesMs;
  /** One entry of the trail a request. */
  let isNoted = false;

  return async (checked: CheckedOperation): Promise<CheckedOperation> => {
    if (!checked.ok || checked.operation.operation !== "config") return checked;
    // The timer of a device waits for no window.
    if (checked.operation.payload.ends !== undefined) return checked;
    snapshotRead ??= inventory.snapshot();
    const snapshot = await snapshotRead;
    if (!snapshot.hasPushRules) return checked;
    const { rules, warning } = await rulesOf(checked, snapshot);
    const despite = await requireChange(rules, checked.operation, snapshot);
    const restricted = withHold(checked, rules);
    const warnings = [despite, warning].filter((one) => one !== undefined);
    if (warnings.length === 0 || !restricted.ok) return restricted;
    const { operation } = restricted;
    return { ...restricted, operation: { ...operation, warnings: [...operation.warnings, ...warnings] } };
  };

  /**
   * @returns a warning: a key for emergencies pushes in spite of it
   * @throws ServiceError InUse
   */
  async function requireChange(
    rules: readonly PushRules[],
    { host, dryRun }: Taken["operation"],
    snapshot: Snapshot,
  ): Promise<string | undefined> {
    const rule = rules.find((one) => one.change?.required === true);
    if (rule === undefined || change || dryRun) return undefined;
    const named = [host, ...addressesSpelled(host)]
      .flatMap((one) => snapshot.devicesAt(canonicalHost(one)))
      .find((one) => one.change?.required === true);
    const device = named?.name ?? host;
    const group = rule.changeFrom.required ?? "";
    // What a schedule or another system does is no emergency.
    const kind = caller.submitter?.kind;
    if (!hasRight(caller, "break_glass") || kind === "schedule" || kind === "hook")
      throw new ServiceError("InUse", needsChange(device, group));
    if (!isNoted) {
      const detail = `push to ${device} without a change, which the group ${group} requires`;
      const entry = { caller, action: "break_glass.used" as const, outcome: "used", detail };
      await store.webhooks.noteBreakGlass(entry, device);
      isNoted = true;
    }
    return `pushed without a change, which the group ${group} requires: with the key for emergencies`;
  }

  async function rulesOf({ operation, hosts }: Taken, snapshot: Snapshot): Promise<Found> {
    const named = hosts.filter(({ path }) => devicePaths.has(path));
    const stated = [operation.host, ...named.map(({ host }) => host)];
    const spelled = stated.flatMap((host) => [host, ...addressesSpelled(host)]);
    const keys = [...new Set(spelled.map(canonicalHost))];
    const rules = keys.flatMap((key) => snapshot.pushRulesAt(key));
    // The inventory knows the name: no need to compare addresses.
    if (rules.length > 0 || keys.some((key) => snapshot.devicesAt(key).length > 0)) return { rules };
    const isRemote = named.some(({ remote }) => remote === true);
    return rulesByAddress(keys, isRemote, snapshot);
  }

  /** @param isRemote a jump host resolves the name, so its addresses are unknown here. */
  async function rulesByAddress(
    keys: readonly string[],
    isRemote: boolean,
    snapshot: Snapshot,
  ): Promise<Found> {
    const isAddress = (key: string) => plainAddress(key) !== undefined;
    const ipAddresses = keys.filter(isAddress);
    const names = isRemote || ipAddresses.length > 0 ? [] : keys;
    let isLate = false;
    for (const name of names) {
      const ofName = await timed((ms) => addresses.of(name, ms));
      if (ofName === undefined) isLate = true;
      else ipAddresses.push(...ofName);
    }
    if (ipAddresses.length === 0) return { rules: [], ...(isLate ? { warning: lateName } : {}) };
    const resolved = await timed((ms) => addresses.among(snapshot.namesWithPushRules(), ms));
    const candidates = new Set(ipAddresses.flatMap((address) => [address, ...resolved.at(address)]));
    const rules = [...candidates].flatMap((key) => snapshot.pushRulesAt(key));
    return { rules, ...(resolved.missing > 0 ? { warning: missingNames(resolved.missing) } : {}) };
  }

  async function timed<T>(lookup: (withinMs: number) => Promise<T>): Promise<T> {
    const from = performance.now();
    const result = await lookup(Math.min(oneNameMs, leftMs));
    leftMs = Math.max(0, leftMs - (performance.now() - from));
    return result;
  }

  function withHold(checked: Taken, rules: readonly PushRules[]): CheckedOperation {
    const { operation } = checked;
    const lost = rules.find(({ lostGroup }) => lostGroup !== undefined);
    if (lost !== undefined) return refused(operation, lostText(lost.lostGroup ?? ""));
    const windows = windowsOf(rules);
    if (windows === undefined) return checked;
    const from = Math.max(store.clock.wall(), operation.notBefore ?? 0);
    const opens = windows.nextOpen(from);
    const open = opens === undefined ? undefined : windows.openAt(opens);
    const windowTexts = windows.texts.join(", ").slice(0, 500);
    if (opens === undefined || open === undefined) {
      const message = `the maintenance windows of the groups of this device do not overlap within four weeks: ${windowTexts}`;
      return refused(operation, message);
    }
    const closes = `it is not started after ${iso(open.to)}`;
    const warning =
      opens > from
        ? `held until ${iso(opens)}, when the maintenance window of its group opens (${windowTexts}); ${closes}`
        : `the maintenance window of its group (${windowTexts}) closes before its ttl is over: ${closes}`;
    const isTold = opens > from || open.to < from + operation.ttlMs;
    return {
      ...checked,
      operation: {
        ...operation,
        notBefore: opens > from ? opens : operation.notBefore,
        windowEnd: open.to,
        warnings: isTold ? [...operation.warnings, warning] : operation.warnings,
      },
    };
  }
}

/** For who would push to the device. */
export function needsChange(device: string, group: string): string {
  return `${device} gets configuration by changes only: the group ${group} of the inventory requires it. Draft one (at the command line: patchbay push --as-change). A dry run is allowed.`;
}

function refused({ host, deviceType }: Taken["operation"], message: string): CheckedOperation {
  return { ok: false, issues: [{ path: "connection_args.host", message }], host, deviceType };
}

function lostText(group: string): string {
  return `is in the group ${group}, which cannot be read, so its maintenance window is unknown. See inventory.unreadable in the log and write the group again`;
}

const lateName =
  "its name was not resolved in time: what the inventory says of pushes to its address, such as a maintenance window, was not applied";

function missingNames(count: number): string {
  return `the names of ${count} devices that the inventory restricts pushes to could not be resolved: if this is the address of one of them, its maintenance window was not applied, nor whether it needs a change`;
}

function windowsOf(rules: readonly PushRules[]): Windows | undefined {
  const lists = new Set<readonly string[]>();
  for (const { window } of rules) if (window && window.length > 0) lists.add(window);
  return lists.size === 0 ? undefined : allOf([...lists].map(windowsIn));
}

function windowsIn(texts: readonly string[]): Windows {
  const read = byTexts.get(texts) ?? readWindows(texts);
  byTexts.set(texts, read);
  return read;
}
