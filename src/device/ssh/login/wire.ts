/** Reads and writes strings and numbers of SSH's wire format (RFC 4251 section 5). */

/** Length followed by the bytes. */
export function wireString(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

export interface WireReader {
  string(): Buffer;
  uint32(): number;
  uint64(): bigint;
  atEnd(): boolean;
}

/** All its functions throw RangeError if the bytes end before the value does. */
export function readWire(bytes: Buffer): WireReader {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError("the bytes end too early");
    at += length;
    return bytes.subarray(at - length, at);
  };
  const uint32 = () => take(4).readUInt32BE();
  return {
    uint32,
    uint64: () => take(8).readBigUInt64BE(),
    string: () => take(uint32()),
    atEnd: () => at === bytes.length,
  };
}
