/** Imports a text atomically, and exports what the caller's key may see. */

import type { OwnGroup } from "../../api/inventory/inventory.ts";
import { requireScope, shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { giveWay } from "../../base/time/yield.ts";
import { seenBy } from "../lists.ts";
import type { DeviceFilter, EffectiveDevice, Inventory, Snapshot } from "../port.ts";
import { requireWriter } from "../rights.ts";
import { filteredDevices } from "../selector/matching-devices.ts";
import { documentOf } from "./document-text.ts";
import type { Exported, Formats, InventoryExchange, TextReader, TextWriter } from "./port.ts";

export interface ExchangeTools {
  readonly inventory: Pick<Inventory, "snapshot" | "apply">;
  readonly read: TextReader;
  readonly write: TextWriter;
  readonly formats: () => Formats;
}

/** Entries written between two yields to the event loop. */
const stretch = 100;
/** Fewer, if they are large. */
const stretchChars = 1024 * 1024;

export function createExchange({ inventory, read, write, formats }: ExchangeTools): InventoryExchange {
  return {
    formats,

    async importText(format, text, { delimiter, map, ...options }, caller, signal) {
      requireWriter(caller);
      const { warnings, ...found } = await read({ format, text, delimiter, map }, caller, signal);
      const { document, place } = await documentOf(found);
      return { answer: await inventory.apply(document, { ...options, place }, caller), warnings };
    },

    async exportText(format, filter, options, caller) {
      requireScope(caller, "read");
      const exported = await exportedOf(await inventory.snapshot(), filter, caller);
      const piecesOf = await write(format);
      // Fails on what the format cannot represent before the first byte is sent.
      const pieces = piecesOf(exported, options);
      return inTurns(pieces, shareOf(caller));
    },
  };
}

async function exportedOf(snapshot: Snapshot, filter: DeviceFilter, caller: Caller): Promise<Exported> {
  const { devices } = await seenBy(caller, snapshot);
  const isAll = filter.group === undefined && filter.select === undefined && caller.hosts.length === 0;
  const exported: {
    own: NonNullable<ReturnType<Snapshot["ownDevice"]>>["own"];
    effective: EffectiveDevice;
  }[] = [];
  const names = new Set<string>();
  let count = 0;
  for (const effective of await filteredDevices(devices, filter, snapshot, shareOf(caller))) {
    if (++count % stretch === 0) await giveWay(shareOf(caller));
    const written = snapshot.ownDevice(effective.name);
    if (written === undefined) continue;
    exported.push({ own: written.own, effective });
    for (const name of effective.groups) names.add(name);
  }
  const groups = snapshot.groups().filter(({ name }) => isAll || names.has(name));
  // Parents first: they have fewer ancestors.
  const ordered = [...groups].sort((a, b) => a.groups.length - b.groups.length);
  return { devices: exported, groups: ordered.flatMap(({ name }): OwnGroup[] => ownGroup(snapshot, name)) };
}

function ownGroup(snapshot: Snapshot, name: string): OwnGroup[] {
  const written = snapshot.ownGroup(name);
  return written === undefined ? [] : [written.own];
}

async function* inTurns(pieces: Iterable<string>, whose: string): AsyncGenerator<string> {
  let text = "";
  let pieceCount = 0;
  for (const piece of pieces) {
    text += piece;
    if (++pieceCount % stretch !== 0 && text.length < stretchChars) continue;
    yield text;
    text = "";
    await giveWay(whose);
  }
  if (text !== "") yield text;
}
