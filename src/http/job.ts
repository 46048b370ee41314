/** GET and DELETE /job. */
import { ServiceError } from "../base/errors.ts";
import { jsonWithRaw } from "../base/json.ts";
import type { ListedJob } from "../model/job.ts";
import type { Call } from "./call.ts";
import { cancelQuery, demandFilter, jobQuery, present, queryOf } from "./query.ts";
import { report, success, successRaw, successStream } from "./respond.ts";

export async function listJobs(call: Call): Promise<Response> {
  const { limit, cursor, ...filter } = queryOf(jobQuery, call.url);
  const wanted = present(filter);
  if (limit !== undefined) return page(call, wanted, limit, cursor);
  const pages = call.options.jobs.list(wanted, call.caller, present({ cursor }))[Symbol.asyncIterator]();
  // The first page is awaited: an unknown id must become a 404, which a stream that has begun can not say.
  const first = await pages.next();
  const records = first.done ? [] : first.value;
  if (wanted.id !== undefined && records.length === 0) throw unknownJob();
  if (first.done || wanted.id !== undefined) {
    await pages.return?.();
    return successRaw(listJson(records));
  }
  call.extendTimeout();
  return successStream(stream(texts(records, pages), call));
}

type Filter = Parameters<Call["options"]["jobs"]["list"]>[0];

const unknownJob = () => new ServiceError("NotFound", "There is no job with that id.");

/** One more is asked for than is given: whether there is a next page is known, not guessed. */
async function page(call: Call, filter: Filter, limit: number, cursor?: string): Promise<Response> {
  const records: ListedJob[] = [];
  for await (const some of call.options.jobs.list(
    filter,
    call.caller,
    present({ limit: limit + 1, cursor }),
  )) {
    records.push(...some);
    if (records.length > limit) break;
  }
  if (filter.id !== undefined && records.length === 0) throw unknownJob();
  const given = records.slice(0, limit);
  const last = given.at(-1);
  const more = records.length > limit && last !== undefined;
  return successRaw(listJson(given), 200, more ? { "X-Next-Cursor": last.id } : {});
}

const listJson = (records: readonly ListedJob[]): string => `[${records.map(jsonWithRaw).join(",")}]`;

/** Large results leave one by one, small ones together. */
const pieceChars = 65_536;

/** The envelope in pieces: never all jobs in memory. */
async function* texts(first: ListedJob[], pages: AsyncIterator<ListedJob[]>): AsyncGenerator<string> {
  try {
    let piece = `{"code":200,"message":"success","data":[`;
    let comma = "";
    for (let records = first; ; ) {
      for (const record of records) {
        piece += comma + jsonWithRaw(record);
        comma = ",";
        if (piece.length < pieceChars) continue;
        yield piece;
        piece = "";
      }
      const next = await pages.next();
      if (next.done) break;
      records = next.value;
    }
    yield `${piece}]}`;
  } finally {
    await pages.return?.();
  }
}

function stream(pieces: AsyncGenerator<string>, call: Call): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      } catch (error) {
        // The status has left already: the connection is cut, so that nobody takes a part for the whole.
        report("http.stream", error, call.options.log, { request: call.requestId, sent: [] });
        controller.error(new ServiceError("Internal", "The answer was cut off."));
      }
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

export async function cancelJobs(call: Call): Promise<Response> {
  const { force, ...filter } = queryOf(cancelQuery, call.url);
  const wanted = present(filter);
  demandFilter(wanted, ["id", "queue", "host"]);
  return success(await call.options.jobs.cancel(wanted, force === "true" || force === "1", call.caller));
}
