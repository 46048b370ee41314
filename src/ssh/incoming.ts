/** Counts what a server sends; up to the end of the login all of it is shown to who watches the opening, and bounded. */
import type { Duplex } from "node:stream";
import { holdBack } from "../base/hold-back.ts";
import { filterData, type Opening, openingLimitBytes } from "./opening.ts";

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
    // ssh2 answers whatever it is asked.
    holdBack(stream);
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
