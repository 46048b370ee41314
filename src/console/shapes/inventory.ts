/** What the console reads of the inventory. */
import * as v from "valibot";
import { deviceRecord, groupRecord, upsertAnswer } from "../../api/inventory/inventory.ts";
import { sourceRecord } from "../../api/inventory/inventory-source.ts";
import { reader } from "../../api/schema.ts";

/** A device or a group, effective or as written. */
export const entry = v.looseObject({ ...groupRecord.entries, ...deviceRecord.entries });
export type Entry = v.InferOutput<typeof entry>;

/** Of an import, and of a sync. */
export const upsert = v.looseObject(v.omit(v.object(upsertAnswer.entries), ["revision"]).entries);
export type Upsert = v.InferOutput<typeof upsert>;

/** An inventory source; `runs` are its latest syncs, newest first. */
export const source = reader(sourceRecord);
export type Source = v.InferOutput<typeof source>;
export type SourceRun = Source["runs"][number];
