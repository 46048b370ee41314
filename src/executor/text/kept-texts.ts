/** Texts that searches have read and later ones read again, within a limit of memory. */

/** A text, or what it is made of: that takes as long as reading it, and most texts have nothing that is searched for. */
export type KeptText = string | { readonly base: string; readonly delta: string };

export interface KeptTexts {
  get(key: string): KeptText | undefined;
  /** Nothing, if there is no room that was not used of late. In place of the one of this name. */
  keep(key: string, text: KeptText): void;
}

/**
 * A text that no search has used for this time gives way to another one: it was replaced by a newer version. One that
 * was used stays, as searches read the same texts in the same order: a cache that replaces the oldest ones would have
 * none of them if only one did not fit.
 */
const restMs = 60_000;

/** @param now milliseconds */
export function createKeptTexts(maxBytes: number, now: () => number = () => performance.now()): KeptTexts {
  /** The one that was not used for the longest time first. */
  const texts = new Map<string, { readonly text: KeptText; readonly bytes: number; usedAt: number }>();
  let bytes = 0;

  function makeRoom(wanted: number, at: number): boolean {
    if (wanted > maxBytes) return false;
    for (const [key, oldest] of texts) {
      if (bytes + wanted <= maxBytes) return true;
      if (at - oldest.usedAt < restMs) return false;
      texts.delete(key);
      bytes -= oldest.bytes;
    }
    return bytes + wanted <= maxBytes;
  }

  return {
    get(key) {
      const found = texts.get(key);
      if (found === undefined) return undefined;
      found.usedAt = now();
      texts.delete(key);
      texts.set(key, found);
      return found.text;
    },
    keep(key, text) {
      const size = typeof text === "string" ? sizeOf(text) : sizeOf(text.base) + sizeOf(text.delta);
      const at = now();
      const before = texts.get(key);
      if (before !== undefined) {
        texts.delete(key);
        bytes -= before.bytes;
      }
      if (!makeRoom(size, at)) return;
      texts.set(key, { text, bytes: size, usedAt: at });
      bytes += size;
    },
  };
}

/** A text with other characters than those of ASCII takes two bytes for each. */
const sizeOf = (text: string) => text.length * (Buffer.byteLength(text) === text.length ? 1 : 2);
