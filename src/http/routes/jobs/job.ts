/** Jobs: list, cancel, release, and what a push sent. */

import * as v from "valibot";
import { isTrue, releaseFilter } from "../../../api/filters.ts";
import { jobRecord, type ListedJob } from "../../../api/jobs/job.ts";
import { transcriptRecord } from "../../../api/jobs/transcript.ts";
import { described, text } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { ServiceError } from "../../../base/errors.ts";
import { RawJson } from "../../../base/json/json.ts";
import { jsonPieces, jsonWithRaw } from "../../../base/json/json-pieces.ts";
import { giveWay } from "../../../base/time/yield.ts";
import type { RecordParts } from "../../../jobs/port.ts";
import { rawData } from "../../answer/json-data.ts";
import { successRaw } from "../../answer/respond.ts";
import { sendData, sendPieces, whileAllowed } from "../../answer/send-answer.ts";
import type { Call } from "../../call.ts";
import { cancelQuery, jobFilters, jobQuery, omitUndefined, requireFilter } from "../../query.ts";
import { route } from "../../route.ts";

export const jobRoutes = [
  route({
    id: "listJobs",
    method: "GET",
    path: "/job",
    scope: "read",
    summary: "Query jobs, newest first",
    query: jobQuery,
    answer: v.array(jobRecord),
    paged: true,
    fails: ["404"],
    handle: listJobs,
  }),
  route({
    id: "cancelJobs",
    method: "DELETE",
    path: "/job",
    scope: "operate",
    summary: "Cancel jobs",
    query: cancelQuery,
    answer: described(v.array(text), "Ids of the cancelled jobs"),
    refusable: true,
    fails: ["404"],
    async handle(call, { force, ...filter }) {
      const jobFilter = omitUndefined(filter);
      requireFilter(jobFilter, jobFilters);
      const { caller, request } = call;
      const cancelled = await call.options.jobs.cancel(jobFilter, isTrue(force), caller, request.signal);
      return sendData(rawData(JSON.stringify(cancelled)), call);
    },
  }),
  route({
    id: "releaseJobs",
    method: "POST",
    path: "/job/release",
    grows: true,
    scope: "operate",
    summary: "Release held jobs to the queue",
    query: releaseFilter,
    answer: described(v.array(text), "Ids of the released jobs"),
    refusable: true,
    fails: ["404"],
    handle(call, query) {
      const filter = omitUndefined(query);
      requireFilter(filter, Object.keys(releaseFilter.entries));
      return call.options.jobs.release(filter, call.caller);
    },
  }),
  route({
    id: "readSent",
    method: "GET",
    path: "/job/:name/sent",
    scope: "read",
    summary: "What a push sent and received, kept as long as the audit trail; `name` is the id of the job",
    answer: transcriptRecord,
    // Sent in pieces: it may be a megabyte.
    async handle(call) {
      const sent = await call.options.jobs.sentBy(call.name ?? "", call.caller);
      return sendData(rawData(JSON.stringify(sent)), call);
    },
  }),
];

async function listJobs(
  call: Call,
  { limit, cursor, fields, include_result, ...filter }: v.InferOutput<typeof jobQuery>,
): Promise<Response> {
  const jobFilter = omitUndefined(filter);
  const view = viewOf(fields, include_result === undefined || isTrue(include_result));
  const page = omitUndefined({ cursor, parts: view.parts, signal: call.request.signal });
  const { jobs, admission } = call.options;
  // A single record is not a list, whatever it contains.
  if (jobFilter.id === undefined) {
    call.reservation.hold(admission.lists.take(shareOf(call.caller)));
    await giveWay(shareOf(call.caller));
  }
  if (limit === undefined) return sendList(jobs.list(jobFilter, call.caller, page), jobFilter, view, call);
  const { next, pieces } = await jobs.page(jobFilter, call.caller, { limit, ...page });
  return sendList(pieces, jobFilter, view, call, next === undefined ? {} : { "X-Next-Cursor": next });
}

/** Which members of each record are sent, and which need not be read. */
interface View {
  readonly parts: RecordParts | undefined;
  shown(record: ListedJob): Partial<ListedJob>;
}

const fromRequest = ["command", "config", "request", "note", "priority"];

function viewOf(fields: readonly string[] | undefined, includeResult: boolean): View {
  const wants = (name: string) => fields?.includes(name) ?? true;
  const result = includeResult && wants("result");
  if (fields === undefined && result) return { parts: undefined, shown: (record) => record };
  // Checks are part of the result.
  const checks = includeResult && wants("checks");
  const parts = { result: result || checks, asked: fromRequest.some(wants), webhook: wants("webhook") };
  const isShown = (name: string) => (name === "result" ? result : name === "checks" ? checks : wants(name));
  return {
    parts,
    shown: (record) => Object.fromEntries(Object.entries(record).filter(([name]) => isShown(name))),
  };
}

type Filter = Parameters<Call["options"]["jobs"]["list"]>[0];

const unknownJob = () => new ServiceError("NotFound", "There is no job with that id.");
const listJson = (records: readonly object[]): string => `[${records.map(jsonWithRaw).join(",")}]`;

async function sendList(
  list: AsyncIterable<ListedJob[]>,
  filter: Filter,
  view: View,
  call: Call,
  headers: Record<string, string> = {},
): Promise<Response> {
  const pages = list[Symbol.asyncIterator]();
  // The first page is awaited: an unknown id must be a 404, and a stream that has begun cannot change its status.
  const first = await pages.next();
  const records = first.done ? [] : first.value;
  if (filter.id !== undefined && records.length === 0) throw unknownJob();
  const small = sizeOf(records) <= pieceChars;
  if (!first.done && small) await giveWay(shareOf(call.caller));
  const second = first.done || !small ? undefined : await pages.next();
  // Most lists fit in one piece.
  if (first.done || second?.done) return successRaw(listJson(records.map(view.shown)), 200, headers);
  const firstRecords = second === undefined ? records : [...records, ...second.value];
  return sendPieces(whileAllowed(texts(firstRecords, pages, view, call), call), call, { headers });
}

/** Size of the results, which make up nearly all of a large record. */
function sizeOf(records: readonly ListedJob[]): number {
  return records.reduce((sum, { result }) => sum + (result instanceof RawJson ? result.text.length : 0), 0);
}

/** Large results are sent one by one, small ones together. */
const pieceChars = 65_536;
/** Rate-limit cost of a list: one per this many characters. */
const charsPerCost = 1024 * 1024;

/** The envelope in pieces: never holds all jobs in memory. */
async function* texts(
  first: ListedJob[],
  pages: AsyncIterator<ListedJob[]>,
  view: View,
  call: Call,
): AsyncGenerator<string> {
  const { rateLimiter } = call.options.admission;
  try {
    let piece = `{"code":200,"message":"success","data":[`;
    let comma = "";
    for (let records = first; ; ) {
      for (const record of records) {
        piece += comma;
        comma = ",";
        for (const part of jsonPieces(view.shown(record), pieceChars)) {
          // A piece above the limit would be sent as two slices, the second one tiny.
          if (piece.length + part.length > pieceChars) {
            rateLimiter.charge(shareOf(call.caller), piece.length / charsPerCost);
            yield piece;
            piece = "";
          }
          piece += part;
        }
        const turn = giveWay(shareOf(call.caller));
        if (turn !== undefined) await turn;
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
