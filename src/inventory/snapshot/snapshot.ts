/** The read view of a state: effective devices, indexed by name and host. */

import { entryKey } from "../../api/inventory/inventory.ts";
import { plainAddress } from "../../base/net/host-match.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { EffectiveDevice, EffectiveGroup, PushRules, Snapshot } from "../port.ts";
import { effectiveDevice, effectiveGroups, fromOf, pushRulesOf } from "./effective.ts";
import type { State } from "./state.ts";

const stretchMs = 10;
const none: readonly EffectiveDevice[] = [];

/** The sorted names, reused because most changes add or remove no device. */
let lastOrder: readonly string[] = [];

/** Yields to the event loop while it computes the devices of a large inventory. */
export async function createSnapshot(
  state: State,
  facts: Snapshot["facts"] = async () => new Map(),
): Promise<Snapshot> {
  const groups = effectiveGroups(state);
  const devices = new Map<string, EffectiveDevice>();
  const byHost = new Map<string, EffectiveDevice[]>();
  const all: EffectiveDevice[] = [];
  let since = performance.now();
  for (const key of orderOf(state)) {
    const entry = state.devices.get(key);
    if (entry === undefined) continue;
    const device = effectiveDevice(entry, groups);
    devices.set(key, device);
    all.push(device);
    const sameHost = byHost.get(device.hostKey);
    if (sameHost === undefined) byHost.set(device.hostKey, [device]);
    else sameHost.push(device);
    if (performance.now() - since < stretchMs) continue;
    await yieldToEventLoop();
    since = performance.now();
  }
  const lost = new Map<string, PushRules[]>();
  for (const { hostKey, group } of state.lost.values())
    lost.set(hostKey, [...(lost.get(hostKey) ?? []), pushRulesOf(group, groups)]);
  return snapshotOf(state, { groups, devices, byHost, lost, all, facts });
}

interface Parts {
  readonly groups: ReadonlyMap<string, EffectiveGroup>;
  readonly devices: ReadonlyMap<string, EffectiveDevice>;
  readonly byHost: ReadonlyMap<string, readonly EffectiveDevice[]>;
  /** Restrictions of devices that cannot be read, by host. */
  readonly lost: ReadonlyMap<string, readonly PushRules[]>;
  readonly all: readonly EffectiveDevice[];
  readonly facts: Snapshot["facts"];
}

function snapshotOf(state: State, { groups, devices, byHost, lost, all, facts }: Parts): Snapshot {
  const isRestricted = ({ window, change, lostGroup }: PushRules) =>
    (window?.length ?? 0) > 0 || change?.required === true || lostGroup !== undefined;
  let hasPushRules: boolean | undefined;
  let namesWithPushRules: readonly string[] | undefined;
  let sortedGroups: readonly EffectiveGroup[] | undefined;
  return {
    revision: state.revision,
    size: all.length,
    device: (name) => devices.get(entryKey(name)),
    group: (name) => groups.get(entryKey(name)),
    devicesAt: (hostKey) => byHost.get(hostKey) ?? none,
    pushRulesAt: (hostKey) => [...(byHost.get(hostKey) ?? none), ...(lost.get(hostKey) ?? [])],
    get hasPushRules() {
      // Unreadable groups show only at their devices.
      hasPushRules ??= all.some(isRestricted) || [...lost.values()].flat().some(isRestricted);
      return hasPushRules;
    },
    namesWithPushRules() {
      namesWithPushRules ??= [...byHost.keys(), ...lost.keys()].filter(
        (host) =>
          plainAddress(host) === undefined &&
          [...(byHost.get(host) ?? none), ...(lost.get(host) ?? [])].some(isRestricted),
      );
      return namesWithPushRules;
    },
    all: () => all,
    facts,
    groups() {
      sortedGroups ??= [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
      return sortedGroups;
    },
    ownDevice: (name) => state.devices.get(entryKey(name)),
    ownGroup: (name) => state.groups.get(entryKey(name)),
    from(name) {
      const entry = state.devices.get(entryKey(name));
      return entry && fromOf(entry, state);
    },
  };
}

function orderOf({ devices }: State): readonly string[] {
  if (lastOrder.length !== devices.size || !lastOrder.every((key) => devices.has(key)))
    lastOrder = [...devices.keys()].sort();
  return lastOrder;
}
