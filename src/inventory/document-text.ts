/** What a template process has read of a text becomes a document: a list at a time, so that others have their turn. */
import * as v from "valibot";
import { yieldToEventLoop } from "../base/yield.ts";
import type { EntryKind } from "../model/inventory.ts";
import type { ReadText } from "./exchange-port.ts";
import type { InventoryDocument } from "./port.ts";

const entries = v.array(v.object({ fields: v.record(v.string(), v.unknown()), at: v.string() }));

export interface PlacedDocument {
  readonly document: InventoryDocument;
  /** Where an entry stood in its text. */
  place(kind: EntryKind, index: number): string;
}

export async function documentOf({
  devices,
  groups,
}: Pick<ReadText, "devices" | "groups">): Promise<PlacedDocument> {
  const read = { device: await listOf(devices), group: await listOf(groups) };
  return {
    document: {
      devices: read.device.map(({ fields }) => fields),
      // A text that names none says nothing about groups.
      ...(read.group.length === 0 ? {} : { groups: read.group.map(({ fields }) => fields) }),
    },
    place: (kind, index) => read[kind][index]?.at ?? kind,
  };
}

async function listOf(texts: readonly string[]): Promise<v.InferOutput<typeof entries>> {
  const found: v.InferOutput<typeof entries> = [];
  for (const text of texts) {
    for (const entry of v.parse(entries, JSON.parse(text))) found.push(entry);
    await yieldToEventLoop();
  }
  return found;
}
