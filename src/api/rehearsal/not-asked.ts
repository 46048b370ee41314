/** What a rehearsal has not asked the device, and why: the one home of these words. */
import * as v from "valibot";
import { described, named, text } from "../schema.ts";

export const notAskedWords = {
  no_check: "no check of its system leaves nothing behind, with this driver and connection",
  arguments: "the arguments of the driver leave its check out",
  not_voted: "lines that an agent proposes are sent to no device before a person has voted for them",
  not_reached: "it was not reached",
  locked: "another session holds its configuration",
  changed: "its candidate has changes of others, which have to be committed or discarded first",
  not_taken: "it did not take the lines into its own check",
  not_simulated: "what only its commit checks is not simulated: a commit can fail after all",
} as const;
export type NotAskedReason = keyof typeof notAskedWords;
// Object.keys loses the names.
const reasons = Object.keys(notAskedWords) as NotAskedReason[];

/** Reasons that are known when it is submitted. */
export const reasonsBefore = ["no_check", "arguments", "not_voted"] as const;

export const notAsked = named(
  "NotAsked",
  v.object({
    what: described(
      v.picklist(["check", "commit"]),
      "`check`: to check the lines itself, and no line is `checked`; `commit`: what only a commit checks",
    ),
    because: described(
      v.picklist(reasons),
      reasons.map((reason) => `\`${reason}\`: ${notAskedWords[reason]}`).join("; "),
    ),
    why: described(text, "One sentence, with the words of the device if the caller may read configurations"),
  }),
);
export type NotAsked = v.InferOutput<typeof notAsked>;

/** As people read it. */
export const notAskedText = ({ what, why }: Pick<NotAsked, "what" | "why">): string =>
  what === "check" ? `the device has checked no line: ${why}` : why;
