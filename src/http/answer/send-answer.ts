/** Streams an answer as fast as it is read; a stalled reader is disconnected and its resources are released. */
import { shareOf } from "../../auth/caller.ts";
import { ServiceError } from "../../base/errors.ts";
import { textPieces } from "../../base/json/json-pieces.ts";
import { giveWay } from "../../base/time/yield.ts";
import type { Call } from "../call.ts";
import type { JsonData } from "./json-data.ts";
import { envelope, report, successRaw, successStream } from "./respond.ts";

/** A reader that accepts nothing for this long is disconnected. */
const stalledMs = 20_000;
/** Characters handed to a connection at once; a stalled connection holds two such slices. */
const sliceChars = 64 * 1024;
/** Answers up to this size are sent in one piece. */
const smallBytes = 65_536;

export interface AnswerHead {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly warnings?: readonly string[] | undefined;
  /** The request can be repeated: answer 429 instead if the key leaves too many answers unread. */
  readonly repeatable?: true;
}

/** The envelope around data of any length. */
export function sendData({ bytes, pieces }: JsonData, call: Call, head: AnswerHead = {}): Response {
  const { status = 200, headers = {}, warnings = [] } = head;
  if (bytes <= smallBytes) return successRaw([...pieces(smallBytes)].join(""), status, headers, warnings);
  holdUntilSent(bytes, call, head);
  return sendPieces(enveloped(pieces(sliceChars), warnings), call, head);
}

/** The data already exists: it counts against subsequent requests. */
function holdUntilSent(
  count: number,
  { options, caller, reservation }: Call,
  { repeatable }: AnswerHead,
): void {
  const { bytes, collect } = options.admission;
  try {
    const giveBack = repeatable
      ? bytes.holdIfRoom(shareOf(caller), count)
      : bytes.hold(shareOf(caller), count);
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

/** Ends the request's reservation once everything has been sent or the reader is gone. */
export function sendPieces(pieces: AsyncGenerator<string>, call: Call, head: AnswerHead = {}): Response {
  call.reservation.keepUntilSent();
  return successStream(stream(slices(pieces), call), head.status, head.headers);
}

/** A revoked key gets no more of a long answer after this time. */
const allowedMs = 15_000;

/**
 * The pieces of a list or file, while the key has the rights with which they are read or sent.
 * @throws ServiceError Forbidden
 */
export async function* whileAllowed<T>(pieces: AsyncIterable<T>, call: Call): AsyncGenerator<T> {
  let allowedAt = performance.now();
  for await (const piece of pieces) {
    const now = performance.now();
    if (now - allowedAt >= allowedMs) {
      allowedAt = now;
      if (!(await call.isStillCaller()))
        throw new ServiceError("Forbidden", "The API key or session has ended, or its rights have changed.");
    }
    yield piece;
  }
}

/** The same for bytes. */
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
 * Slices a result of megabytes: the stall timeout applies per slice, and a stalled reader does not cause a second copy.
 */
export function* slicesOf(text: string): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const piece of textPieces(text, sliceChars)) yield encoder.encode(piece);
}

function stream(pieces: AsyncGenerator<Uint8Array>, call: Call): ReadableStream<Uint8Array> {
  let stalled: ReturnType<typeof setTimeout> | undefined;
  /** The caller has left, or was cut off, perhaps while a piece was made for it. */
  let over = false;

  async function end(): Promise<void> {
    over = true;
    clearTimeout(stalled);
    try {
      await pieces.return(undefined);
    } finally {
      call.reservation.end();
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      clearTimeout(stalled);
      const cut = () => {
        call.options.log.info("http.stalled", { request: call.requestId, key: call.caller.name });
        controller.error(
          new ServiceError("Internal", "The caller did not read the response; it was aborted."),
        );
        void end();
      };
      try {
        await giveWay(shareOf(call.caller));
        const next = await pieces.next();
        if (over) return;
        if (next.done) {
          controller.close();
          await end();
          return;
        }
        // The next pull signals that there is room again.
        stalled = setTimeout(cut, stalledMs);
        controller.enqueue(next.value);
      } catch (error) {
        if (over) return;
        // The status has been sent: closing the connection prevents a partial answer from looking complete.
        if (error instanceof ServiceError && error.kind === "Forbidden")
          call.options.log.info("http.revoked", { request: call.requestId, key: call.caller.name });
        else report("http.stream", error, call.options.log, { request: call.requestId, sent: () => [] });
        controller.error(new ServiceError("Internal", "The response was aborted."));
        await end();
      }
    },
    cancel: end,
  });
}
