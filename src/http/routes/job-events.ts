/** GET /job/{id}/events: what becomes of a job, as Server-Sent Events. */
import { ServiceError } from "../../base/errors.ts";
import type { JobEvent } from "../../jobs/port.ts";
import type { Call } from "../call.ts";
import { sendPieces } from "../send-answer.ts";

/** Proxies and readers take a connection that is silent for longer as dead. */
const aliveMs = 15_000;
const eventStream = { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" };

export async function watchJob(call: Call): Promise<Response> {
  const { jobs, admission } = call.options;
  const { caller, request, name: id = "" } = call;
  call.reservation.hold(admission.streams.take(caller.keyId));
  const left = new AbortController();
  const signal = AbortSignal.any([request.signal, left.signal]);
  const events = jobs.watch(id, caller, positionOf(request.headers.get("Last-Event-ID")), signal);
  const iterator = events[Symbol.asyncIterator]();
  // Awaited before the answer begins: an unknown id is a 404.
  const first = await iterator.next();
  return sendPieces(
    texts(first, iterator, id, () => left.abort()),
    call,
    { headers: eventStream },
  );
}

async function* texts(
  first: IteratorResult<JobEvent>,
  events: AsyncIterator<JobEvent>,
  id: string,
  stop: () => void,
): AsyncGenerator<string> {
  try {
    let next = Promise.resolve(first);
    for (;;) {
      const event = await orSilence(next);
      if (event === "silent") {
        yield ": alive\n\n";
        continue;
      }
      if (event.done) return;
      yield eventText(event.value, id);
      next = events.next();
    }
  } finally {
    stop();
    await events.return?.();
  }
}

async function orSilence<T>(next: Promise<T>): Promise<T | "silent"> {
  const silence = Promise.withResolvers<"silent">();
  const timer = setTimeout(silence.resolve, aliveMs, "silent");
  try {
    return await Promise.race([next, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function eventText(event: JobEvent, id: string): string {
  const { position } = event;
  const mark = position === undefined ? "" : `id: ${position.attempt}:${position.at}\n`;
  if (event.kind === "state")
    return `${mark}event: state\ndata: ${JSON.stringify({ id, status: event.status })}\n\n`;
  if (event.kind === "progress") {
    const data = { bytes_transferred: event.done, total_bytes: event.total };
    return `${mark}event: progress\ndata: ${JSON.stringify(data)}\n\n`;
  }
  const data = { text: event.text, ...(event.missed === 0 ? {} : { missed: event.missed }) };
  return `${mark}event: output\ndata: ${JSON.stringify(data)}\n\n`;
}

/** @throws ServiceError BadRequest */
function positionOf(lastEventId: string | null) {
  if (lastEventId === null || lastEventId === "") return undefined;
  const [, attempt, at] = /^(\d{1,9}):(\d{1,15})$/.exec(lastEventId) ?? [];
  if (attempt === undefined || at === undefined)
    throw new ServiceError("BadRequest", "Last-Event-ID is none that this stream gave: leave it out.");
  return { attempt: Number(attempt), at: Number(at) };
}
