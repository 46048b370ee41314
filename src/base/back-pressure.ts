/** Back-pressure: replies written to a stream whose peer does not read them would grow in memory. */
import type { Duplex } from "node:stream";

/** More than transfers and channels ever have in flight. */
const maxUnread = 4 * 1024 * 1024;

/**
 * Called for each incoming chunk: stops reading from a peer that keeps sending requests until it has read its replies.
 */
export function applyBackPressure(stream: Duplex): void {
  if (stream.writableLength <= maxUnread || stream.isPaused() || !stream.writableNeedDrain) return;
  stream.pause();
  stream.once("drain", () => stream.resume());
}
