/** What the console reads of drift. */
import type * as v from "valibot";
import { driftDetail, driftLine, driftRecord, driftSummary } from "../../api/intent/intent.ts";
import { reader } from "../../api/schema.ts";

export const summary = reader(driftSummary);
export const row = reader(driftRecord);
export const detail = reader(driftDetail);
export const line = reader(driftLine);
export type Row = v.InferOutput<typeof row>;
export type Detail = v.InferOutput<typeof detail>;
