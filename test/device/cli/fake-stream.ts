/** An in-memory byte stream; the test plays the far side. */

import type { ServiceError } from "../../../src/base/errors.ts";
import type { ByteStream } from "../../../src/base/net/byte-stream.ts";

export interface FakeStream extends ByteStream {
  /** Data from the device. */
  feed(data: string | Uint8Array): void;
  /** The far side closes. */
  lose(error?: ServiceError): void;
  readonly written: string[];
  readonly destroyed: () => boolean;
}

/** @param onWrite the device's reaction to input */
export function fakeStream(onWrite: (text: string) => void = () => {}): FakeStream {
  let listener: ((chunk: Uint8Array) => void) | undefined;
  let onClose: ((error?: ServiceError) => void) | undefined;
  let closed = false;
  const early: Uint8Array[] = [];
  const written: string[] = [];
  let destroyed = false;
  function lose(error?: ServiceError) {
    if (closed) return;
    closed = true;
    onClose?.(error);
  }
  return {
    written,
    destroyed: () => destroyed,
    feed(data) {
      if (closed) return;
      const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
      if (listener) listener(bytes);
      else early.push(bytes);
    },
    lose,
    write(data) {
      if (closed) return;
      // Bytes of another character set than UTF-8, one character each.
      const text = typeof data === "string" ? data : Buffer.from(data).toString("latin1");
      written.push(text);
      queueMicrotask(() => onWrite(text));
    },
    onData(next) {
      listener = next;
      for (const chunk of early.splice(0)) next(chunk);
    },
    onClose(next) {
      onClose = next;
    },
    async end() {
      lose();
    },
    destroy() {
      destroyed = true;
      lose();
    },
  };
}
