/** What the console reads of the inventory. */
import * as v from "valibot";
import { deviceRecord, groupRecord, upsertAnswer } from "../../api/inventory/inventory.ts";
import { sourceRecord } from "../../api/inventory/inventory-source.ts";
import { reader } from "../../api/schema.ts";

/** A device or a group, effective or as written. */
const either = v.object({ ...groupRecord.entries, ...deviceRecord.entries });
export const entry = reader(either);
export type Entry = v.InferOutput<typeof entry>;

/** Of an import, and of a sync. */
const changed = v.omit(v.object(upsertAnswer.entries), ["revision"]);
export const upsert = reader(changed);
export type Upsert = v.InferOutput<typeof upsert>;

/** An inventory source; `runs` are its latest syncs, newest first. */
export const source = reader(sourceRecord);
export type Source = v.InferOutput<typeof source>;
export type SourceRun = Source["runs"][number];
