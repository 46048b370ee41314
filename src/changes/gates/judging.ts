/** What the gates of a change said, as stored with it. Pure. */
import * as v from "valibot";
import { type Judgement, judgement } from "../../api/changes/change-gates.ts";
import type { StoredChange } from "../../store/port.ts";

const { wave, attempt, verdict, gates } = judgement.entries;
const storedJudging = v.object({
  wave,
  attempt,
  /** When its questions were first asked in this attempt, in ms since 1970; null: they were not. */
  since: v.nullable(v.number()),
  /** Null: nothing was said in this attempt. */
  said: v.nullable(v.object({ at: v.number(), is: verdict, reason: v.string(), gates })),
});
export type StoredJudging = v.InferOutput<typeof storedJudging>;
export type Said = NonNullable<StoredJudging["said"]>;

const stored = v.pipe(v.string(), v.parseJson(), storedJudging);

export function readJudging(text: string | null): StoredJudging | undefined {
  const read = v.safeParse(stored, text);
  return read.success ? read.output : undefined;
}

export const writeJudging = (judging: StoredJudging): string => JSON.stringify(judging);

/** Of the wave that the change is at. */
export function judgingOf(change: Pick<StoredChange, "wave" | "judging">): StoredJudging {
  const read = readJudging(change.judging);
  return read?.wave === change.wave ? read : { wave: change.wave, attempt: 1, since: null, said: null };
}

/** Judged from the beginning, because what was said may be old; but a gate that has failed after a push stays failed. */
export function judgedAgain(change: Pick<StoredChange, "wave" | "judging">): string {
  const judging = judgingOf(change);
  if (judging.said?.is === "failed" && judging.wave > 0) return writeJudging(judging);
  return writeJudging({ ...judging, attempt: judging.attempt + 1, since: null, said: null });
}

/** Of all gates: one that has failed decides, then one that is inconclusive. */
export function verdictOf(gates: Said["gates"]): Pick<Said, "is" | "reason"> {
  for (const is of ["failed", "inconclusive"] as const) {
    const [first, ...others] = gates.filter((gate) => gate.verdict === is);
    if (first === undefined) continue;
    const more = others.length === 0 ? "" : `, and ${others.length} more`;
    return { is, reason: `the gate "${first.gate}" is ${is}: ${first.reason}${more}` };
  }
  return { is: "passed", reason: "all gates have passed" };
}

/** As callers see it; null: nothing was said. */
export function shownJudging(text: string | null, iso: (ms: number) => string): Judgement | null {
  const read = readJudging(text);
  if (!read?.said) return null;
  const { wave: of, attempt: count, said } = read;
  return { wave: of, attempt: count, at: iso(said.at), verdict: said.is, gates: said.gates };
}
