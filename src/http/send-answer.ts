/** Sends an answer piece by piece, as fast as it is read; who stops reading is cut off, and what it held is given back. */
import { ServiceError } from "../base/errors.ts";
import { cutPoint } from "../base/json-pieces.ts";
import type { Call } from "./call.ts";
import type { JsonData } from "./json-data.ts";
import { envelope, report, successRaw, successStream } from "./respond.ts";

/** A reader that takes nothing for so long is cut off. */
const stalledMs = 20_000;
/** What is handed to the connection at once, in characters: each that does not read has two of them. */
const sliceChars = 64 * 1024;
/** Up to here an answer leaves in one piece. */
const smallBytes = 65_536;

export interface AnswerHead {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly warnings?: readonly string[] | undefined;
  /** What was done can be done again: 429 in place of an answer where the key leaves too many of its answers unread. */
  readonly repeatable?: true;
}

/** The envelope around data of whatever length. */
export function sendData({ bytes, pieces }: JsonData, call: Call, head: AnswerHead = {}): Response {
  const { status = 200, headers = {}, warnings = [] } = head;
  if (bytes <= smallBytes) return successRaw([...pieces(smallBytes)].join(""), status, headers, warnings);
  holdUntilSent(bytes, call, head);
  return sendPieces(enveloped(pieces(sliceChars), warnings), call, head);
}

/** It is there already: it counts against what comes next. */
function holdUntilSent(
  count: number,
  { options, caller, reservation }: Call,
  { repeatable }: AnswerHead,
): void {
  const { bytes, collect } = options.admission;
  try {
    const giveBack = repeatable ? bytes.holdIfRoom(caller.keyId, count) : bytes.hold(caller.keyId, count);
    reservation.hold(() => {
      giveBack();
      collect();
    });
  } catch (error) {
    collect();
    throw error;
  }
}

async function* enveloped(pieces: Iterable<string>, warnings: readonly string[]): AsyncGenerator<string> {
  const [before, after] = envelope(warnings);
  yield before;
  yield* pieces;
  yield after;
}

/** Ends the reservation of the request when all was sent, or nobody reads any more. */
export function sendPieces(pieces: AsyncGenerator<string>, call: Call, head: AnswerHead = {}): Response {
  call.reservation.keepUntilSent();
  call.extendTimeout();
  return successStream(stream(slices(pieces), call), head.status, head.headers);
}

/** The same for bytes, which are pieces already. */
export function sendBytes(pieces: AsyncGenerator<Uint8Array>, call: Call, head: AnswerHead = {}): Response {
  call.reservation.keepUntilSent();
  return successStream(stream(pieces, call), head.status, head.headers);
}

async function* slices(pieces: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of pieces) yield* slicesOf(piece);
  } finally {
    await pieces.return(undefined);
  }
}

/**
 * A result of megabytes is not handed over whole: the time limit is one for each slice, and nobody who does not read
 * makes a second copy of it.
 */
export function* slicesOf(text: string): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  for (let at = 0; at < text.length; ) {
    const end = cutPoint(text, at + sliceChars);
    yield encoder.encode(text.slice(at, end));
    at = end;
  }
}

function stream(all: AsyncGenerator<Uint8Array>, call: Call): ReadableStream<Uint8Array> {
  let stalled: ReturnType<typeof setTimeout> | undefined;

  async function end(): Promise<void> {
    clearTimeout(stalled);
    try {
      await all.return(undefined);
    } finally {
      call.reservation.end();
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      clearTimeout(stalled);
      const cut = () => {
        call.options.log.info("http.stalled", { request: call.requestId, key: call.caller.name });
        controller.error(new ServiceError("Internal", "The answer was not read and was cut off."));
        void end();
      };
      try {
        const next = await all.next();
        if (next.done) {
          controller.close();
          await end();
          return;
        }
        // The next pull says that there is room again.
        stalled = setTimeout(cut, stalledMs);
        controller.enqueue(next.value);
      } catch (error) {
        // The status has left already: the connection is cut, so that nobody takes a part for the whole.
        report("http.stream", error, call.options.log, { request: call.requestId, sent: () => [] });
        controller.error(new ServiceError("Internal", "The answer was cut off."));
        await end();
      }
    },
    cancel: end,
  });
}
