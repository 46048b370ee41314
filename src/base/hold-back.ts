/** Back-pressure on who asks: what is answered into a stream at once grows in memory where the other side does not read it. */
import type { Duplex } from "node:stream";

/** All that transfers and channels have on their way is less. */
const mostUnread = 4 * 1024 * 1024;

/** Called with each piece that comes: who asks without end and reads no answers is not heard on until he has. */
export function holdBack(stream: Duplex): void {
  if (stream.writableLength <= mostUnread || stream.isPaused() || !stream.writableNeedDrain) return;
  stream.pause();
  stream.once("drain", () => stream.resume());
}
