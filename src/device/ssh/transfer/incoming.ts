/**
 * Counts the bytes a server sends. Until the end of the login it also passes them to the opening's watcher and limits
 * them.
 */
import type { Duplex } from "node:stream";
import { applyBackPressure } from "../../../base/share/back-pressure.ts";
import { filterData, type Opening, openingLimitBytes } from "../login/opening.ts";

export interface Incoming {
  /** Bytes received so far. */
  bytes(): number;
  /** The login succeeded: releases its watcher. */
  trust(): void;
}

/** @param endless called if the server sends too much before the login succeeds */
export function watchIncoming(stream: Duplex, opening: Opening, endless: () => void): Incoming {
  let bytes = 0;
  let ofLogin: { readonly opening: Opening; endless(): void } | undefined = { opening, endless };
  filterData(stream, (chunk) => {
    bytes += chunk.length;
    // ssh2 answers every request, so a flood must be throttled.
    applyBackPressure(stream);
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
