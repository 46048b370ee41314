/** Reads the failed jobs of a bulk, page by page. */
import { type EndedJob, endedFields, endedList } from "../service/answers.ts";
import type { Api } from "../service/api.ts";

const pageSize = 500;

/** @param maxJobs how many at most; default: all */
export async function failedJobs(
  api: Api,
  bulkId: string,
  maxJobs = Number.POSITIVE_INFINITY,
): Promise<EndedJob[]> {
  const jobs: EndedJob[] = [];
  let cursor: string | undefined;
  while (jobs.length < maxJobs) {
    const limit = Math.min(pageSize, maxJobs - jobs.length);
    const query = { bulk_id: bulkId, status: "failed", fields: endedFields, limit, cursor };
    const page = await api.page("/job", endedList, { query, patient: true });
    for (const job of page.data) jobs.push(withoutOutputs(job));
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return jobs;
}

/** Thousands of outputs would fill the memory. */
function withoutOutputs(job: EndedJob): EndedJob {
  return { ...job, result: job.result && { ...job.result, retval: null } };
}
