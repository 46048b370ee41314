/**
 * Reads inventory texts in a template process, which isolates hostile input: those of a format through its plugin, and
 * entries that a source has made.
 */
import * as v from "valibot";
import { ServiceError } from "../../base/errors.ts";
import { inventoryTextLimits as limits } from "../../base/inventory-limits.ts";
import { invalid } from "../../base/issues.ts";
import { parseExact, stringifyExact } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/members.ts";
import { type InventoryEntry, type ReadInventory, requireCount } from "../../plugin/inventory.ts";
import type { InventoryTask, TaskValues } from "../../protocol/task.ts";
import { checkNames, type InventoryFormats } from "../../registry/inventory-formats.ts";
import type { TaskMask } from "../masking.ts";

/** Entries are posted in batches of this size, so that the receiver can yield in between. */
const entriesPerText = 1_000;

export function createInventoryReader(formats: InventoryFormats) {
  /** @throws ServiceError Validation, PayloadTooLarge */
  return async (
    { format, text, delimiter, map }: InventoryTask,
    mask: TaskMask,
  ): Promise<TaskValues["inventory"]> => {
    const open = format === undefined ? undefined : await formats.open(format);
    mask.add(open?.settings);
    try {
      const read = open === undefined ? fetchedEntries(text) : open.read(text, { delimiter, map });
      let chars = 0;
      const texts = (entries: readonly InventoryEntry[]) =>
        chunksOf(entries, (length) => {
          chars += length;
          if (chars > limits.entryChars)
            throw new ServiceError(
              "PayloadTooLarge",
              `The text holds more than ${limits.entryChars} characters of entries.`,
            );
        });
      return {
        devices: texts(read.devices),
        groups: texts(read.groups),
        warnings: read.warnings.map(mask.text),
      };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw invalid("line 1", "it is nested too deep");
    }
  };
}

function chunksOf(entries: readonly unknown[], count: (chars: number) => void): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < entries.length; at += entriesPerText) {
    const chunk = stringifyExact(entries.slice(at, at + entriesPerText));
    count(chunk.length);
    chunks.push(chunk);
  }
  return chunks;
}

const fields = v.custom<Readonly<Record<string, unknown>>>(isRecord, "must be an object with a name");
const fetched = v.object({ devices: v.array(fields), groups: v.array(fields) });

/** What `entriesText` has written: a line per entry. @throws ServiceError Validation, PayloadTooLarge */
function fetchedEntries(text: string): ReadInventory {
  if (text.length > limits.bytes)
    throw new ServiceError("PayloadTooLarge", `The text is larger than ${limits.bytes} bytes.`);
  const { devices, groups } = v.parse(fetched, parseExact(text));
  requireCount(devices.length, limits.devices, "devices");
  requireCount(groups.length, limits.groups, "groups");
  const placed = (entries: readonly Readonly<Record<string, unknown>>[]) =>
    entries.map((entry, index) => ({ fields: entry, at: `line ${index + 2}` }));
  const read = { devices: placed(devices), groups: placed(groups), warnings: [] };
  checkNames(read);
  return read;
}

/** Entries as text, for the reader above. */
export function entriesText(lists: {
  readonly devices: readonly object[];
  readonly groups: readonly object[];
}): string {
  const lines = (entries: readonly object[]) =>
    `[\n${entries.map((entry) => stringifyExact(entry)).join(",\n")}\n]`;
  return `{"devices":${lines(lists.devices)},"groups":${lines(lists.groups)}}`;
}
