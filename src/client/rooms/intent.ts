/** What the client reads of intents and drift. */
import * as v from "valibot";
import { driftDetail, driftLine, driftRecord, driftSummary, intentRecord } from "../../api/intent/intent.ts";
import { reader } from "../../api/schema.ts";

export const intent = reader(intentRecord);
export type Intent = v.InferOutput<typeof intent>;
export const intentList = v.array(intent);
export const summary = reader(driftSummary);
export type Summary = v.InferOutput<typeof summary>;
export const row = reader(driftRecord);
export type Row = v.InferOutput<typeof row>;
const detail = reader(driftDetail);
export type Detail = v.InferOutput<typeof detail>;
export const detailList = v.array(detail);
export const line = reader(driftLine);
export type Line = v.InferOutput<typeof line>;
