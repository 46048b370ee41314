/** Counts what a server sends; up to the end of the login all of it is shown to who watches the opening, and bounded. */
import type { Duplex } from "node:stream";
import { filterData, type Opening, openingLimitBytes } from "./opening.ts";

/** All that transfers and channels have on their way is less. */
const mostUnread = 4 * 1024 * 1024;

export interface Incoming {
  /** Bytes that have come so far. */
  bytes(): number;
  /** The server is trusted: what watched its login is let go of. */
  trust(): void;
}

/** @param endless called when it sends without end before it is trusted. */
export function watchIncoming(stream: Duplex, opening: Opening, endless: () => void): Incoming {
  let bytes = 0;
  let ofLogin: { readonly opening: Opening; endless(): void } | undefined = { opening, endless };
  filterData(stream, (chunk) => {
    bytes += chunk.length;
    if (stream.writableLength > mostUnread) holdBack(stream);
    if (ofLogin === undefined) return chunk;
    if (bytes <= openingLimitBytes) return ofLogin.opening.feed(chunk);
    ofLogin.endless();
    return undefined;
  });
  return {
    bytes: () => bytes,
    trust() {
      ofLogin = undefined;
    },
  };
}

/** ssh2 answers whatever is asked of it: who asks without end and reads no answers is not heard on until he has. */
function holdBack(stream: Duplex): void {
  if (stream.isPaused() || !stream.writableNeedDrain) return;
  stream.pause();
  stream.once("drain", () => stream.resume());
}
