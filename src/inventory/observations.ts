/** Records what jobs learn about inventory devices: buffered in memory and flushed in batches. */

import { type Discovered, factsOf, isOpenPlatform } from "../api/inventory/facts.ts";
import { entryKey } from "../api/inventory/inventory.ts";
import type { Caller } from "../auth/port.ts";
import type { Log } from "../base/log.ts";
import type { ClaimedJob, NewObservation, Store } from "../store/port.ts";
import type { Inventory, Snapshot } from "./port.ts";

export interface SightingsOptions {
  readonly store: Pick<Store, "observations" | "clock">;
  readonly inventory: Pick<Inventory, "snapshot" | "patch">;
  readonly log: Log;
}

export interface Sightings {
  /** A job ended on this node. @param errorType the error type if it failed */
  ended(job: Pick<ClaimedJob, "hostKey" | "device">, errorType: string | undefined): void;
  /** A discovery job got an answer: flushed at once, with everything buffered. */
  discovered(discovered: Discovered): void;
  /** Writes the buffer; on failure it is kept for the next flush. */
  flush(): Promise<void>;
}

/** What one device, or one address without a name, showed since the last flush. */
interface Seen extends Pick<ClaimedJob, "hostKey" | "device"> {
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
/** The maximum number of devices and addresses in the buffer. */
const maxBuffered = 50_000;

export function createObservations({ store, inventory, log }: SightingsOptions): Sightings {
  let sightings = new Map<string, Seen>();
  let discoveries: Discovered[] = [];
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;

  function ended(
    { hostKey, device }: Pick<ClaimedJob, "hostKey" | "device">,
    errorType: string | undefined,
  ): void {
    const isAnswered = answered.has(errorType);
    if (!isAnswered && !shut.has(errorType)) return;
    const key = JSON.stringify([hostKey, device]);
    const none = { seenAt: null, loginFailedAt: null, loginError: null };
    const sighting = sightings.get(key) ?? { hostKey, device, ...none };
    const now = store.clock.wall();
    if (isAnswered) sighting.seenAt = now;
    else Object.assign(sighting, { loginFailedAt: now, loginError: errorType });
    if (sightings.size < maxBuffered) sightings.set(key, sighting);
  }

  async function write(): Promise<void> {
    const [flushed, flushedDiscoveries] = [sightings, discoveries];
    if (flushed.size === 0 && flushedDiscoveries.length === 0) return;
    [sightings, discoveries] = [new Map(), []];
    try {
      const snapshot = await inventory.snapshot();
      if (snapshot.size > 0)
        await store.observations.write(
          newOf(snapshot, [...flushed.values()], flushedDiscoveries, store.clock.wall()),
        );
    } catch (error) {
      log.warn("observations.not_written", { reason: String(error) });
      for (const [key, seen] of flushed) if (!sightings.has(key)) sightings.set(key, seen);
      discoveries = [...flushedDiscoveries, ...discoveries].slice(-maxBuffered);
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

/** A job by name tells of that device; one by address of all devices there. */
function newOf(
  snapshot: Snapshot,
  sightings: readonly Seen[],
  discoveries: readonly Discovered[],
  now: number,
): NewObservation[] {
  const observations = new Map<string, NewObservation>();
  for (const { hostKey, device, ...seen } of sightings)
    for (const { name } of seenDevices(snapshot, hostKey, device))
      observations.set(entryKey(name), {
        ...merged(observations.get(entryKey(name)), seen),
        key: entryKey(name),
        facts: null,
      });
  for (const discovered of discoveries) {
    const key = entryKey(discovered.discovery.device);
    const former = observations.get(key) ?? { key, loginFailedAt: null, loginError: null };
    observations.set(key, { ...former, seenAt: now, facts: JSON.stringify(factsOf(discovered)) });
  }
  return [...observations.values()];
}

function seenDevices(
  snapshot: Snapshot,
  hostKey: string,
  device: string | null,
): readonly { name: string }[] {
  const there = snapshot.devicesAt(hostKey);
  if (device === null) return there;
  return there.filter(({ name }) => entryKey(name) === entryKey(device));
}

/** The later of both, each for itself. */
function merged(
  former: NewObservation | undefined,
  seen: Omit<Seen, "hostKey" | "device">,
): Omit<Seen, "hostKey" | "device"> {
  if (former === undefined) return seen;
  const isLater = (seen.loginFailedAt ?? 0) >= (former.loginFailedAt ?? 0);
  const failure = isLater ? seen : former;
  return {
    seenAt: Math.max(seen.seenAt ?? 0, former.seenAt ?? 0) || null,
    loginFailedAt: failure.loginFailedAt,
    loginError: failure.loginError,
  };
}
