/** Detects a dead peer: one that sends nothing at all although keepalives are sent. */
import { pause } from "../../base/time/deadline.ts";

export interface Silence {
  /** Keepalive interval of ssh2. */
  readonly intervalMs: number;
  /** Grows with each byte received, and while the server is not read. */
  heard(): number;
  readonly ended: AbortSignal;
  onSilent(): void;
}

/** Number of keepalives that may stay unanswered. */
const unanswered = 3;

/**
 * ssh2 counts only replies to its keepalives: an old device that replies `unimplemented`, or is busy with a long
 * output, would be disconnected while it sends. Here every byte counts.
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
