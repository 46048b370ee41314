/** GET and DELETE /job. */
import { ServiceError } from "../base/errors.ts";
import type { JobRecord } from "../model/job.ts";
import type { Call } from "./app.ts";
import { cancelQuery, jobQuery, present, queryOf } from "./query.ts";
import { success } from "./respond.ts";

export async function listJobs(call: Call): Promise<Response> {
  const { limit, cursor, ...filter } = queryOf(jobQuery, call.url);
  const wanted = present(filter);
  const pages = call.options.jobs
    .list(wanted, call.caller, present({ limit, cursor }))
    [Symbol.asyncIterator]();
  // The first page is awaited: an unknown id must become a 404, which a stream that has begun can not say.
  const first = await pages.next();
  if (wanted.id !== undefined && (first.done || first.value.length === 0)) {
    throw new ServiceError("NotFound", "There is no such job.");
  }
  if (limit !== undefined || wanted.id !== undefined) return page(first.done ? [] : first.value, limit);
  call.extendTimeout();
  return stream(first.done ? [] : first.value, pages);
}

function page(records: JobRecord[], limit: number | undefined): Response {
  const last = records.at(-1);
  const more = limit !== undefined && records.length === limit && last !== undefined;
  return success(records, "success", 200, more ? { "X-Next-Cursor": last.id } : {});
}

/** All jobs may be many: they leave page by page, never all in memory. */
function stream(first: JobRecord[], pages: AsyncIterator<JobRecord[]>): Response {
  const encoder = new TextEncoder();
  const chunk = (records: JobRecord[]) => records.map((record) => JSON.stringify(record)).join(",");
  let started = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!started) {
        started = true;
        return controller.enqueue(encoder.encode(`{"code":200,"message":"success","data":[${chunk(first)}`));
      }
      const next = await pages.next();
      if (!next.done)
        return controller.enqueue(encoder.encode(next.value.length > 0 ? `,${chunk(next.value)}` : ""));
      controller.enqueue(encoder.encode("]}"));
      controller.close();
    },
    async cancel() {
      await pages.return?.();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/json; charset=utf-8" } });
}

export async function cancelJobs(call: Call): Promise<Response> {
  const { force, ...filter } = queryOf(cancelQuery, call.url);
  const wanted = present(filter);
  if (Object.keys(wanted).length === 0) {
    throw new ServiceError("Validation", "Validation Error", {
      issues: [{ path: "id", message: "one of id, queue and host is required" }],
    });
  }
  return success(await call.options.jobs.cancel(wanted, force === "true" || force === "1", call.caller));
}
