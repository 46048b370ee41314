/** What JSON texts of the tables contain. */
import * as v from "valibot";

/** Tells what a value must be if it is not that. */
export type Problem = (value: unknown) => string | undefined;

const isList = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string");
const aList = "a JSON list of texts";

/** Of a parsed value. */
export const listProblem: Problem = (value) => (isList(value) ? undefined : aList);

/** Without escapes it needs no parser, of which a list would have to wait for each of its rows. */
const plainList = /^\["[^"\\\p{Cc}]*"(?:,"[^"\\\p{Cc}]*")*\]$/u;
const anyList = inText(isList, aList);
export const listTextProblem: Problem = (text) => (plainList.test(String(text)) ? undefined : anyList(text));

export function inText(fits: (value: unknown) => boolean, what: string): Problem {
  return (text) => {
    try {
      return fits(JSON.parse(String(text))) ? undefined : what;
    } catch {
      return what;
    }
  };
}

/** Of a delivery, the oldest first. */
export const attempts = v.array(
  v.object({ at: v.number(), status: v.nullable(v.number()), error: v.optional(v.string()) }),
);
