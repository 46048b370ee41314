/**
 * Message framing on a byte stream (RFC 6242, section 4): end-of-message marks (NETCONF 1.0, and every hello) or chunks
 * (1.1).
 */

import { ServiceError } from "../../base/errors.ts";
import { createByteBuffer } from "../../base/net/byte-buffer.ts";

export const endMark = "]]>]]>";
const endBytes = Buffer.from(endMark);
const nothing = Buffer.alloc(0);

export type Framing = "marked" | "chunked";

/** @throws ServiceError DriverError if the message contains the end-of-message mark */
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
      `The request contains "${endMark}", which would end it: the device supports NETCONF 1.0 only.`,
      { outcome: "none" },
    );
  return message + endMark;
}

export interface Deframer {
  /**
   * Passes each message that these bytes complete to the listener.
   * @throws ServiceError OutputTooLarge, DriverError
   */
  push(bytes: Uint8Array): void;
  /** Switches the framing from the next message on; the listener may call it. */
  use(framing: Framing): void;
  /** Whether a message has begun and is incomplete. */
  unfinished(): boolean;
}

export function createDeframer(
  { maxBytes }: { readonly maxBytes: number },
  listener: (message: Buffer) => void,
): Deframer {
  let framing: Framing = "marked";
  const parts = createByteBuffer();
  let length = 0;
  /** Unprocessed bytes at the end: the start of a mark, or an incomplete header. */
  let carry: Uint8Array = nothing;
  /** Bytes still missing from the current chunk. */
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

  /** Returns the rest for the next step; undefined if everything was consumed. */
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
      // The header announces the size long before the bytes arrive.
      check(length + size);
      left = size;
    }
    return data.subarray(behind);
  }

  /** Prepends the carried bytes. Does not copy long input to find a mark that may span the boundary. */
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

/** `\n#<size>\n`, or `\n##\n`, which returns 0; `size` is undefined while the header is incomplete. */
function readHeader(data: Buffer): { readonly size: number | undefined; readonly behind: number } {
  const text = data.subarray(0, maxHeaderBytes).toString("latin1");
  const found = /^\n#(#|[1-9]\d{0,9})\n/.exec(text);
  if (found !== null) return { size: found[1] === "#" ? 0 : Number(found[1]), behind: found[0].length };
  if (text.length < maxHeaderBytes && /^\n?$|^\n#(?:#|[1-9]\d{0,9})?$/.test(text))
    return { size: undefined, behind: 0 };
  throw new ServiceError(
    "DriverError",
    `The device violated the framing of NETCONF 1.1: a chunk starts with ${JSON.stringify(text)}.`,
  );
}

/** A size has at most ten digits. */
const maxHeaderBytes = 13;
