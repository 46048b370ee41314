/** Validates the body of a schedule, and converts it to the stored form. */

import type { Body } from "../api/body.ts";
import { driftRun } from "../api/intent/intent.ts";
import {
  readRequest,
  readRun,
  type ScheduleRequest,
  type ScheduleSpec,
  scheduleLimits,
  workBodies,
  workMemberOf,
} from "../api/schedules/schedule.ts";
import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { type Issue, refuse } from "../base/issues.ts";
import { rawMember } from "../base/json/json.ts";
import { isGiven, withoutNulls } from "../base/json/members.ts";
import type { Jobs } from "../jobs/port.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { DueTime } from "../store/port.ts";
import { cronProblem } from "./cron.ts";
import { timesOf } from "./times.ts";

export interface CheckTools {
  readonly jobs: Pick<Jobs, "checkKept">;
  readonly recipes: {
    /** Whether POST /recipe/{name}/run would begin. @throws ServiceError as it does */
    check(name: string, body: Body, caller: Caller): Promise<void>;
  };
  /** Default time zone of cron expressions. */
  readonly timeZone: string;
}

export interface CheckedSchedule {
  readonly name: string;
  readonly enabled: boolean;
  readonly spec: ScheduleSpec;
  /** JSON text. */
  readonly request: string | null;
}

/** @throws ServiceError PayloadTooLarge */
export function requireSize(body: Body): void {
  const { maxBytes } = scheduleLimits;
  if (Buffer.byteLength(body.text) <= maxBytes) return;
  throw new ServiceError("PayloadTooLarge", `A schedule may have at most ${maxBytes / 1024} KiB.`);
}

/** @throws ServiceError Validation, Forbidden */
export async function checkSchedule(
  value: unknown,
  rawRequest: string | null,
  caller: Caller,
  { jobs, recipes, timeZone }: CheckTools,
): Promise<CheckedSchedule> {
  const { name, enabled, ...asked } = shapeOf(value);
  const issues = [...timeIssues(asked), ...workIssues(asked.what)];
  if (issues.length > 0) refuse(issues);
  requireRights(asked.what.kind, caller);
  const { request, discover, history, drift, recipe, ...what } = asked.what;
  if (request) await within("what.request", () => jobs.checkKept(request, caller));
  if (discover) await within("what.discover", () => jobs.checkKept(discover, caller, "discovery"));
  if (history) await within("what.history", () => jobs.checkKept(history, caller, "take"));
  if (drift) await within("what.drift", async () => void checkShape(driftRun, drift));
  if (recipe) await checkRun(recipe, asked.ticket, caller, recipes);
  const spec = { ...asked, what, ...(asked.cron ? { time_zone: asked.time_zone ?? timeZone } : {}) };
  return {
    name,
    enabled,
    spec: withoutNulls<ScheduleSpec>(spec),
    request: request || discover || history || drift || recipe ? rawRequest : null,
  };
}

/** The raw JSON of the submitted request, which keeps key order and number formats. */
export function rawRequestOf(text: string): string | null {
  for (const member of workBodies) {
    const body = rawMember(text, ["what", member]);
    if (body !== undefined) return body;
  }
  return null;
}

/** The first firing after `from`. @throws ServiceError Validation: there is none */
export function firstTime(id: string, spec: ScheduleSpec, anchor: number, from: number): DueTime {
  const first = timesOf(id, spec, anchor).after(from);
  if (first) return first;
  const path = spec.cron ? "cron" : spec.every ? "every" : "at";
  const window = spec.window && spec.window.length > 0 ? " within its window" : "";
  return refuse([{ path, message: `has no time in the future${window}` }]);
}

function shapeOf(value: unknown): ScheduleRequest {
  const read = readRequest(value);
  return "issues" in read ? refuse(read.issues) : read.request;
}

function timeIssues({
  cron,
  every,
  at,
  time_zone,
  not_before,
  not_after,
}: Omit<ScheduleRequest, "name" | "enabled">) {
  const issues: Issue[] = [];
  const triggers = [cron, every, at].filter((text) => text !== undefined && text !== null);
  if (triggers.length !== 1)
    issues.push({ path: "cron", message: "one of cron, every and at is required, and only one" });
  const problem = cron ? cronProblem(cron) : undefined;
  if (problem !== undefined) issues.push({ path: "cron", message: problem });
  if (time_zone && !cron) issues.push({ path: "time_zone", message: "is for cron only" });
  if (not_before && not_after && Date.parse(not_before) >= Date.parse(not_after))
    issues.push({ path: "not_after", message: "is not after not_before" });
  return issues;
}

/** What a recipe is run with; deterministic, so that retries send the same text. */
export function runOf(kept: unknown, ticket: string | null | undefined): { name: string; body: Body } {
  const { name, ...given } = readRun(kept);
  const value = ticket && !isGiven(given.ticket) ? { ...given, ticket } : given;
  return { name, body: { text: JSON.stringify(value), value } };
}

/** @throws ServiceError Validation, Forbidden */
async function checkRun(
  kept: unknown,
  ticket: string | null | undefined,
  caller: Caller,
  recipes: CheckTools["recipes"],
): Promise<void> {
  const { name, body } = runOf(kept, ticket);
  try {
    await within("what.recipe", () => recipes.check(name, body, caller));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.kind === "NotFound") refuse([{ path: "what.recipe.name", message: "there is no such recipe" }]);
    if (error.kind === "InUse") refuse([{ path: "what.recipe.version", message: error.message }]);
    throw error;
  }
}

function workIssues(what: ScheduleRequest["what"]): Issue[] {
  const { kind, request } = what;
  const requiredField = workMemberOf(kind);
  const issues: Issue[] = [];
  for (const name of ["source", ...workBodies] as const) {
    const value = what[name];
    const path = `what.${name}`;
    if (name === requiredField && !value) issues.push({ path, message: `is required for kind ${kind}` });
    if (name !== requiredField && value) issues.push({ path, message: `does not apply to the kind ${kind}` });
  }
  if (!request) return issues;
  const has = (name: string) => isGiven(request[name]);
  if (kind === "query" && has("config"))
    issues.push({ path: "what.request.config", message: "is for kind push" });
  if (kind === "push" && !has("config"))
    issues.push({ path: "what.request.config", message: "is required for kind push" });
  const { options } = request;
  const inOptions = typeof options === "object" && options !== null && "not_before" in options;
  if (has("not_before") || inOptions)
    issues.push({ path: "what.request.not_before", message: "the schedule determines the time" });
  return issues;
}

/** A sync changes the inventory, so it needs the rights of an inventory write. @throws ServiceError Forbidden */
export function requireRights(kind: ScheduleSpec["what"]["kind"], caller: Caller): void {
  requireScope(caller, kind === "sync" ? "admin" : "operate");
  if (kind === "sync" && caller.hosts.length > 0)
    throw new ServiceError("Forbidden", "Syncing sources needs an admin key that may reach all hosts.");
}

/** Prefixes the paths of issues in a part of the body. */
async function within(place: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof ServiceError) || !Array.isArray(error.detail?.issues)) throw error;
    const issues: readonly Issue[] = error.detail.issues;
    refuse(issues.map((issue) => ({ ...issue, path: issue.path === "" ? place : `${place}.${issue.path}` })));
  }
}
