/** GET /bulk/{name}/results: equal outputs of a bulk as one, read one after the other. */

import type * as v from "valibot";
import { type OutputGroup, type ResultGroups, resultGroupLimits } from "../../../api/jobs/result-groups.ts";
import { shareOf } from "../../../auth/caller.ts";
import { ServiceError } from "../../../base/errors.ts";
import { giveWay } from "../../../base/time/yield.ts";
import { rawData } from "../../answer/json-data.ts";
import { sendData } from "../../answer/send-answer.ts";
import type { Call } from "../../call.ts";
import { omitUndefined, type resultsQuery } from "../../query.ts";
import { createGrouping, outputIn, type Unread } from "../../result-groups.ts";

const parts = { result: true, asked: false, webhook: false };
/** Rate-limit cost as for a list: one per MiB that is read. */
const bytesPerCost = 1024 * 1024;

/** @throws ServiceError NotFound; Forbidden: the key was revoked meanwhile */
export async function answerResults(
  call: Call,
  { command, contains, limit, devices }: v.InferOutput<typeof resultsQuery>,
): Promise<Response> {
  const { jobs, admission } = call.options;
  const { caller, name: bulk_id = "" } = call;
  const { signal } = call.request;
  call.reservation.hold(admission.lists.take(shareOf(caller)));
  await giveWay(shareOf(caller));
  const grouping = createGrouping({
    command,
    contains,
    limit: limit ?? resultGroupLimits.usualGroups,
    devices: devices ?? resultGroupLimits.usualDevices,
  });
  let found = false;
  for await (const records of jobs.list({ bulk_id }, caller, { parts, signal })) {
    for (const record of records) {
      found = true;
      grouping.add(record);
      admission.rateLimiter.charge(shareOf(caller), sizeOf(record.result) / bytesPerCost);
      const turn = giveWay(shareOf(caller));
      if (turn !== undefined) await turn;
    }
    signal.throwIfAborted();
  }
  if (!found) throw new ServiceError("NotFound", "There is no bulk with that id.");
  const { groups: unread, ...rest } = grouping.groups();
  const groups: OutputGroup[] = [];
  for (const group of unread) groups.push({ ...group, ...(await outputOf(group, call)) });
  if (!(await call.isInForce()))
    throw new ServiceError(
      "Forbidden",
      "The API key was revoked or has expired while this request was read.",
    );
  const answer: ResultGroups = { ...rest, groups };
  return sendData(rawData(JSON.stringify(answer)), call);
}

async function outputOf(group: Unread, { options, caller, request }: Call) {
  const [first] = group.devices;
  const { signal } = request;
  const listed = options.jobs.list({ id: first?.id ?? "" }, caller, omitUndefined({ parts, signal }));
  for await (const [job] of listed) {
    const output = job && outputIn(job, group);
    if (output) return output;
  }
  return { output: "", cut: true as const };
}

function sizeOf(result: unknown): number {
  return typeof result === "object" && result !== null && "text" in result ? String(result.text).length : 0;
}
