/** What happened to a change, in words: of its phases only those that did something. */
import type * as v from "valibot";
import type { step } from "../../shapes/changes.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";

type Step = v.InferOutput<typeof step>;

const phases: Readonly<Record<string, string>> = text.change.phases;
const returning: Readonly<Record<string, string>> = text.change.returning;

/** @param steps from the first on. @returns the newest first */
export function toldOf(steps: readonly Step[]): readonly (Step & { readonly words: string })[] {
  let isReturning = false;
  let before = "";
  const told = steps.flatMap((step) => {
    const { what, detail } = step;
    const phase = before;
    if (what in phases) before = what;
    else if (what === "returning" || what in text.change.next) isReturning = what === "returning";
    if (isReturning) return what === "soaking" ? [] : [{ ...step, words: returning[what] ?? labelOf(what) }];
    // A phase is entered first, and said again with what it does, if it does anything.
    if ((what === "pushing" && detail === null) || (what === "soaking" && phase !== what)) return [];
    return [{ ...step, words: phases[what] ?? labelOf(what) }];
  });
  return told.reverse();
}
