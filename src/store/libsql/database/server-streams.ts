/** A connection to a libSQL server: requests on streams that are kept between them. */
import type { Connection, Target } from "./connection.ts";
import {
  type Answer,
  execute,
  type HranaRequest,
  readAnswer,
  refusalOf,
  type Stream,
  transaction,
} from "./hrana.ts";
import { costOf } from "./statement.ts";

const requestTimeoutMs = 2_500;
/**
 * How long a transaction is waited for while the server is alive. One that is given up goes on there and waits for the
 * write lock, its repetition behind it: 14 busy nodes left 1,300 of them, and nothing came to its end any more.
 */
const patienceMs = 30_000;
const healthMs = 1_000;
/**
 * What is more at once closes its own again. With three of each of eight nodes the server stood for seconds again and
 * again with nothing to do; with one it never did. It has room for 128 connections, by default, of all its nodes.
 */
const mostKept = 1;
/** A server closes what was idle for 10 s. */
const idleMs = 8_000;

/** The server does not know the path of this protocol: nothing was done. */
export class NotSpoken extends Error {}

interface IdleStream extends Stream {
  /** Monotonic. */
  readonly since: number;
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
  /** The one that was used last comes first: the others come to their end when little is asked. */
  let idle: IdleStream[] = [];
  let busy = 0;
  /** Streams of an earlier life are not kept. */
  let life = 0;

  async function ask(request: HranaRequest, signal: AbortSignal): Promise<Answer["results"][number]> {
    const kept = takeIdle();
    const keeps = busy < mostKept;
    if (keeps) busy++;
    const bornIn = life;
    try {
      const requests = keeps ? [request] : [request, { type: "close" } as const];
      const response = await post(requests, kept, signal);
      // Nothing was done: the server has restarted, or has closed the stream.
      const lost = kept !== undefined && response.status === 400;
      const { results, stream } = await answerOf(
        lost ? await post(requests, undefined, signal) : response,
        requests,
      );
      if (stream && bornIn === life) idle.push({ ...stream, since: performance.now() });
      else if (stream) closeAll([stream]);
      return results[0] ?? [];
    } finally {
      if (keeps) busy--;
    }
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

  function takeIdle(): Stream | undefined {
    const stream = idle.pop();
    if (stream === undefined || performance.now() - stream.since < idleMs) return stream;
    // The others are older.
    idle = [];
    return undefined;
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
    closeAll(idle);
    idle = [];
  }

  /** Room for others; a server that hears nothing of it closes them by itself. */
  function closeAll(streams: readonly Stream[]): void {
    for (const stream of streams)
      void post([{ type: "close" }], stream, AbortSignal.timeout(requestTimeoutMs)).catch(() => {});
  }

  return {
    // A bulk of 10,000 takes a server more than a moment.
    batch: (statements) =>
      patiently(requestTimeoutMs + costOf(statements), (signal) => ask(transaction(statements), signal)),
    // What it answers is on its disk.
    synced: () => undefined,
    async read(statement) {
      const [rows] = await ask(execute(statement), AbortSignal.timeout(requestTimeoutMs));
      return rows ?? { columns: [], rows: [], changes: 0 };
    },
    async script(sql) {
      await ask({ type: "sequence", sql }, AbortSignal.timeout(requestTimeoutMs));
    },
    // Requests that are under way go on.
    reopen,
    close: () => void reopen(),
  };
}
