/** Converts bytes to cleaned text and back, one reader at a time; the folder's only module with timers. */
import { isAscii } from "node:buffer";
import { ServiceError } from "../../../base/errors.ts";
import type { ByteStream } from "../../../base/net/byte-stream.ts";
import { abortReason, onAbort } from "../../../base/time/deadline.ts";
import { type Cleaned, createCleaner } from "../text/ansi.ts";
import { createDecoder } from "../text/decode.ts";
import { createEncoder } from "../text/encode.ts";
import { createOutputBuffer, headChars } from "../text/output-buffer.ts";

/** Everything received since the last `mark`. */
export interface View {
  /** All cleaned text, including the unfinished last line, without what was on the line before the mark. */
  text(): string;
  /** The whole unfinished last line. */
  line(): string;
  /** The last lines, at most a few KiB, including the unfinished one. */
  tail(): string;
  /** The first line with its line end; empty if it is unfinished or long. */
  firstLine(): string;
  /** The first KiB of the text, which contains the echo. */
  start(): string;
  /** The first KiB as received, uncleaned: for echoes that were painted over. */
  head(): string;
  /** Number of lines completed since the mark; of several that arrived at once, two are counted. */
  lines(): number;
  /** Lines completed by the newest data, with the carriage returns of their line ends. */
  fresh(): Cleaned;
  /** The text after the line end that followed the last reply; undefined until there is one. */
  sinceReply(): string | undefined;
  /** The number of packets of the unfinished line, and the longest gap between them. */
  arrivals(): { packets: number; longestGapMs: number };
}

/** Undecided, or a result that holds if nothing arrives within `settleMs`; if `sure`, also when the stream closes. */
export type Decision<T> =
  | undefined
  | { readonly value: T; readonly settleMs: number; readonly sure: boolean };

export interface ReadLimits {
  readonly signal: AbortSignal;
  /** Limit for the whole read. */
  readonly totalMs?: number;
  /** Limit without a single byte received. */
  readonly quietMs?: number;
  /** Receives the uncleaned text as it arrives. */
  readonly heard?: (text: string) => void;
  /** The read fails with `tooLarge` beyond this. */
  readonly maxBytes: number;
  readonly timedOut: (waitedMs: number) => ServiceError;
  readonly tooLarge: (text: string) => ServiceError;
}

export interface Channel {
  readonly view: View;
  /** Discards everything received; the next read starts here. */
  mark(): void;
  /** Like `mark`, but keeps little of what follows: an idle session must neither hold its last output nor grow. */
  rest(): void;
  /**
   * @throws ServiceError ConnectionLost, the reason of the signal, or CommandError for a character that the device's
   * character set lacks; nothing is sent then
   */
  write(text: string, signal: AbortSignal): void;
  /** @throws ServiceError CommandError if `write` would refuse a character of the text */
  requireTypable(text: string): void;
  /** Calls `decide` at the start and whenever data arrives, until it returns a final result. */
  read<T>(decide: (view: View) => Decision<T>, limits: ReadLimits): Promise<T>;
  /** Marks the current line as a pager prompt, which is not output. */
  wipe(): void;
  /** Marks the current line as answered; see `View.sinceReply`. */
  replied(): void;
  /** The shortest recent time between a write and its answer, if one was measured. */
  rttMs(): number | undefined;
  /** Bytes received since the mark. */
  received(): number;
  /** Bytes or cleaned characters received, whichever is larger. */
  size(): number;
  /** Milliseconds for which the device was not read, in all: no limit runs meanwhile. */
  heldMs(): number;
  closed(): ServiceError | undefined;
  end(): Promise<void>;
  destroy(): void;
}

/** Below this a timer is too coarse (it sleeps at least 1.1 ms); the code spins the event loop instead. */
const spinBelowMs = 0.25;
const rememberedRtts = 8;
/** While the device is not read, what waits for it is looked at this often. */
const heldStepMs = 50;
/** Keeps up to this much of an answer that continues after its end. */
const keptAtRest = 64 * 1024;

