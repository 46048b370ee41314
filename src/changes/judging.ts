/** What the gates of a change said, as stored with it. Pure. */
import * as v from "valibot";
import { gateVerdict } from "../api/change.ts";
import type { StoredChange } from "../store/port.ts";

const storedJudging = v.object({
  /** 0: before the first. */
  wave: v.number(),
  /** Counted from 1: who resumes a change judges again. */
  attempt: v.number(),
  /** Null: nothing was said in this attempt. */
  verdict: v.nullable(v.object({ is: gateVerdict, reason: v.string() })),
});
export type StoredJudging = v.InferOutput<typeof storedJudging>;

const stored = v.pipe(v.string(), v.parseJson(), storedJudging);

/** Of the wave that the change is at. */
export function judgingOf({ wave, judging }: Pick<StoredChange, "wave" | "judging">): StoredJudging {
  const read = v.safeParse(stored, judging);
  if (read.success && read.output.wave === wave) return read.output;
  return { wave, attempt: 1, verdict: null };
}

export const writeJudging = (judging: StoredJudging): string => JSON.stringify(judging);

/** Judged from the beginning, because what was said may be old; but a gate that has failed after a push stays failed. */
export function judgedAgain(change: Pick<StoredChange, "wave" | "judging">): string {
  const judging = judgingOf(change);
  if (judging.verdict?.is === "failed" && judging.wave > 0) return writeJudging(judging);
  return writeJudging({ ...judging, attempt: judging.attempt + 1, verdict: null });
}
