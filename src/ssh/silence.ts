/** Finds a peer that is gone: one from which nothing at all comes, though it is asked for a sign of life. */
import { pause } from "../base/deadline.ts";

export interface Silence {
  /** How often ssh2 asks. */
  readonly intervalMs: number;
  /** Bytes that have come so far. */
  heard(): number;
  readonly ended: AbortSignal;
  onSilent(): void;
}

/** Questions that may stay without an answer. */
const unanswered = 3;

/**
 * ssh2's own count takes answers to its questions alone: old gear that says `unimplemented`, or that is busy with
 * a long output, would be cut off while it talks. Here every byte counts.
 */
export async function watchSilence({ intervalMs, heard, ended, onSilent }: Silence): Promise<void> {
  let last = heard();
  for (let silent = 0; silent <= unanswered; ) {
    if (ended.aborted) return;
    await pause(intervalMs, ended);
    const now = heard();
    silent = now === last ? silent + 1 : 0;
    last = now;
  }
  if (!ended.aborted) onSilent();
}
