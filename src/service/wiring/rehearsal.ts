/** Wires rehearsals and the record of lines. */
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { net } from "../../base/lazy-modules.ts";
import type { Log } from "../../base/log.ts";
import { neverAborted, within } from "../../base/time/deadline.ts";
import { createForesights } from "../../history/restoring/foresights.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { Pool } from "../../pool/port.ts";
import type { Registry } from "../../registry/registry.ts";
import { createLineRecord } from "../../rehearsal/record.ts";
import { createRehearsals } from "../../rehearsal/rehearsals.ts";
import type { Store } from "../../store/port.ts";

interface RehearsalParts {
  readonly store: Store;
  readonly pool: Pool;
  readonly inventory: Inventory;
  readonly log: Log;
  readonly iso: (ms: number) => string;
  readonly registry: Registry;
}

export function assembleRehearsals({ store, pool, inventory, log, iso, registry }: RehearsalParts) {
  const found = {
    driver: (name: string) => registry.get("driver", name),
    platform: (name: string) => registry.get("platform", name),
  };
  const foresights = createForesights({ store, pool, ...found });
  const lineRecord = createLineRecord({ store, inventory, log, iso, ...found });
  return {
    lineRecord,
    rehearsals: createRehearsals({ ...{ store, inventory, foresights, iso, addressesOf }, ...found }),
    /** Writes what pushes have taught, with what others write at the same time. */
    async beat(...others: readonly Promise<unknown>[]): Promise<void> {
      await Promise.all([lineRecord.flush(), ...others]);
    },
  };
}

const lookupMs = 2_000;

/** Addresses of a host, and our own on the way to it. Nothing is sent. */
async function addressesOf(
  host: string,
): Promise<{ readonly hosts: readonly string[]; readonly locals: readonly string[] }> {
  try {
    const found = await within(
      lookup(host, { all: true }),
      lookupMs,
      neverAborted,
      () => new Error("no answer"),
    );
    const hosts = found.map(({ address }) => address);
    const [first] = hosts;
    return { hosts, locals: first === undefined ? [] : [await ownAddress(first)] };
  } catch {
    return { hosts: [], locals: [] };
  }
}

/** A datagram socket that is connected knows its own address without a word to the other end. */
function ownAddress(host: string): Promise<string> {
  const socket = createSocket(net().isIPv6(host) ? "udp6" : "udp4");
  return new Promise<string>((resolve, reject) => {
    socket.on("error", reject);
    socket.connect(9, host, () => resolve(socket.address().address));
  }).finally(() => socket.close());
}
