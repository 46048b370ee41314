/** Turns the entries a template process has parsed into a document, yielding to the event loop between lists. */
import * as v from "valibot";
import type { EntryKind } from "../../api/inventory/inventory.ts";
import { parseExact } from "../../base/json/exact-json.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { InventoryDocument } from "../port.ts";
import type { ReadText } from "./port.ts";

const entries = v.array(v.object({ fields: v.record(v.string(), v.unknown()), at: v.string() }));

export interface PlacedDocument {
  readonly document: InventoryDocument;
  /** The position of an entry in its source text. */
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
      // No groups in the text means "leave groups alone", not "there are none".
      ...(read.group.length === 0 ? {} : { groups: read.group.map(({ fields }) => fields) }),
    },
    place: (kind, index) => read[kind][index]?.at ?? kind,
  };
}

async function listOf(texts: readonly string[]): Promise<v.InferOutput<typeof entries>> {
  const list: v.InferOutput<typeof entries> = [];
  for (const text of texts) {
    for (const entry of v.parse(entries, parseExact(text))) list.push(entry);
    await yieldToEventLoop();
  }
  return list;
}
