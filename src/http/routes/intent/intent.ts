/** Intents, and drift: what configurations should be, and how they differ from it. */
import * as v from "valibot";
import { changeDetail } from "../../../api/changes/change.ts";
import { oneOf, textParameter } from "../../../api/filters.ts";
import { driftFix } from "../../../api/intent/drift-fix.ts";
import {
  driftDetail,
  driftLine,
  driftRecord,
  driftRun,
  driftStates,
  driftSummary,
  intentLimits,
  intentRecord,
  intentRequest,
  removedIntent,
} from "../../../api/intent/intent.ts";
import { described } from "../../../api/schema.ts";
import { success, successPage } from "../../answer/respond.ts";
import { conditionOf, etagOf } from "../../precondition.ts";
import { limitParameter } from "../../query.ts";
import { type RouteDefinition, route } from "../../route.ts";

const path = "/intent/:name";
const step = "Name of the intent";
const right = "history";
const gives = { ETag: "Its revision, for `If-Match`" };
const defaultLimit = 100;

const select = described(textParameter, "Only devices that this selector matches");
const intent = described(textParameter, "Only this intent");
const section = described(textParameter, "Only this section");
const state = described(oneOf(driftStates), "Only this state; with `section`, of the section");
const filters = { select, intent };
const pages = { limit: limitParameter, cursor: textParameter };
const seconds = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,2}$/, `must be a number of seconds up to ${intentLimits.wait}`),
    v.transform(Number),
    v.maxValue(intentLimits.wait, `must be at most ${intentLimits.wait}`),
  ),
);

export const intentRoutes: readonly RouteDefinition[] = [
  route({
    id: "fixDrift",
    method: "POST",
    path: "/drift/fix",
    grows: true,
    scope: "operate",
    right,
    summary:
      "Draft a change that brings devices back to their intents; its lines are computed when it is planned",
    body: driftFix,
    answer: changeDetail,
    created: true,
    fails: ["413"],
    async handle({ options, caller, body }) {
      return options.changes.draft(await options.drift.draft(await body(), caller), caller);
    },
  }),
  route({
    id: "listIntents",
    method: "GET",
    path: "/intent",
    scope: "read",
    right,
    summary: "List intents",
    answer: v.array(intentRecord),
    handle: ({ options, caller }) => options.intents.list(caller),
  }),
  route({
    id: "readIntent",
    method: "GET",
    path,
    step,
    scope: "read",
    right,
    summary: "Read an intent",
    answer: intentRecord,
    gives,
    async handle({ options, caller, name = "" }) {
      const record = await options.intents.read(name, caller);
      return success(record, "success", 200, etagOf(record.revision));
    },
  }),
  route({
    id: "putIntent",
    method: "PUT",
    path,
    grows: true,
    step,
    scope: "operate",
    right,
    summary: "Create (201) or replace (200) an intent; its devices are compared from then on",
    body: intentRequest,
    headers: ["If-Match", "If-None-Match"],
    answer: intentRecord,
    created: true,
    gives,
    fails: ["412", "413"],
    async handle(call) {
      const { options, caller, name = "" } = call;
      const { record, added } = await options.intents.put(name, await call.body(), caller, conditionOf(call));
      return success(record, "success", added ? 201 : 200, etagOf(record.revision));
    },
  }),
  route({
    id: "removeIntent",
    method: "DELETE",
    path,
    step,
    scope: "operate",
    right,
    summary: "Remove an intent with its results",
    headers: ["If-Match"],
    answer: removedIntent,
    fails: ["412"],
    async handle(call) {
      const { options, caller, name = "" } = call;
      await options.intents.remove(name, caller, conditionOf(call));
      return { name };
    },
  }),
  route({
    id: "runDrift",
    method: "POST",
    path: "/drift/run",
    grows: true,
    scope: "operate",
    right,
    summary: "Compare devices with their intents soon",
    body: driftRun,
    answer: driftSummary,
    async handle(call) {
      const { value } = await call.body();
      return call.options.drift.run(value, call.caller, call.request.signal);
    },
  }),
  route({
    id: "summarizeDrift",
    method: "GET",
    path: "/drift/summary",
    scope: "read",
    right,
    summary: "Count devices and intents by state; `wait` answers when nothing is to be compared",
    query: v.object({
      ...filters,
      wait: described(
        seconds,
        `Seconds to wait until nothing is to be compared, at most ${intentLimits.wait}`,
      ),
    }),
    answer: driftSummary,
    handle: ({ options, caller, request }, { wait = 0, ...filter }) =>
      options.drift.summary(filter, caller, { waitMs: wait * 1_000, signal: request.signal }),
  }),
  route({
    id: "listDrift",
    method: "GET",
    path: "/drift",
    scope: "read",
    right,
    summary: "List how devices stand to their intents, by section",
    query: v.object({ ...filters, section, state, ...pages }),
    answer: v.array(driftRecord),
    paged: true,
    async handle({ options, caller, request }, { limit = defaultLimit, cursor, ...filter }) {
      const page = { limit, cursor, signal: request.signal };
      const { items, next } = await options.drift.page(filter, caller, page);
      return successPage(items, next);
    },
  }),
  route({
    id: "readDrift",
    method: "GET",
    path: "/drift/device/:name",
    scope: "read",
    right,
    summary: "Read how a device differs from its intents, and the lines that would mend it",
    step: "Name of the device",
    query: v.object({ intent }),
    answer: v.array(driftDetail),
    handle: ({ options, caller, request, name = "" }, query) =>
      options.drift.device(name, query.intent, caller, request.signal),
  }),
  route({
    id: "listDriftLines",
    method: "GET",
    path: "/drift/line",
    scope: "read",
    right,
    summary: "List differences by the number of devices that have them, the most first",
    query: v.object({
      ...filters,
      section,
      text: described(textParameter, "Only lines with this text"),
      ...pages,
    }),
    answer: v.array(driftLine),
    paged: true,
    async handle({ options, caller, request }, { limit = defaultLimit, cursor, ...filter }) {
      const page = { limit, cursor, signal: request.signal };
      const { items, next } = await options.drift.lines(filter, caller, page);
      return successPage(items, next);
    },
  }),
];
