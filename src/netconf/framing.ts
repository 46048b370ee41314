/** Messages on a stream of bytes: ended by a mark (NETCONF 1.0, and every hello), or in chunks (1.1). RFC 6242, section 4. */
import { ServiceError } from "../base/errors.ts";
import { createPieces } from "../base/pieces.ts";

export const endMark = "]]>]]>";
const endBytes = Buffer.from(endMark);
const nothing = Buffer.alloc(0);

export type Framing = "marked" | "chunked";

/** @throws ServiceError DriverError: it holds the mark that would end it */
export function frame(message: string, framing: Framing): string | Uint8Array {
  if (framing === "chunked")
    return Buffer.concat([
      Buffer.from(`\n#${Buffer.byteLength(message)}\n`),
      Buffer.from(message),
      Buffer.from("\n##\n"),
    ]);
  if (message.includes(endMark))
    throw new ServiceError(
      "DriverError",
      `The request holds "${endMark}", which would end it: the device knows NETCONF 1.0 only.`,
      { outcome: "none" },
    );
  return message + endMark;
}

export interface Deframer {
  /** Messages that are whole with these bytes go to the listener. @throws ServiceError OutputTooLarge, DriverError */
  push(bytes: Uint8Array): void;
  /** From the next message on: for use by the listener, too. */
  use(framing: Framing): void;
  /** A message has begun and is not whole. */
  unfinished(): boolean;
}

export function createDeframer(
  { maxBytes }: { readonly maxBytes: number },
  listener: (message: Buffer) => void,
): Deframer {
  let framing: Framing = "marked";
  const parts = createPieces();
  let length = 0;
  /** The end of what came: the beginning of a mark, or an unfinished header. */
  let carry: Uint8Array = nothing;
  /** What the current chunk still wants. */
  let left = 0;

  function take(part: Uint8Array): void {
    check(length + part.byteLength);
    length += part.byteLength;
    parts.add(part);
  }

  function check(bytes: number): void {
    if (bytes > maxBytes)
      throw new ServiceError("OutputTooLarge", `The device sent a message of more than ${maxBytes} bytes.`);
  }

  function whole(): void {
    const message = parts.take();
    length = 0;
    listener(message);
  }

  /** Gives what is left for the next step; undefined: all is used. */
  function marked(data: Buffer): Buffer | undefined {
    const at = data.indexOf(endBytes);
    if (at < 0) {
      const kept = Math.min(data.byteLength, endBytes.byteLength - 1);
      take(data.subarray(0, data.byteLength - kept));
      carry = data.subarray(data.byteLength - kept);
      return undefined;
    }
    take(data.subarray(0, at));
    whole();
    return data.subarray(at + endBytes.byteLength);
  }

  function chunked(data: Buffer): Buffer | undefined {
    if (left > 0) {
      const part = data.subarray(0, left);
      take(part);
      left -= part.byteLength;
      return data.subarray(part.byteLength);
    }
    const { size, behind } = readHeader(data);
    if (size === undefined) {
      carry = data;
      return undefined;
    }
    if (size === 0) whole();
    else {
      // Told by the header, long before the bytes are there.
      check(length + size);
      left = size;
    }
    return data.subarray(behind);
  }

  /** What was carried, with these bytes: long ones are not copied to find a mark that may lie across the cut. */
  function begun(bytes: Uint8Array): Buffer {
    const behind = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (carry.byteLength === 0) return behind;
    const before = carry;
    carry = nothing;
    const reach = endBytes.byteLength - 1;
    if (framing === "chunked" || behind.byteLength < reach) return Buffer.concat([before, behind]);
    const cut = Buffer.concat([before, behind.subarray(0, reach)]);
    const at = cut.indexOf(endBytes);
    if (at < 0) {
      take(before);
      return behind;
    }
    take(cut.subarray(0, at));
    whole();
    return behind.subarray(at + endBytes.byteLength - before.byteLength);
  }

  return {
    push(bytes) {
      let data: Buffer | undefined = begun(bytes);
      while (data !== undefined && data.byteLength > 0)
        data = framing === "marked" ? marked(data) : chunked(data);
    },
    use(next) {
      framing = next;
    },
    unfinished: () => length + carry.byteLength + left > 0,
  };
}

/** `\n#<size>\n`, or `\n##\n`, which gives 0; `size` is absent while the header is not whole. */
function readHeader(data: Buffer): { readonly size: number | undefined; readonly behind: number } {
  const text = data.subarray(0, longestHeader).toString("latin1");
  const found = /^\n#(#|[1-9]\d{0,9})\n/.exec(text);
  if (found !== null) return { size: found[1] === "#" ? 0 : Number(found[1]), behind: found[0].length };
  if (text.length < longestHeader && /^\n?$|^\n#(?:#|[1-9]\d{0,9})?$/.test(text))
    return { size: undefined, behind: 0 };
  throw new ServiceError(
    "DriverError",
    `The device broke the framing of NETCONF 1.1: a chunk begins with ${JSON.stringify(text)}.`,
  );
}

/** A size has ten digits at most. */
const longestHeader = 13;
