/** Answers with a stream of Server-Sent Events, which ends when its listener goes or may listen no longer. */
import { shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { pause } from "../../base/time/deadline.ts";
import type { Call } from "../call.ts";
import { sendBytes } from "./send-answer.ts";

const eventStream = { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" };
/** A revoked key is disconnected within this time. */
const allowedMs = 15_000;
/** An open page sees the end of its login session soon: the session is known for 4 s at most. */
const sessionMs = 900;
const sessionEnded = "the login session has ended";
/** Lets the browser reconnect at once, to be told that it may not. */
const atOnce = new TextEncoder().encode("retry: 100\n\n");

export interface EventSource<E, P> {
  /** The position that a `Last-Event-ID` stands for. @throws ServiceError BadRequest */
  positionOf(text: string): P;
  open(listening: {
    readonly caller: Caller;
    /** Undefined: from now on. */
    readonly from: P | undefined;
    readonly signal: AbortSignal;
  }): AsyncGenerator<E>;
  bytes(event: E): readonly Uint8Array[];
}

/** A position that is a number. @throws ServiceError BadRequest */
export function logPosition(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError("BadRequest", "Last-Event-ID was not issued by this service: omit it.");
}

export async function sendEvents<E, P>(
  call: Call,
  { positionOf, open, bytes }: EventSource<E, P>,
): Promise<Response> {
  const { caller, request, reservation, options } = call;
  const lastId = request.headers.get("Last-Event-ID");
  const from = lastId === null || lastId === "" ? undefined : positionOf(lastId);
  reservation.hold(options.admission.streams.take(shareOf(caller)));
  reservation.leaveRequests();
  const closed = new AbortController();
  const signal = AbortSignal.any([request.signal, closed.signal]);
  const events = open({ caller, from, signal });
  // Awaited before the answer begins, so that an unknown id is a 404.
  const first = await events.next();
  // The stream has already ended: 204 stops an EventSource from reconnecting.
  if (first.done) return new Response(null, { status: 204 });
  const pieces = bytesOf(call, first.value, events, bytes, closed);
  if (caller.sessionId !== undefined) void whenSessionEnds(call, signal, () => closed.abort(sessionEnded));
  const giveUp = pieces.return.bind(pieces);
  // The generator is usually suspended on an event, so `return` alone would wait for the next one.
  pieces.return = (value) => {
    closed.abort();
    return giveUp(value);
  };
  return sendBytes(pieces, call, { headers: eventStream });
}

async function* bytesOf<E>(
  call: Call,
  first: E,
  events: AsyncGenerator<E>,
  bytes: (event: E) => readonly Uint8Array[],
  closed: AbortController,
): AsyncGenerator<Uint8Array> {
  let allowedAt = performance.now();
  try {
    yield* bytes(first);
    for await (const event of events) {
      const now = performance.now();
      if (now - allowedAt >= allowedMs) {
        allowedAt = now;
        if (!(await call.isStillCaller())) return;
      }
      yield* bytes(event);
    }
    if (closed.signal.reason === sessionEnded) yield atOnce;
  } finally {
    closed.abort();
    await events.return(undefined);
  }
}

/** Looks although nothing happens: whoever logged out elsewhere must not go on reading. */
async function whenSessionEnds(call: Call, signal: AbortSignal, then: () => void): Promise<void> {
  while (!signal.aborted) {
    await pause(sessionMs, signal);
    if (!signal.aborted && !(await call.isStillCaller())) then();
  }
}
