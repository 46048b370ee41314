/** Facts about devices learned from jobs and discovery, for their records and for selectors. */

import * as v from "valibot";
import { type DeviceFacts, factNames, readFacts } from "../api/inventory/facts.ts";
import { type DeviceRecord, entryKey } from "../api/inventory/inventory.ts";
import { yieldToEventLoop } from "../base/time/yield.ts";
import type { HostKeySeen, Store, StoredObservation } from "../store/port.ts";
import type { EffectiveDevice, Snapshot } from "./port.ts";
import type { Iso } from "./snapshot/records.ts";

export interface FactsTools {
  readonly store: Pick<Store, "observations">["observations"];
  readonly iso: Iso;
}

export interface KnownFacts {
  /** Adds the known facts to device records. */
  shown(snapshot: Snapshot, records: readonly DeviceRecord[]): Promise<DeviceRecord[]>;
  /** Discovered facts, by lower-cased device name. */
  all(): Promise<ReadonlyMap<string, DeviceFacts>>;
}

const pageSize = 1_000;
/** Unknown facts are null. */
const told = v.object(v.entriesFromList(factNames, v.nullish(v.string(), null)));

const sshPort = 22;

export function createKnownFacts({ store, iso }: FactsTools): KnownFacts {
  let factsByKey = new Map<string, DeviceFacts>();
  let revision = 0;
  let reading: Promise<unknown> = Promise.resolve();

  /** Reads what was discovered since the last call, or everything again if entries have disappeared. */
  async function refresh(): Promise<ReadonlyMap<string, DeviceFacts>> {
    await readOn();
    if (factsByKey.size === (await store.countDiscovered())) return factsByKey;
    [factsByKey, revision] = [new Map(), 0];
    await readOn();
    return factsByKey;
  }

  async function readOn(): Promise<void> {
    for (;;) {
      const page = await store.discovered(revision, pageSize);
      for (const { key, facts } of page) factsByKey.set(key, (facts && readFacts(facts)) || {});
      revision = Math.max(revision, ...page.map((entry) => entry.revision ?? 0));
      if (page.length < pageSize) return;
      await yieldToEventLoop();
    }
  }

  return {
    all() {
      const fresh = reading.then(refresh);
      reading = fresh.catch(() => {});
      return fresh;
    },
    async shown(snapshot, records) {
      if (records.length === 0) return [];
      const devices = records.map(({ name }) => snapshot.device(name));
      const existing = devices.filter((device) => device !== undefined);
      const [observations, keys] = await Promise.all([
        store.of(existing.map(({ name }) => entryKey(name))),
        store.hostKeys([...new Set(existing.flatMap(({ host, hostKey }) => [host, hostKey]))]),
      ]);
      const byKey = new Map(observations.map((observation) => [observation.key, observation]));
      const byHost = Map.groupBy(keys, ({ host }) => host);
      return records.map((record, at) => {
        const device = devices[at];
        const observation = byKey.get(entryKey(record.name));
        const key = device && hostKeyOf(device, byHost);
        return { ...record, facts: observation || key ? factsRecord(observation, key, iso) : null };
      });
    },
  };
}

/** The host key at the port of the device; of several types the one seen last. */
function hostKeyOf(
  { host, hostKey, port }: EffectiveDevice,
  byHost: ReadonlyMap<string, readonly HostKeySeen[]>,
): HostKeySeen | undefined {
  const keys = byHost.get(hostKey) ?? byHost.get(host) ?? [];
  return keys.find((key) => key.port === (port ?? sshPort)) ?? (port === null ? keys[0] : undefined);
}

function factsRecord(observation: StoredObservation | undefined, key: HostKeySeen | undefined, iso: Iso) {
  const time = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : iso(ms));
  const facts: DeviceFacts = (observation?.facts && readFacts(observation.facts)) || {};
  return {
    ...v.parse(told, facts),
    discovered_at: time(observation?.factsAt),
    seen_at: time(observation?.seenAt),
    login_failed_at: time(observation?.loginFailedAt),
    login_error: observation?.loginError ?? null,
    host_key: key === undefined ? null : `${key.type} ${key.fingerprint}`,
  };
}
