/** Bytes that come in pieces of whatever size: who sends them one by one costs little more than they are. */
export interface Pieces {
  add(piece: Uint8Array): void;
  /** All of them in one; there are none afterwards. */
  take(): Buffer;
}

/** A piece that waits for others keeps all that came with it, and an object of its own. */
const mostWaiting = 1_024;

export function createPieces(): Pieces {
  let joined: Uint8Array[] = [];
  let waiting: Uint8Array[] = [];
  return {
    add(piece) {
      if (piece.byteLength === 0) return;
      waiting.push(piece);
      if (waiting.length < mostWaiting) return;
      joined.push(Buffer.concat(waiting));
      waiting = [];
    },
    take() {
      const all = Buffer.concat([...joined, ...waiting]);
      joined = [];
      waiting = [];
      return all;
    },
  };
}
