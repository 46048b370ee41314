/** What a twin of a device has shown of lines before they are sent. */
import * as v from "valibot";
import { described, integer, named, text } from "../schema.ts";

export const twinProof = named(
  "TwinProof",
  v.object({
    proven: described(
      v.boolean(),
      "A twin with its stored configuration took the lines, one by one as a driver sends them, refused none by what is known of the system, and shows then what they should leave",
    ),
    message: described(text, "One sentence"),
    lines: described(integer, "Lines that it was given"),
    unknown: described(
      v.array(v.object({ line: described(integer, "From 1"), why: text })),
      "The first lines of which nothing is known there: it kept them as they stand",
    ),
    unknown_lines: described(integer, "How many there are"),
  }),
);
export type TwinProofRecord = v.InferOutput<typeof twinProof>;

interface Proof {
  readonly isProven: boolean;
  readonly lines: number;
  readonly refused: { readonly line: number; readonly why: string } | undefined;
  readonly unknown: readonly { readonly line: number; readonly why: string }[];
  readonly unknownLines: number;
}

/** @param shows whether it may quote lines of the configuration */
export function twinProofRecord(
  { isProven, lines, refused, unknown, unknownLines }: Proof,
  shows: boolean,
): TwinProofRecord {
  const why = (reason: string) => (shows ? reason : "the key may not read configurations");
  const all = `${lines} ${lines === 1 ? "line" : "lines"}`;
  const message = isProven
    ? unknownLines === 0
      ? `Proven on a twin: it took ${all}, and shows what they should leave.`
      : `Proven on a twin, if the system takes what nothing is known of: ${unknownLines} of ${all}.`
    : refused === undefined
      ? "Not proven on a twin: it shows something else than they should leave."
      : `Not proven on a twin: it refuses line ${refused.line}: ${why(refused.why)}.`;
  return {
    ...{ proven: isProven, message, lines },
    unknown: unknown.map(({ line, why: reason }) => ({ line, why: why(reason) })),
    unknown_lines: unknownLines,
  };
}
