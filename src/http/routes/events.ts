/** GET /events, /bulk/{id}/events, /job/{id}/events: Server-Sent Events. */
import type { Listening, StreamEvent } from "../../events/port.ts";
import { readPosition } from "../../events/position.ts";
import type { Call } from "../call.ts";
import { type EventWords, eventBytes } from "../event-text.ts";
import { bulkEventQuery, eventQuery, isTrue, queryOf } from "../query.ts";
import { sendBytes } from "../send-answer.ts";

const eventStream = { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" };
/** A revoked key is disconnected within this time. */
const allowedMs = 15_000;

export async function watchAll(call: Call): Promise<Response> {
  const { bulk_id, host, select, status } = queryOf(eventQuery, call.url);
  // A selector over a hundred thousand devices takes seconds.
  if (select !== undefined) call.extendTimeout();
  const hosts =
    select === undefined
      ? undefined
      : await call.options.jobs.hostsOf(select, call.caller, call.request.signal);
  const filter = { bulkId: bulk_id, host: await namedHost(host, call), hosts, statuses: status };
  return sendEvents(call, { read: "/job", many: true }, (listening) =>
    call.options.events.ofAll(filter, listening),
  );
}

/** A host that is the name of an inventory device is that device. */
async function namedHost(host: string | undefined, { options, caller }: Call): Promise<string | undefined> {
  return host === undefined ? undefined : options.jobs.hostNamed(host, caller);
}

export async function watchBulk(call: Call): Promise<Response> {
  const { name: id = "" } = call;
  const { host, status, output, states } = queryOf(bulkEventQuery, call.url);
  const wishes = {
    host: await namedHost(host, call),
    statuses: status,
    output: isTrue(output),
    states: states === undefined || isTrue(states),
  };
  return sendEvents(call, { read: `/job?bulk_id=${encodeURIComponent(id)}`, many: true }, (listening) =>
    call.options.events.ofBulk(id, wishes, listening),
  );
}

export function watchJob(call: Call): Promise<Response> {
  const { name: id = "" } = call;
  return sendEvents(call, { read: `/job?id=${encodeURIComponent(id)}`, many: false }, (listening) =>
    call.options.events.ofJob(id, listening),
  );
}

async function sendEvents(
  call: Call,
  words: Omit<EventWords, "iso">,
  open: (listening: Listening) => AsyncGenerator<StreamEvent>,
): Promise<Response> {
  const { caller, request, reservation, options } = call;
  const lastId = request.headers.get("Last-Event-ID");
  const from = lastId === null || lastId === "" ? undefined : readPosition(lastId);
  reservation.hold(options.admission.streams.take(caller.keyId));
  reservation.leaveRequests();
  const closed = new AbortController();
  const signal = AbortSignal.any([request.signal, closed.signal]);
  const events = open({ caller, from, signal });
  // Awaited before the answer begins, so that an unknown id is a 404.
  const first = await events.next();
  // The stream has already ended: 204 stops an EventSource from reconnecting.
  if (first.done) return new Response(null, { status: 204 });
  const pieces = bytesOf(call, first.value, events, { ...words, iso: options.iso });
  const giveUp = pieces.return.bind(pieces);
  // The generator is usually suspended on an event, so `return` alone would wait for the next one.
  pieces.return = (value) => {
    closed.abort();
    return giveUp(value);
  };
  call.extendTimeout();
  return sendBytes(pieces, call, { headers: eventStream });
}

async function* bytesOf(
  call: Call,
  first: StreamEvent,
  events: AsyncGenerator<StreamEvent>,
  words: EventWords,
): AsyncGenerator<Uint8Array> {
  let allowedAt = performance.now();
  try {
    yield* eventBytes(first, words);
    for await (const event of events) {
      const now = performance.now();
      if (now - allowedAt >= allowedMs) {
        allowedAt = now;
        if (!(await call.isStillCaller())) return;
      }
      yield* eventBytes(event, words);
    }
  } finally {
    await events.return(undefined);
  }
}
