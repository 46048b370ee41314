/** The messages of one call, cut out of its data: within bounds, and as far ahead of the reader as memory allows. */
import { ServiceError } from "../../base/errors.ts";
import { createByteBuffer } from "../../base/net/byte-buffer.ts";

interface MessagesOptions {
  readonly host: string;
  readonly maxMessageBytes: number;
  readonly maxBytes: number;
  /** Stops reading from the connection until the returned function is called. */
  hold(): () => void;
}

export interface Messages {
  /** @returns why the call must end */
  add(chunk: Uint8Array): ServiceError | undefined;
  /** No message is unfinished. */
  whole(): boolean;
  end(error?: ServiceError): void;
  read(leave: () => void): AsyncIterable<Uint8Array>;
}

/** Length and compression in front of a message. */
const prefixSize = 5;
/** What a message takes besides its bytes. */
const overhead = 256;
/** A server that sends faster than the messages are read waits. */
const mostAhead = 4 * 1024 * 1024;

export function createMessages({ host, maxMessageBytes, maxBytes, hold }: MessagesOptions): Messages {
  const prefix = Buffer.alloc(prefixSize);
  let prefixed = 0;
  let wanted = 0;
  let body = createByteBuffer();
  let had = 0;
  let total = 0;
  const ready: Uint8Array[] = [];
  let ahead = 0;
  let free: (() => void) | undefined;
  let over: { readonly error: ServiceError | undefined } | undefined;
  let wake: (() => void) | undefined;

  function arrived(message: Uint8Array): void {
    ready.push(message);
    ahead += message.length + overhead;
    if (ahead > mostAhead) free ??= hold();
    wake?.();
  }

  function begin(): ServiceError | undefined {
    if (prefix[0] !== 0)
      return new ServiceError(
        "DriverError",
        `${host} sent a compressed message, which was not asked for and is not unpacked.`,
      );
    wanted = prefix.readUInt32BE(1);
    if (wanted > maxMessageBytes)
      return new ServiceError(
        "OutputTooLarge",
        `${host} sends a message of ${wanted} bytes, and ${maxMessageBytes} are allowed.`,
      );
    had = 0;
    body = createByteBuffer();
    return undefined;
  }

  return {
    add(chunk) {
      total += chunk.length;
      for (let at = 0; at < chunk.length; ) {
        if (prefixed < prefixSize) {
          prefix[prefixed++] = chunk[at++] ?? 0;
          if (prefixed < prefixSize) continue;
          const wrong = begin();
          if (wrong !== undefined) return wrong;
        } else {
          const piece = chunk.subarray(at, at + wanted - had);
          body.add(piece);
          had += piece.length;
          at += piece.length;
        }
        if (had < wanted) continue;
        prefixed = 0;
        arrived(body.take());
        had = 0;
        wanted = 0;
      }
      // After what fits: a stream that is read until a number of messages may be longer.
      if (total - prefixSize <= maxBytes) return undefined;
      return new ServiceError("OutputTooLarge", `${host} sent more than ${maxBytes} bytes in one call.`);
    },
    whole: () => prefixed === 0,
    end(error) {
      over ??= { error };
      free?.();
      free = undefined;
      wake?.();
    },
    async *read(leave) {
      try {
        for (;;) {
          const next = ready.shift();
          if (next !== undefined) {
            ahead -= next.length + overhead;
            if (ahead <= mostAhead / 2 && free !== undefined) {
              free();
              free = undefined;
            }
            yield next;
          } else if (over !== undefined) {
            if (over.error !== undefined) throw over.error;
            return;
          } else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        leave();
      }
    },
  };
}