const nothing: Cleaned = { first: "", rest: "" };

export interface ChannelOptions {
  readonly stream: ByteStream;
  readonly cols: number;
  readonly encoding?: string;
  readonly received?: (text: string) => void;
}

interface Reader {
  readonly heard: ((text: string) => void) | undefined;
  arrived(): void;
  closed(error: ServiceError): void;
}

export function createChannel({ stream, cols, encoding, received }: ChannelOptions): Channel {
  const decode = createDecoder(encoding);
  const encode = createEncoder(encoding);
  const cleaner = createCleaner(cols);
  const output = createOutputBuffer(cleaner.line);
  let bytes = 0;
  let chars = 0;
  let head = "";
  let fresh = nothing;
  let packets = 0;
  let lastAt = 0;
  let heldAtLast = 0;
  let longestGapMs = 0;
  let writtenAt: number | undefined;
  const rtts: number[] = [];
  let resting = false;
  let lost: ServiceError | undefined;
  let reader: Reader | undefined;

  const heldMs = stream.heldMs ?? (() => 0);
  /** A few bytes can paint a whole line. */
  const size = () => Math.max(bytes, chars);
  stream.onData((chunk) => {
    if (chunk.byteLength === 0) return;
    const now = performance.now();
    const held = heldMs();
    if (writtenAt !== undefined) {
      rtts.push(now - writtenAt);
      if (rtts.length > rememberedRtts) rtts.shift();
      writtenAt = undefined;
    }
    bytes += chunk.byteLength;
    const raw = decode(chunk);
    received?.(raw);
    reader?.heard?.(raw);
    fresh = cleaner.push(raw, isAscii(chunk));
    chars += fresh.first.length + fresh.rest.length;
    if (resting && size() > keptAtRest) return;
    if (head.length < headChars) head += raw.slice(0, headChars - head.length);
    if (fresh.first !== "") {
      output.keep(fresh);
      packets = 1;
      longestGapMs = 0;
    } else {
      if (++packets > 1) longestGapMs = Math.max(longestGapMs, now - lastAt - (held - heldAtLast));
    }
    lastAt = now;
    heldAtLast = held;
    reader?.arrived();
  });

  stream.onClose((error) => {
    lost =
      error instanceof ServiceError
        ? error
        : new ServiceError("ConnectionLost", "The device closed the connection.", undefined, {
            cause: error,
          });
    reader?.closed(lost);
  });

  const view: View = {
    text: output.text,
    line: () => cleaner.line(),
    firstLine: output.firstLine,
    start: output.start,
    tail: output.tail,
    head: () => head,
    lines: output.lines,
    fresh: () => fresh,
    sinceReply: output.sinceReply,
    arrivals: () => ({ packets, longestGapMs }),
  };

  function mark(): void {
    output.mark();
    bytes = 0;
    chars = 0;
    head = "";
    fresh = nothing;
    resting = false;
  }

  return {
    view,
    mark,
    rest() {
      cleaner.release();
      mark();
      resting = true;
    },
    write(text, signal) {
      if (signal.aborted) throw abortReason(signal);
      if (lost !== undefined) throw lost;
      if (text === "") return;
      const bytes = encode(text);
      writtenAt = performance.now();
      stream.write(bytes);
    },
    requireTypable: (text) => void encode(text),
    read: (decide, limits) => read(decide, limits),
    wipe: () => cleaner.wipe(),
    replied: output.replied,
    rttMs: () => (rtts.length === 0 ? undefined : Math.min(...rtts)),
    received: () => bytes,
    size,
    heldMs,
    closed: () => lost,
    end: () => stream.end(),
    destroy: () => stream.destroy(),
  };

  function read<T>(decide: (view: View) => Decision<T>, limits: ReadLimits): Promise<T> {
    if (reader !== undefined) throw new Error("Another reader is already using the channel.");
    return new Promise<T>((resolve, reject) => {
      const startedAt = performance.now();
      const heldAtStart = heldMs();
      let over = false;
      let settling: { stop(): void; sure: boolean; settle(): void } | undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;
      let heldAtWatch = heldAtStart;
      const unlisten = onAbort(limits.signal, (reason) => finish(() => reject(reason)));
      if (over) return;

      reader = {
        heard: limits.heard,
        arrived: check,
        closed(error) {
          if (over) return;
          if (settling?.sure) settling.settle();
          else finish(() => reject(error));
        },
      };
      watch();
      check();
      if (lost !== undefined && !over) {
        const error = lost;
        finish(() => reject(error));
      }

      function finish(act: () => void): void {
        over = true;
        settling?.stop();
        clearTimeout(timer);
        reader = undefined;
        unlisten?.();
        act();
      }

      function check(): void {
        settling?.stop();
        settling = undefined;
        if (size() > limits.maxBytes) {
          const error = limits.tooLarge(view.text());
          finish(() => reject(error));
          return;
        }
        let verdict: Decision<T>;
        try {
          verdict = decide(view);
        } catch (error) {
          finish(() => reject(error));
          return;
        }
        if (verdict === undefined) return;
        const { value, settleMs, sure } = verdict;
        const settle = () => finish(() => resolve(value));
        if (settleMs <= 0) settle();
        else settling = { sure, settle, stop: after(settleMs, settle, output.prepare, heldMs) };
      }

      /** One timer serves both limits and is set again only when it fires; data must not cost a timer each. */
      function watch(): void {
        const now = performance.now();
        const held = heldMs();
        const total = (limits.totalMs ?? Number.POSITIVE_INFINITY) - (now - startedAt) + (held - heldAtStart);
        const since = lastAt > startedAt ? lastAt - heldAtLast : startedAt - heldAtStart;
        const quiet = (limits.quietMs ?? Number.POSITIVE_INFINITY) - (now - held - since);
        const waitMs = Math.min(total, quiet);
        if (waitMs <= 0) {
          // Reads data that waits in the socket before reporting a timeout.
          const seenAt = lastAt;
          timer = setTimeout(() => {
            if (over) return;
            if (total > 0 && lastAt !== seenAt) watch();
            // Nothing more arrived, so a result that waited for silence now holds.
            else if (total > 0 && settling !== undefined) settling.settle();
            else
              finish(() => reject(limits.timedOut(performance.now() - startedAt - (heldMs() - heldAtStart))));
          }, 0);
        } else if (Number.isFinite(waitMs)) {
          // While the device is not read, nothing runs out.
          timer = setTimeout(
            watch,
            Math.min(Math.max(waitMs, held > heldAtWatch ? heldStepMs : 0), 2_147_483_647),
          );
          heldAtWatch = held;
        }
      }
    });
  }
}

/**
 * Calls `act` after `ms` unless the returned function is called first; calls `meanwhile` during the wait. The time for
 * which the device was not read does not count.
 */
function after(ms: number, act: () => void, meanwhile: () => void, heldMs: () => number): () => void {
  const startedAt = performance.now();
  const heldAtStart = heldMs();
  let cancelled = false;
  let turns = 0;
  // At least two turns: a blocked event loop runs due timers before it reads the socket.
  const turn = () => {
    if (cancelled) return;
    const held = heldMs() - heldAtStart;
    if (++turns > 2 && performance.now() - startedAt - held >= ms) act();
    else if (held > 0) timer = setTimeout(turn, heldStepMs);
    else setImmediate(turn);
    if (turns === 1) meanwhile();
  };
  let timer = ms < spinBelowMs ? undefined : setTimeout(turn, ms);
  if (timer === undefined) setImmediate(turn);
  return () => {
    cancelled = true;
    clearTimeout(timer);
  };
}
