/** What is known of devices beside what was written of them: for their records, and for selectors. */
import { type DeviceFacts, factNames, readFacts } from "../model/facts.ts";
import { type DeviceRecord, entryKey } from "../model/inventory.ts";
import type { HostKeySeen, Store, StoredSighting } from "../store/port.ts";
import type { EffectiveDevice, Snapshot } from "./port.ts";
import type { Iso } from "./records.ts";

export interface FactsTools {
  readonly store: Pick<Store, "sightings">["sightings"];
  readonly iso: Iso;
}

export interface KnownFacts {
  /** The same records of devices with what is known of each. */
  shown(snapshot: Snapshot, records: readonly DeviceRecord[]): Promise<DeviceRecord[]>;
}

const sshPort = 22;

export function createKnownFacts({ store, iso }: FactsTools): KnownFacts {
  return {
    async shown(snapshot, records) {
      if (records.length === 0) return [];
      const devices = records.map(({ name }) => snapshot.device(name));
      const known = devices.filter((device) => device !== undefined);
      const [sightings, keys] = await Promise.all([
        store.of(known.map(({ name }) => entryKey(name))),
        store.hostKeys([...new Set(known.flatMap(({ host, hostKey }) => [host, hostKey]))]),
      ]);
      const byKey = new Map(sightings.map((sighting) => [sighting.key, sighting]));
      const byHost = Map.groupBy(keys, ({ host }) => host);
      return records.map((record, at) => {
        const device = devices[at];
        const sighting = byKey.get(entryKey(record.name));
        const key = device && hostKeyOf(device, byHost);
        return { ...record, facts: sighting || key ? factsRecord(sighting, key, iso) : null };
      });
    },
  };
}

/** The one at its port; the newest of several kinds. */
function hostKeyOf(
  { host, hostKey, port }: EffectiveDevice,
  byHost: ReadonlyMap<string, readonly HostKeySeen[]>,
): HostKeySeen | undefined {
  const there = byHost.get(hostKey) ?? byHost.get(host) ?? [];
  return there.find((key) => key.port === (port ?? sshPort)) ?? (port === null ? there[0] : undefined);
}

function factsRecord(sighting: StoredSighting | undefined, key: HostKeySeen | undefined, iso: Iso) {
  const time = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : iso(ms));
  const facts: DeviceFacts = (sighting?.facts && readFacts(sighting.facts)) || {};
  return {
    ...Object.fromEntries(factNames.map((name) => [name, facts[name] ?? null])),
    discovered_at: time(sighting?.factsAt),
    seen_at: time(sighting?.seenAt),
    login_failed_at: time(sighting?.loginFailedAt),
    login_error: sighting?.loginError ?? null,
    host_key: key === undefined ? null : `${key.type} ${key.fingerprint}`,
  };
}
