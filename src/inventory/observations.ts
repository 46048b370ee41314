/** Records what jobs learn about inventory devices: buffered in memory and flushed in batches. */

import { type Discovered, factsOf, isOpenPlatform } from "../api/facts.ts";
import { entryKey } from "../api/inventory.ts";
import type { Caller } from "../auth/port.ts";
import type { Log } from "../base/log.ts";
import type { NewObservation, Store } from "../store/port.ts";
import type { Inventory, Snapshot } from "./port.ts";

export interface SightingsOptions {
  readonly store: Pick<Store, "observations" | "clock">;
  readonly inventory: Pick<Inventory, "snapshot" | "patch">;
  readonly log: Log;
}

export interface Sightings {
  /** A job ended on this node. @param errorType the error type if it failed */
  ended(hostKey: string, errorType: string | undefined): void;
  /** A discovery job got an answer: flushed at once, with everything buffered. */
  discovered(discovered: Discovered): void;
  /** Writes the buffer; on failure it is kept for the next flush. */
  flush(): Promise<void>;
}

interface Seen {
  seenAt: number | null;
  loginFailedAt: number | null;
  loginError: string | null;
}

/** Outcomes that prove a successful login. */
const answered: ReadonlySet<string | undefined> = new Set([
  undefined,
  "CommandError",
  "ParseError",
  "OutputTooLarge",
]);
/** Errors before or during the login. All other errors say nothing about the login. */
const shut: ReadonlySet<string | undefined> = new Set([
  "AuthenticationFailed",
  "ConnectionRefused",
  "ConnectionTimeout",
  "HostKeyMismatch",
  "HostUnreachable",
]);
/** The maximum number of buffered hosts. */
const maxHosts = 50_000;

export function createObservations({ store, inventory, log }: SightingsOptions): Sightings {
  let hosts = new Map<string, Seen>();
  let discoveries: Discovered[] = [];
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;

  function ended(hostKey: string, errorType: string | undefined): void {
    const isAnswered = answered.has(errorType);
    if (!isAnswered && !shut.has(errorType)) return;
    const sighting = hosts.get(hostKey) ?? { seenAt: null, loginFailedAt: null, loginError: null };
    const now = store.clock.wall();
    if (isAnswered) sighting.seenAt = now;
    else Object.assign(sighting, { loginFailedAt: now, loginError: errorType });
    if (hosts.size < maxHosts) hosts.set(hostKey, sighting);
  }

  async function write(): Promise<void> {
    const [flushedHosts, flushedDiscoveries] = [hosts, discoveries];
    if (flushedHosts.size === 0 && flushedDiscoveries.length === 0) return;
    [hosts, discoveries] = [new Map(), []];
    try {
      const snapshot = await inventory.snapshot();
      if (snapshot.size > 0)
        await store.observations.write(newOf(snapshot, flushedHosts, flushedDiscoveries, store.clock.wall()));
    } catch (error) {
      log.warn("observations.not_written", { reason: String(error) });
      for (const [host, seen] of flushedHosts) if (!hosts.has(host)) hosts.set(host, seen);
      discoveries = [...flushedDiscoveries, ...discoveries].slice(-maxHosts);
      return;
    }
    for (const discovered of flushedDiscoveries) await apply(discovered);
  }

  /** Sets the platform only if the device has none. */
  async function apply({ discovery, platform }: Discovered): Promise<void> {
    if (discovery.apply === undefined || platform === null) return;
    const caller: Caller = { ...discovery.apply, scope: "admin", hosts: [] };
    try {
      const snapshot = await inventory.snapshot();
      const device = snapshot.device(discovery.device);
      if (device === undefined || !isOpenPlatform(device.platform)) return;
      const when = snapshot.ownDevice(discovery.device)?.revision;
      if (when !== undefined) await inventory.patch("device", discovery.device, { platform }, caller, when);
    } catch (error) {
      log.warn("discovery.not_applied", { device: discovery.device, reason: String(error) });
    }
  }

  /** Sightings that arrive during a flush go with the next one. */
  function flush(): Promise<void> {
    waiting ??= last.then(() => {
      waiting = undefined;
      last = write();
      return last;
    });
    return waiting;
  }

  return {
    ended,
    discovered(discovered) {
      discoveries.push(discovered);
      void flush();
    },
    flush,
  };
}

/** Devices with the same host share its observations. */
function newOf(
  snapshot: Snapshot,
  hosts: ReadonlyMap<string, Seen>,
  discoveries: readonly Discovered[],
  now: number,
): NewObservation[] {
  const observations = new Map<string, NewObservation>();
  for (const [host, seen] of hosts)
    for (const { name } of snapshot.devicesAt(host))
      observations.set(entryKey(name), { key: entryKey(name), ...seen, facts: null });
  for (const discovered of discoveries) {
    const key = entryKey(discovered.discovery.device);
    const former = observations.get(key) ?? { key, loginFailedAt: null, loginError: null };
    observations.set(key, { ...former, seenAt: now, facts: JSON.stringify(factsOf(discovered)) });
  }
  return [...observations.values()];
}
