/** What the client reads of changes. */
import * as v from "valibot";
import { changeDetail, changeRecord, changeStep, changeTarget } from "../../api/changes/change.ts";
import { changeComparison, changeDifference } from "../../api/changes/change-difference.ts";
import { reader } from "../../api/schema.ts";

const change = reader(changeRecord);
export type Change = v.InferOutput<typeof change>;
export const changeList = v.array(change);
export const oneChange = reader(changeDetail);
export type OneChange = v.InferOutput<typeof oneChange>;
const target = reader(changeTarget);
export type Target = v.InferOutput<typeof target>;
export const targetList = v.array(target);
const step = reader(changeStep);
export type Step = v.InferOutput<typeof step>;
export const stepList = v.array(step);
export const changeEffect = reader(changeDifference);
export const comparedChange = reader(changeComparison);
export type ChangeEffect = v.InferOutput<typeof changeEffect>;
export type ChangeRehearsal = NonNullable<OneChange["rehearsal"]>;

export const pathOfChange = (id: string, step = "") => `/change/${encodeURIComponent(id)}${step}`;
