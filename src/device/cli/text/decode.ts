/** Decodes UTF-8 across packet boundaries. */
import { isAscii } from "node:buffer";

/** Smallest code point that a sequence of 2, 3 or 4 bytes may encode: shorter ones are overlong encodings. */
const smallest = [0, 0, 0x80, 0x800, 0x10000];

/**
 * Undecodable bytes become U+FFFD, except bare bytes 0x80 to 0x9F: they are the 8-bit controls of old terminals, and
 * the cleaner must see them to drop them.
 */
export function createDecoder(encoding = "utf-8"): (chunk: Uint8Array) => string {
  if (!/^utf-?8$/i.test(encoding)) {
    const decoder = textDecoder(encoding);
    return (chunk) => decoder.decode(chunk, { stream: true });
  }
  let needed = 0;
  let length = 0;
  let point = 0;
  return (chunk) => {
    if (needed === 0 && isAscii(chunk)) {
      return bytesOf(chunk).toString("latin1");
    }
    const text: string[] = [];
    for (const byte of chunk) {
      if (needed > 0) {
        if ((byte & 0xc0) === 0x80) {
          point = (point << 6) | (byte & 0x3f);
          if (--needed === 0) text.push(character(point, length));
          continue;
        }
        needed = 0;
        text.push("\ufffd");
      }
      if (byte < 0xa0) text.push(String.fromCharCode(byte));
      else if (byte >= 0xc2 && byte < 0xe0) [needed, length, point] = [1, 2, byte & 0x1f];
      else if (byte >= 0xe0 && byte < 0xf0) [needed, length, point] = [2, 3, byte & 0x0f];
      else if (byte >= 0xf0 && byte < 0xf5) [needed, length, point] = [3, 4, byte & 0x07];
      else text.push("\ufffd");
    }
    return text.join("");
  };
}

/** Accessing `buffer` allocates; most packets are Buffers already. */
const bytesOf = (chunk: Uint8Array) =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

function character(point: number, length: number): string {
  const valid =
    point >= (smallest[length] ?? 0) && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return valid ? String.fromCodePoint(point) : "\ufffd";
}

/** @throws RangeError for a label the runtime does not know */
export function textDecoder(label: string): TextDecoder {
  // The runtime's types list fewer labels than it accepts.
  return Reflect.construct(TextDecoder, [label]);
}
