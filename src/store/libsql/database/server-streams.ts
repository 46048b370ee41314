/** A connection to a libSQL server: requests on streams that are kept between them, or each on one of its own. */
import type { Connection, Rows, Target } from "./connection.ts";
import { faultOf } from "./faults.ts";
import {
  type Answer,
  execute,
  type HranaRequest,
  readAnswer,
  refusalOf,
  type Stream,
  transaction,
} from "./hrana.ts";
import { createSpacing } from "./spacing.ts";
import { costOf, type Statement } from "./statement.ts";

const requestTimeoutMs = 2_500;
/**
 * How long a transaction is waited for while the server is alive. One that is given up goes on there and waits for the
 * write lock, its repetition behind it: 14 busy nodes left 1,300 of them, and nothing came to its end any more.
 */
const patienceMs = 30_000;
const healthMs = 1_000;
/** A server closes what was idle for 10 s. */
const idleMs = 8_000;
/** Who waited less for the lock has left no place in the queue for it: that begins after 15 ms. */
const placeMs = 10;

/** The server does not know the path of this protocol: nothing was done. */
export class NotSpoken extends Error {}

interface IdleStream extends Stream {
  /** Monotonic. */
  readonly since: number;
}

/** One stream that is kept; what is more at once opens one of its own, and closes it again. */
interface Place {
  idle: IdleStream | undefined;
  busy: boolean;
  /** The server may have a place in its queue for this stream. */
  queued: boolean;
}

/** @throws NotSpoken by each request, where the server speaks another version. */
export function openStreams(target: Target): Connection {
  const token = target.token?.reveal();
  const headers = {
    "Content-Type": "application/json",
    // Left to itself the server packs each answer: 63 ms of its time for 1,000 jobs, and 8 ms without.
    "Accept-Encoding": "identity",
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  /**
   * For what takes the lock. It is used again after a refusal, and not closed once it had to wait: a server that was busy
   * may still have a place in its queue for this very stream, and gives the lock to nobody where the stream has gone.
   */
  const writing: Place = { idle: undefined, busy: false, queued: false };
  const reading: Place = { idle: undefined, busy: false, queued: false };
  const spacing = createSpacing();
  /** Streams of an earlier life are not kept. */
  let life = 0;
  /** Where streams are not kept one read is asked after the other: the server lets nobody wait for long. */
  let lastRead: Promise<unknown> = Promise.resolve();

  async function ask(place: Place, request: HranaRequest, signal: AbortSignal): Promise<Answer> {
    const keeps = target.keepsStreams !== false && !place.busy;
    const kept = keeps ? takeIdle(place) : undefined;
    if (keeps) place.busy = true;
    if (keeps && kept === undefined) place.queued = false;
    const bornIn = life;
    try {
      const requests = keeps ? [request] : [request, { type: "close" } as const];
      const response = await post(requests, kept, signal);
      // Nothing was done: the server has restarted, or has closed the stream.
      const lost = kept !== undefined && response.status === 400;
      const answer = await answerOf(lost ? await post(requests, undefined, signal) : response, requests);
      const { stream } = answer;
      if (stream && (bornIn === life || place === writing))
        place.idle = { ...stream, since: performance.now() };
      else if (stream) close(stream);
      return answer;
    } finally {
      if (keeps) place.busy = false;
    }
  }

  /** @throws HranaError what failed first */
  async function rowsOf(place: Place, request: HranaRequest): Promise<readonly Rows[]> {
    const { results, failure } = await ask(place, request, AbortSignal.timeout(requestTimeoutMs));
    if (failure) throw failure;
    return results[0] ?? [];
  }

  async function transact(statements: readonly Statement[], signal: AbortSignal): Promise<Rows[]> {
    const sentAt = performance.now();
    const { results, failure, waitedMs } = await ask(writing, transaction(statements), signal);
    if (waitedMs !== undefined) spacing.locked(sentAt, waitedMs);
    const busy = failure !== undefined && faultOf(failure) === "busy";
    if (busy) spacing.refused();
    writing.queued ||= busy || (waitedMs ?? 0) > placeMs;
    if (failure) throw failure;
    return [...(results[0] ?? [])];
  }

  async function patiently<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const giveUp = new AbortController();
    const until = performance.now() + patienceMs;
    let timer = setTimeout(check, limitMs);
    let ended = false;
    async function check(): Promise<void> {
      const waits = performance.now() < until && (await alive());
      if (ended) return;
      if (waits) timer = setTimeout(check, limitMs);
      else giveUp.abort(new DOMException("The server did not answer in time.", "TimeoutError"));
    }
    try {
      return await work(giveUp.signal);
    } finally {
      ended = true;
      clearTimeout(timer);
    }
  }

  function alive(): Promise<boolean> {
    return fetch(`${target.at}/health`, { headers, signal: AbortSignal.timeout(healthMs) }).then(
      (response) => response.ok,
      () => false,
    );
  }

  function takeIdle(place: Place): Stream | undefined {
    const stream = place.idle;
    place.idle = undefined;
    return stream && performance.now() - stream.since < idleMs ? stream : undefined;
  }

  function post(
    requests: readonly HranaRequest[],
    stream: Stream | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const body = JSON.stringify({ baton: stream?.baton ?? null, requests });
    return fetch(`${stream?.base ?? target.at}/v3/pipeline`, { method: "POST", headers, body, signal });
  }

  async function answerOf(response: Response, requests: readonly HranaRequest[]): Promise<Answer> {
    const text = await response.text();
    if (response.status === 404) throw new NotSpoken();
    if (!response.ok) throw refusalOf(response.status, text);
    return readAnswer(JSON.parse(text), requests.length);
  }

  async function reopen(): Promise<void> {
    life++;
    giveBack(reading);
  }

  function giveBack(place: Place): void {
    if (place.idle && !place.queued) close(place.idle);
    place.idle = undefined;
  }

  /** Room for others; a server that hears nothing of it closes it by itself. */
  function close(stream: Stream): void {
    void post([{ type: "close" }], stream, AbortSignal.timeout(requestTimeoutMs)).catch(() => {});
  }

  return {
    turn: spacing.turn,
    // A bulk of 10,000 takes a server more than a moment.
    batch: (statements) =>
      patiently(requestTimeoutMs + costOf(statements), (signal) => transact(statements, signal)),
    // When what it answers is on its disk is the server's own setting (docs/scaling.md).
    synced: () => undefined,
    async read(statement) {
      const ask = () => rowsOf(reading, execute(statement));
      const asked = target.keepsStreams === false ? lastRead.then(ask) : ask();
      lastRead = asked.catch(() => {});
      const [rows] = await asked;
      return rows ?? { columns: [], rows: [], changes: 0 };
    },
    async script(sql) {
      await rowsOf(writing, { type: "sequence", sql });
    },
    // Requests that are under way go on.
    reopen,
    close() {
      void reopen();
      giveBack(writing);
    },
  };
}
