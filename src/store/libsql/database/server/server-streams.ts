/**
 * A connection to a libSQL server over Hrana streams that are kept open between requests, or opened for each request.
 */

import type { Rows } from "../../../sql/rows.ts";
import { costOf, type Statement } from "../../../sql/statement.ts";
import type { Connection, Target } from "../connection.ts";
import { faultOf } from "../faults.ts";
import {
  type Answer,
  execute,
  type HranaRequest,
  readAnswer,
  refusalOf,
  type Stream,
  transaction,
} from "./hrana.ts";
import { createTransactionSpacing } from "./transaction-spacing.ts";

const requestTimeoutMs = 2_500;
/**
 * Timeout for transactions while the server is responsive. An abandoned transaction keeps waiting for the write lock on
 * the server, with its retry behind it: 14 busy nodes left 1,300 of them, and nothing completed any more.
 */
const patienceMs = 30_000;
const healthMs = 1_000;
/** A server closes streams that are idle for 10 s. */
const idleMs = 8_000;
/** A transaction that waited less for the lock has left no place in the server's queue: queueing starts after 15 ms. */
const placeMs = 10;

/** The server does not know the path of this protocol; nothing was applied. */
export class NotSpoken extends Error {}

interface IdleStream extends Stream {
  /** Monotonic time. */
  readonly since: number;
}

/** One kept stream; concurrent requests beyond it open and close their own. */
interface Place {
  idle: IdleStream | undefined;
  busy: boolean;
  /** The server may have queued this stream for the lock. */
  queued: boolean;
}

/** @throws NotSpoken from each request if the server speaks another version */
export function openStreams(target: Target): Connection {
  const token = target.token?.reveal();
  const headers = {
    "Content-Type": "application/json",
    // Without this the server compresses each response: 63 ms of its time for 1,000 jobs, against 8 ms.
    "Accept-Encoding": "identity",
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  /**
   * The stream for transactions. It is reused after an error, and not closed once it had to wait: a busy server may
   * still have it in its lock queue, and if the stream is gone it grants the lock to no one.
   */
  const writing: Place = { idle: undefined, busy: false, queued: false };
  const reading: Place = { idle: undefined, busy: false, queued: false };
  const spacing = createTransactionSpacing();
  /** Incremented by `reopen`: streams opened before it are not kept. */
  let life = 0;
  /** If streams are not kept, reads run one after another, and each is short on the server. */
  let lastRead: Promise<unknown> = Promise.resolve();

  async function ask(place: Place, request: HranaRequest, signal: AbortSignal): Promise<Answer> {
    const keeps = target.keepsStreams !== false && !place.busy;
    const idleStream = keeps ? takeIdle(place) : undefined;
    if (keeps) place.busy = true;
    if (keeps && idleStream === undefined) place.queued = false;
    const bornIn = life;
    try {
      const requests = keeps ? [request] : [request, { type: "close" } as const];
      const response = await post(requests, idleStream, signal);
      // Nothing was applied: the server has restarted or closed the stream.
      const lost = idleStream !== undefined && response.status === 400;
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

  /** @throws HranaError for the first failure */
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

  /** Frees the connection; if the request is lost, the server closes the idle stream itself. */
  function close(stream: Stream): void {
    void post([{ type: "close" }], stream, AbortSignal.timeout(requestTimeoutMs)).catch(() => {});
  }

  return {
    turn: spacing.turn,
    // A server needs longer for a bulk of 10,000 jobs.
    batch: (statements) =>
      patiently(requestTimeoutMs + costOf(statements), (signal) => transact(statements, signal)),
    // When a server fsyncs is its own setting (docs/guides/scaling.md).
    synced: () => undefined,
    async read(statement) {
      const ask = () => rowsOf(reading, execute(statement));
      const answer = target.keepsStreams === false ? lastRead.then(ask) : ask();
      lastRead = answer.catch(() => {});
      const [rows] = await answer;
      return rows ?? { columns: [], rows: [], changes: 0 };
    },
    async script(sql) {
      await rowsOf(writing, { type: "sequence", sql });
    },
    // Requests in progress continue.
    reopen,
    close() {
      void reopen();
      giveBack(writing);
    },
  };
}
