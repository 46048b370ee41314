/** Schemas of the answers about changes that the console reads. */
import * as v from "valibot";
import {
  type ChangeDetail,
  type ChangeWord,
  changeDetail,
  changeRecord,
  changeRequest,
  changeStep,
  changeTarget,
  changeWords,
} from "../../api/changes/change.ts";
import { changeComparison, changeDifference } from "../../api/changes/change-difference.ts";
import { rehearsal } from "../../api/rehearsal/rehearsal.ts";
import { reader } from "../../api/schema.ts";
import { ask } from "../reading/api.ts";

export const listedChange = reader(changeRecord);
export type ListedChange = v.InferOutput<typeof listedChange>;
export const oneChange = reader(changeDetail);
export type OneChange = v.InferOutput<typeof oneChange>;
export const target = reader(changeTarget);
export type Target = v.InferOutput<typeof target>;
export const step = reader(changeStep);
export const targetDifference = reader(changeDifference);
export const targetComparison = reader(changeComparison);
export const rehearsed = reader(rehearsal);
export type Rehearsed = v.InferOutput<typeof rehearsed>;

/** Address of a change, with a step below it. */
export const changePath = (id: string, step?: string): string =>
  `/change/${encodeURIComponent(id)}${step === undefined ? "" : `/${step}`}`;

/** Whether this word leads on from the state of the change. */
export const leadsOn = (word: ChangeWord, { state }: Pick<ChangeDetail, "state">): boolean =>
  changeWords[word].some((from) => from === state);

/** Only for the revision that was on the page. @throws ApiError */
export const say = (word: ChangeWord, { id, revision }: OneChange, note: string): Promise<unknown> =>
  ask(v.unknown(), changePath(id, word), {
    method: "POST",
    body: { revision, ...(note === "" ? {} : { note }) },
  });

/** The lines are shown by group in its place; a form may begin without a name. */
const form = v.object({ ...changeRequest.entries, name: v.string(), config: v.optional(v.unknown()) });
export const asked = reader(form);
export type Asked = v.InferOutput<typeof asked>;

/** What it asks for, without the lines; undefined: a service of another version asks for more. */
export function askedOf({ request }: Pick<OneChange, "request">): Asked | undefined {
  const read = v.safeParse(asked, request);
  return read.success ? read.output : undefined;
}
