/** /schedule: jobs that run at given times. */

import type { ScheduleRecord } from "../../api/schedule.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Call } from "../call.ts";
import { conditionOf, etagOf } from "../precondition.ts";
import { omitUndefined, queryOf, scheduleQuery } from "../query.ts";
import { success } from "../respond.ts";

const defaultLimit = 100;
const cursorOf = (next: string | undefined) => (next === undefined ? {} : { "X-Next-Cursor": next });

function tagged(record: ScheduleRecord, status: 200 | 201 = 200): Response {
  return success(record, "success", status, etagOf(record.revision));
}

/** @throws ServiceError BadRequest, PreconditionFailed */
function revisionOf(call: Call): number | undefined {
  const condition = conditionOf(call);
  if (condition === "none")
    throw new ServiceError(
      "PreconditionFailed",
      "The path names a schedule that exists; create one with POST.",
    );
  return condition === "*" ? undefined : condition;
}

export async function listSchedules(call: Call): Promise<Response> {
  const { limit = defaultLimit, cursor } = queryOf(scheduleQuery, call.url);
  const { schedules, next } = await call.options.schedules.list(
    call.caller,
    omitUndefined({ limit, cursor }),
  );
  return success(schedules, "success", 200, cursorOf(next));
}

export async function readSchedule({ options, name = "", caller }: Call): Promise<Response> {
  return tagged(await options.schedules.read(name, caller));
}

export async function addSchedule(call: Call): Promise<Response> {
  return tagged(await call.options.schedules.add(await call.body(), call.caller), 201);
}

export async function replaceSchedule(call: Call): Promise<Response> {
  const { options, name = "", caller } = call;
  const revision = revisionOf(call);
  return tagged(await options.schedules.replace(name, await call.body(), caller, revision));
}

export async function changeSchedule(call: Call): Promise<Response> {
  const { options, name = "", caller } = call;
  const revision = revisionOf(call);
  return tagged(await options.schedules.change(name, await call.body(), caller, revision));
}

export async function removeSchedule({ options, name = "", caller }: Call): Promise<Response> {
  return success(await options.schedules.remove(name, caller));
}

export async function pauseSchedule({ options, name = "", caller }: Call): Promise<Response> {
  return success(await options.schedules.pause(name, caller));
}

export async function resumeSchedule({ options, name = "", caller }: Call): Promise<Response> {
  return success(await options.schedules.resume(name, caller));
}

export async function runSchedule({ options, name = "", caller }: Call): Promise<Response> {
  return success(await options.schedules.run(name, caller));
}

export async function listFirings(call: Call): Promise<Response> {
  const { limit = defaultLimit, cursor } = queryOf(scheduleQuery, call.url);
  const { options, name = "", caller } = call;
  const { firings, next } = await options.schedules.firings(name, caller, omitUndefined({ limit, cursor }));
  return success(firings, "success", 200, cursorOf(next));
}

export async function previewSchedule(call: Call): Promise<Response> {
  return success(await call.options.schedules.preview(await call.body(), call.caller));
}
