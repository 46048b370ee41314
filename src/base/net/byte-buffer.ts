/** Collects bytes that arrive in chunks of any size; many tiny chunks cost little more than their bytes. */
export interface ByteBuffer {
  add(piece: Uint8Array): void;
  /** Returns all of them in one buffer, and empties the collection. */
  take(): Buffer;
}

/** A pending chunk retains the buffer it arrived in, and has an object overhead. */
const maxWaiting = 1_024;

export function createByteBuffer(): ByteBuffer {
  let joined: Uint8Array[] = [];
  let waiting: Uint8Array[] = [];
  return {
    add(piece) {
      if (piece.byteLength === 0) return;
      waiting.push(piece);
      if (waiting.length < maxWaiting) return;
      joined.push(Buffer.concat(waiting));
      waiting = [];
    },
    take() {
      const bytes = Buffer.concat([...joined, ...waiting]);
      joined = [];
      waiting = [];
      return bytes;
    },
  };
}
