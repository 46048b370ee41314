/** Bytes to cleaned text and back: one reader at a time, event driven; the only place of this folder with timers. */
import { isAscii } from "node:buffer";
import type { ByteStream } from "../base/byte-stream.ts";
import { abortReason, onAbort } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { type Cleaned, createCleaner } from "./ansi.ts";
import { createDecoder } from "./decode.ts";
import { createOutputBuffer, headChars } from "./output-buffer.ts";

/** What has arrived since the last `mark`. */
export interface View {
  /** All of it, cleaned: without what stood on the line before the mark, with the unfinished last line. */
  text(): string;
  /** The unfinished last line, whole. */
  line(): string;
  /** The last lines, at most some KiB, the unfinished one included. */
  tail(): string;
  /** The first line of the text, its end included; nothing where it has not ended or is long. */
  firstLine(): string;
  /** The first KiB of the text: where the echo stands. */
  start(): string;
  /** The same as it arrived, uncleaned: for echoes that were painted over. */
  head(): string;
  /** Lines that ended since the mark; of those that came at once, two are counted. */
  lines(): number;
  /** Lines that ended with the newest data, with the returns of their line ends. */
  fresh(): Cleaned;
  /** What has come behind the line end that followed the last reply; undefined while nothing has. */
  sinceReply(): string | undefined;
  /** In how many packets the unfinished line came, and the longest wait between them. */
  arrivals(): { packets: number; longestGapMs: number };
}

/** Nothing yet, or an outcome that stands if nothing more arrives within `settleMs`; a `sure` one stands also when the stream closes. */
export type Decision<T> =
  | undefined
  | { readonly value: T; readonly settleMs: number; readonly sure: boolean };

export interface ReadLimits {
  readonly signal: AbortSignal;
  /** All of the read. */
  readonly totalMs?: number;
  /** Without a single byte. */
  readonly quietMs?: number;
  /** Gets what arrives as it arrives, uncleaned. */
  readonly heard?: (text: string) => void;
  /** What may arrive before it is too much. */
  readonly maxBytes: number;
  readonly timedOut: (waitedMs: number) => ServiceError;
  readonly tooLarge: (text: string) => ServiceError;
}

export interface Channel {
  readonly view: View;
  /** Forgets what has arrived; what the next read gives begins here. */
  mark(): void;
  /** Forgets it, and keeps little of what comes until the next mark: an idle session must not hold its last output, or grow. */
  rest(): void;
  /** @throws ServiceError ConnectionLost, or the reason of the signal: nothing is sent after either */
  write(text: string, signal: AbortSignal): void;
  /** Asks `judge` whenever something arrives (and once at the start) until it decides. */
  read<T>(decide: (view: View) => Decision<T>, limits: ReadLimits): Promise<T>;
  /** What stands on the current line is a pager: no output. */
  wipe(): void;
  /** What stands on the current line was answered: see `View.sinceReply`. */
  replied(): void;
  /** The shortest time between a write and the answer of late, if any was seen. */
  rttMs(): number | undefined;
  /** Bytes received since the mark. */
  received(): number;
  /** The same, or the characters that they have become, where these are more. */
  size(): number;
  closed(): ServiceError | undefined;
  end(): Promise<void>;
  destroy(): void;
}

/** Below this a timer is too coarse (it sleeps 1.1 ms at least): the event loop is turned instead. */
const spinBelowMs = 0.25;
const rememberedRtts = 8;
/** An answer that goes on behind its end is taken in up to here. */
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
  const cleaner = createCleaner(cols);
  const output = createOutputBuffer(cleaner.line);
  let bytes = 0;
  let chars = 0;
  let head = "";
  let fresh = nothing;
  let packets = 0;
  let lastAt = 0;
  let longestGapMs = 0;
  let writtenAt: number | undefined;
  const rtts: number[] = [];
  let resting = false;
  let lost: ServiceError | undefined;
  let reader: Reader | undefined;

  /** A few bytes may paint a line. */
  const size = () => Math.max(bytes, chars);
  stream.onData((chunk) => {
    if (chunk.byteLength === 0) return;
    const now = performance.now();
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
      if (++packets > 1) longestGapMs = Math.max(longestGapMs, now - lastAt);
    }
    lastAt = now;
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
      mark();
      resting = true;
    },
    write(text, signal) {
      if (signal.aborted) throw abortReason(signal);
      if (lost !== undefined) throw lost;
      if (text === "") return;
      writtenAt = performance.now();
      stream.write(text);
    },
    read: (decide, limits) => read(decide, limits),
    wipe: () => cleaner.wipe(),
    replied: output.replied,
    rttMs: () => (rtts.length === 0 ? undefined : Math.min(...rtts)),
    received: () => bytes,
    size,
    closed: () => lost,
    end: () => stream.end(),
    destroy: () => stream.destroy(),
  };

  function read<T>(decide: (view: View) => Decision<T>, limits: ReadLimits): Promise<T> {
    if (reader !== undefined) throw new Error("The channel is being read already.");
    return new Promise<T>((resolve, reject) => {
      const startedAt = performance.now();
      let over = false;
      let settling: { stop(): void; sure: boolean; settle(): void } | undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const unlisten = onAbort(limits.signal, (reason) => finish(() => reject(reason)));
      if (over) return;

      reader = {
        heard: limits.heard,
        arrived: look,
        closed(error) {
          if (over) return;
          if (settling?.sure) settling.settle();
          else finish(() => reject(error));
        },
      };
      watch();
      look();
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

      function look(): void {
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
        else settling = { sure, settle, stop: after(settleMs, settle, output.prepare) };
      }

      /** One timer for both limits, set again only when it fires: data must not cost a timer each. */
      function watch(): void {
        const now = performance.now();
        const total = (limits.totalMs ?? Number.POSITIVE_INFINITY) - (now - startedAt);
        const quiet = (limits.quietMs ?? Number.POSITIVE_INFINITY) - (now - Math.max(lastAt, startedAt));
        const left = Math.min(total, quiet);
        if (left <= 0) {
          // Data that waits in the socket is looked at before the time is called over.
          const seenAt = lastAt;
          timer = setTimeout(() => {
            if (over) return;
            if (total > 0 && lastAt !== seenAt) watch();
            // Nothing more came: what was doubtful for want of silence has had it.
            else if (total > 0 && settling !== undefined) settling.settle();
            else finish(() => reject(limits.timedOut(performance.now() - startedAt)));
          }, 0);
        } else if (Number.isFinite(left)) timer = setTimeout(watch, Math.min(left, 2_147_483_647));
      }
    });
  }
}

/** Calls `act` when `ms` have passed, unless the returned function is called before; `meanwhile` uses the wait. */
function after(ms: number, act: () => void, meanwhile: () => void): () => void {
  const startedAt = performance.now();
  let cancelled = false;
  let turns = 0;
  // Two turns at least: a loop that was held up finds its timers due before it reads what the socket holds.
  const turn = () => {
    if (cancelled) return;
    if (++turns > 2 && performance.now() - startedAt >= ms) act();
    else setImmediate(turn);
    if (turns === 1) meanwhile();
  };
  const timer = ms < spinBelowMs ? undefined : setTimeout(turn, ms);
  if (timer === undefined) setImmediate(turn);
  return () => {
    cancelled = true;
    clearTimeout(timer);
  };
}
