/**
 * Watches the frames of an HTTP/2 server before the runtime reads them, so that the same bounds hold in every runtime, and
 * what the server says about the end of calls is known.
 */
import { ServiceError } from "../../base/errors.ts";

/** We announce no other. */
const mostPayload = 16_384;
/** Of one block of header fields, packed. */
const mostHeaders = 16_384;
/** Frames that carry no data: a server may send that many at once, and these more in a second. */
const burst = 1_000;
const perSecond = 100;
/** And one more for this much data, as each piece may be acknowledged and followed by a probe. */
const bytesPerFrame = 2_048;
const keptPayload = 256;

const types = { data: 0, headers: 1, reset: 3, settings: 4, push: 5, goaway: 7, continuation: 9 } as const;

export interface FrameWatch {
  /** @throws ServiceError DriverError: the server breaks the protocol or floods us */
  take(chunk: Uint8Array): void;
  /** Set by GOAWAY. */
  goingAway(): GoAway | undefined;
  /** Error code with which the server has reset a call. */
  resetOf(stream: number): number | undefined;
}

export interface GoAway {
  /** Calls above it were not begun. */
  readonly lastStream: number;
  readonly code: number;
  readonly words: string;
}

interface WatchOptions {
  readonly host: string;
  /** Called once, with the server's settings. */
  onSettings(): void;
  now?(): number;
}

export function watchFrames({ host, onSettings, now = () => performance.now() }: WatchOptions): FrameWatch {
  const header = new Uint8Array(9);
  let headerSize = 0;
  let type = 0;
  let stream = 0;
  /** Bytes of this frame that are still to come. */
  let left = 0;
  const payload = new Uint8Array(keptPayload);
  let payloadSize = 0;
  let isFirst = true;
  let blockSize = 0;
  let credit = burst;
  let creditedAt = now();
  let goAway: GoAway | undefined;
  const resets = new Map<number, number>();

  const broken = (why: string, detail = {}) => new ServiceError("DriverError", `${host} ${why}.`, detail);

  function begin(): void {
    const length = ((header[0] ?? 0) << 16) | ((header[1] ?? 0) << 8) | (header[2] ?? 0);
    type = header[3] ?? 0;
    stream = number(header, 5) & 0x7fff_ffff;
    const isGreeting = type === types.settings && stream === 0 && (header[4] ?? 0) === 0;
    if (isFirst && (!isGreeting || length > mostPayload)) throw notHttp2(header, host);
    if (length > mostPayload)
      throw broken(`sent a frame of ${length} bytes, and ${mostPayload} are allowed (HTTP/2)`);
    if (type === types.push) throw broken("pushes answers that were not asked for (HTTP/2)");
    if (type === types.headers || type === types.continuation) {
      blockSize = type === types.headers ? length : blockSize + length;
      if (blockSize > mostHeaders) throw broken(`sent more than ${mostHeaders} bytes of header fields`);
    }
    if (type === types.data && length > 0) credit += length / bytesPerFrame;
    else spend();
    left = length;
    payloadSize = 0;
    if (isFirst) {
      isFirst = false;
      onSettings();
    }
    if (left === 0) end();
  }

  function spend(): void {
    const at = now();
    credit = Math.min(burst, credit + ((at - creditedAt) / 1_000) * perSecond);
    creditedAt = at;
    if (--credit < 0) throw broken("floods the connection with frames that carry nothing (HTTP/2)");
  }

  function end(): void {
    if (type === types.goaway && payloadSize >= 8)
      goAway ??= {
        lastStream: number(payload, 0) & 0x7fff_ffff,
        code: number(payload, 4),
        words: Buffer.from(payload.subarray(8, payloadSize))
          .toString("latin1")
          .replace(/[^\x20-\x7e]/g, "?"),
      };
    if (type === types.reset && payloadSize >= 4) {
      // Calls are few; a server that resets others says nothing of ours.
      if (resets.size >= burst) resets.clear();
      resets.set(stream, number(payload, 0));
    }
  }

  return {
    take(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (left > 0) {
          const size = Math.min(left, chunk.length - at);
          if (type !== types.data && payloadSize < keptPayload) {
            const kept = chunk.subarray(at, at + Math.min(size, keptPayload - payloadSize));
            payload.set(kept, payloadSize);
            payloadSize += kept.length;
          }
          left -= size;
          at += size;
          if (left === 0) end();
          continue;
        }
        header[headerSize++] = chunk[at++] ?? 0;
        // Other protocols may send less than a whole header and wait.
        if (isFirst && headerSize <= 5 && isOther(header.subarray(0, headerSize)))
          throw notHttp2(header, host);
        if (headerSize < header.length) continue;
        headerSize = 0;
        begin();
      }
    },
    goingAway: () => goAway,
    resetOf: (of) => resets.get(of),
  };
}

const number = (bytes: Uint8Array, at: number): number =>
  Buffer.from(bytes.subarray(at, at + 4)).readUInt32BE();

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
/** A record of TLS: an alert, as our first bytes were none. */
const isTls = (text: string) => /^\x15\x03/.test(text);
const isOther = (bytes: Uint8Array) => isTls(textOf(bytes)) || /^(?:HTTP\/|SSH-)/.test(textOf(bytes));

function notHttp2(header: Uint8Array, host: string): ServiceError {
  const text = textOf(header);
  const detail = { outcome: "none", reason: isTls(text) ? "wants_tls" : "no_http2" } as const;
  if (isTls(text))
    return new ServiceError("DriverError", `${host} speaks TLS on this port, and we did not.`, detail);
  const what = /^HTTP\//.test(text) ? "HTTP/1" : /^SSH-/.test(text) ? "SSH" : "something else";
  return new ServiceError("DriverError", `${host} does not speak gRPC on this port but ${what}.`, detail);
}
