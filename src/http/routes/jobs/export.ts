/** Exports of jobs and bulks: results as CSV, JSON lines or ZIP, streamed as fast as they are read. */

import type { ListedJob } from "../../../api/jobs/job.ts";
import { described } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { ServiceError } from "../../../base/errors.ts";
import { jsonPieces } from "../../../base/json/json-pieces.ts";
import { giveWay } from "../../../base/time/yield.ts";
import { sendBytes, slicesOf, whileAllowed } from "../../answer/send-answer.ts";
import type { Call } from "../../call.ts";
import { csvHead, csvOf } from "../../export/csv.ts";
import { zipOf } from "../../export/zip.ts";
import { bulkExportQuery, type ExportFormat, exportQuery, omitUndefined } from "../../query.ts";
import { bytes, route } from "../../route.ts";

type Filter = Parameters<Call["options"]["jobs"]["list"]>[0];
type Pieces = AsyncIterable<ListedJob[]>;

const types: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  jsonl: "application/jsonl; charset=utf-8",
  zip: "application/zip",
};

const ofExport = {
  method: "GET",
  scope: "read",
  answer: described(
    bytes,
    "By `format`: one CSV row per output, one JSON record per line, or one text file per job",
  ),
  stream: ["text/csv", "application/jsonl", "application/zip"],
  fails: ["400"],
} as const;

export const exportRoutes = [
  route({
    ...ofExport,
    id: "exportJobs",
    path: "/job/export",
    summary: "Export jobs as CSV, JSON lines or a zip, newest first",
    query: exportQuery,
    handle: (call, { format, cursor, ...filter }) =>
      send(omitUndefined(filter), cursor, format, "jobs", call),
  }),
  route({
    ...ofExport,
    id: "exportBulk",
    path: "/bulk/:name/export",
    summary: "Export the jobs of a bulk as CSV, JSON lines or a zip; `name` is its id",
    query: bulkExportQuery,
    async handle(call, { format, cursor }) {
      const id = call.name ?? "";
      // The id becomes part of the file name.
      if (!/^[\w-]{1,64}$/.test(id)) throw unknownBulk();
      return send({ bulk_id: id }, cursor, format, `bulk-${id}`, call);
    },
  }),
];

const unknownBulk = () => new ServiceError("NotFound", "There is no bulk with that id.");

async function send(
  filter: Filter,
  cursor: string | undefined,
  format: ExportFormat,
  name: string,
  call: Call,
): Promise<Response> {
  const { jobs, admission } = call.options;
  call.reservation.hold(admission.lists.take(shareOf(call.caller)));
  const { signal } = call.request;
  await giveWay(shareOf(call.caller));
  const pages = jobs.list(filter, call.caller, omitUndefined({ cursor, signal }))[Symbol.asyncIterator]();
  // Awaited, so that an unknown id gets a status; a stream that has begun cannot change it.
  const first = await pages.next();
  if (first.done && filter.bulk_id !== undefined && cursor === undefined) throw unknownBulk();
  const bytes = charged(bytesOf(format, resumed(first, pages), shareOf(call.caller)), call);
  return sendBytes(whileAllowed(bytes, call), call, {
    headers: {
      "Content-Type": types[format],
      "Content-Disposition": `attachment; filename="${name}.${format}"`,
    },
  });
}

/** Yields the first page and then the rest. */
async function* resumed(
  first: IteratorResult<ListedJob[]>,
  pages: AsyncIterator<ListedJob[]>,
): AsyncGenerator<ListedJob[]> {
  try {
    for (let next = first; !next.done; next = await pages.next()) yield next.value;
  } finally {
    await pages.return?.();
  }
}

function bytesOf(format: ExportFormat, jobs: Pieces, whose: string): AsyncGenerator<Uint8Array> {
  if (format === "zip") return zipOf(jobs, Date.now(), whose);
  return format === "csv" ? lines(jobs, csvHead, csvPieces, whose) : lines(jobs, "", jsonLine, whose);
}

const pieceChars = 65_536;
const csvPieces = (job: ListedJob): string[] => [csvOf(job)];

function* jsonLine(job: ListedJob): Generator<string> {
  yield* jsonPieces(job, pieceChars);
  yield "\n";
}

/** Small records are sent together. */
async function* lines(
  jobs: Pieces,
  head: string,
  partsOf: (job: ListedJob) => Iterable<string>,
  whose: string,
): AsyncGenerator<Uint8Array> {
  let piece = head;
  for await (const batch of jobs) {
    for (const job of batch) {
      for (const part of partsOf(job)) {
        piece += part;
        if (piece.length < pieceChars) continue;
        yield* slicesOf(piece);
        piece = "";
      }
      const turn = giveWay(whose);
      if (turn !== undefined) await turn;
    }
  }
  yield* slicesOf(piece);
}

/** Rate-limit cost as for a list: one per MiB. */
const bytesPerCost = 1024 * 1024;

async function* charged(pieces: AsyncGenerator<Uint8Array>, call: Call): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    call.options.admission.rateLimiter.charge(shareOf(call.caller), piece.length / bytesPerCost);
    yield piece;
  }
}
