/** The history of configurations: take them, list devices and versions, read texts. */

import * as v from "valibot";
import { momentParameter, oneOf, textParameter } from "../../../api/filters.ts";
import {
  blameAnswer,
  configurationParts,
  configuredDevice,
  deviceHistoryStates,
  differenceAnswer,
  differenceForms,
  noticeAnswer,
  noticeRequest,
  renameRequest,
  restoreDraft,
  restoreRequest,
  searchResult,
  searchScopes,
  takeRequest,
  versionNote,
  versionRecord,
  versionStates,
  versionText,
} from "../../../api/history/history.ts";
import { bulkAnswer } from "../../../api/jobs/bulk.ts";
import { versionEvent } from "../../../api/jobs/event.ts";
import { described, text } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { ServiceError } from "../../../base/errors.ts";
import { refuse } from "../../../base/issues.ts";
import { textPieces } from "../../../base/json/json-pieces.ts";
import type { VersionChoice } from "../../../history/port.ts";
import { versionEventBytes } from "../../answer/event-text.ts";
import { rawData } from "../../answer/json-data.ts";
import { successPage } from "../../answer/respond.ts";
import { sendData, sendPieces } from "../../answer/send-answer.ts";
import { logPosition, sendEvents } from "../../answer/send-events.ts";
import type { Call } from "../../call.ts";
import { limitParameter, truthTold } from "../../query.ts";
import { type RouteDefinition, route } from "../../route.ts";
import { submitBulk } from "../jobs/device.ts";

const usualLimit = 100;
const right = "history";
/** As much as a long list of jobs. */
const searchCost = 20;

export const partParameter = described(
  v.optional(v.picklist(configurationParts, `must be one of ${configurationParts.join(", ")}`), "running"),
  "Which text of the device",
);
const atParameter = described(momentParameter, "With `latest`: the newest good version at this time");
const stepOfDevice = "Name of the device";
export const stepOfVersion = "Number of the version, or `latest`: the newest good one";

/** The version that a path and its query name. @throws ServiceError Validation, NotFound */
export function choiceOf(
  item: string | undefined,
  { part, at }: { readonly part: VersionChoice["part"]; readonly at?: string | undefined },
): VersionChoice {
  if (item === "latest") return { part, ...(at === undefined ? {} : { at: Date.parse(at) }) };
  if (at !== undefined) refuse([{ path: "at", message: "applies to `latest` only" }]);
  if (item === undefined || !/^\d{1,9}$/.test(item))
    throw new ServiceError("NotFound", "A version is a number, or `latest`.");
  return { part, version: Number(item) };
}

const whoParameter = described(
  textParameter,
  "Only versions that somebody asked for or pushed, by name; of a person also by their keys. `me`: the caller",
);

export const historyRoutes: readonly RouteDefinition[] = [
  route({
    id: "takeConfigurations",
    method: "POST",
    path: "/history/take",
    scope: "operate",
    submits: true,
    summary: "Read configurations into the history, one job per device",
    body: takeRequest,
    answer: bulkAnswer,
    handle(call) {
      const { options, caller, request, budget } = call;
      return submitBulk(call, (body, key) => options.jobs.take(body, caller, key, request.signal, budget));
    },
  }),
  route({
    id: "notifyChange",
    method: "POST",
    path: "/history/notify",
    grows: true,
    scope: "operate",
    summary: "Tell that the configuration of a device has changed: it is read within a minute",
    body: noticeRequest,
    answer: noticeAnswer,
    async handle(call) {
      return call.options.history.notify(await call.body(), call.caller);
    },
  }),
  route({
    id: "listConfiguredDevices",
    method: "GET",
    path: "/history/device",
    scope: "read",
    right,
    summary: "List devices by name, each with its newest version",
    query: v.object({
      device: described(textParameter, "Only the device with this name"),
      select: textParameter,
      state: described(oneOf(deviceHistoryStates), "Only devices in this state"),
      limit: limitParameter,
      cursor: textParameter,
    }),
    answer: v.array(configuredDevice),
    paged: true,
    async handle(call, { device, select, state, limit = usualLimit, cursor }) {
      const { options, caller, request } = call;
      if (device !== undefined) return successPage([await options.history.device(device, caller)], undefined);
      const page = { limit, cursor, signal: request.signal };
      const { items, next } = await options.history.devices({ select, state }, caller, page);
      return successPage(items, next);
    },
  }),
  route({
    id: "listVersions",
    method: "GET",
    path: "/history/device/:name",
    step: stepOfDevice,
    scope: "read",
    right,
    summary: "List the versions of a device's configuration, newest first",
    query: v.object({
      part: partParameter,
      who: whoParameter,
      limit: limitParameter,
      cursor: textParameter,
    }),
    answer: v.array(versionRecord),
    paged: true,
    async handle({ options, caller, name = "" }, { part, who, limit = usualLimit, cursor }) {
      const { items, next } = await options.history.versions(name, { part, who }, caller, { limit, cursor });
      return successPage(items, next);
    },
  }),
  route({
    id: "forgetHistory",
    method: "DELETE",
    path: "/history/device/:name",
    step: stepOfDevice,
    scope: "admin",
    right,
    summary: "Delete the history of a device that the inventory no longer has",
    answer: v.null(),
    async handle({ options, caller, name = "" }) {
      await options.history.forget(name, caller);
      return null;
    },
    fails: ["409"],
  }),
  route({
    id: "renameHistory",
    method: "POST",
    path: "/history/device/:name/rename",
    step: stepOfDevice,
    scope: "admin",
    right,
    summary: "Give the history of a device another name, as that of the device has changed",
    body: renameRequest,
    answer: configuredDevice,
    async handle(call) {
      return call.options.history.rename(call.name ?? "", await call.body(), call.caller);
    },
    fails: ["409"],
  }),
  route({
    id: "compareVersions",
    method: "GET",
    path: "/history/device/:name/diff",
    step: stepOfDevice,
    scope: "read",
    right,
    summary: "Compare two versions, also of two devices; with `Accept: text/plain` as a unified difference",
    query: v.object({
      from: described(textParameter, "Number of the version, or `latest`; default: the good one before `to`"),
      to: described(v.optional(v.string(), "latest"), "Number of the version, or `latest`"),
      other: described(textParameter, "The device of `to`, if it is another one"),
      form: described(
        v.optional(v.picklist(differenceForms, `must be one of ${differenceForms.join(", ")}`), "unified"),
        "`side`: in two columns; `structured`: by sections, without regard to an order that means nothing",
      ),
      part: partParameter,
    }),
    answer: differenceAnswer,
    async handle(call, { from, to, other, form, part }) {
      const { options, caller, request, name = "" } = call;
      const choices = {
        from: from === undefined ? undefined : choiceOf(from, { part }),
        to: choiceOf(to, { part }),
        other,
      };
      const isText = wantsText(request);
      const wanted = isText ? "unified" : form;
      const found = await options.history.difference(name, choices, wanted, caller, request.signal);
      return isText ? sendText(found.unified ?? "", call) : sendData(rawData(JSON.stringify(found)), call);
    },
  }),
  route({
    id: "blameVersion",
    method: "GET",
    path: "/history/device/:name/blame",
    step: stepOfDevice,
    scope: "read",
    right,
    summary: "Tell which version each line of a configuration comes from",
    query: v.object({
      version: described(v.optional(v.string(), "latest"), stepOfVersion),
      part: partParameter,
    }),
    answer: blameAnswer,
    async handle(call, { version, part }) {
      const { options, caller, request, name = "" } = call;
      const found = await options.history.blame(name, choiceOf(version, { part }), caller, request.signal);
      return sendData(rawData(JSON.stringify(found)), call);
    },
  }),
  route({
    id: "searchConfigurations",
    method: "GET",
    path: "/history/search",
    scope: "read",
    right,
    summary: "Search the running configurations of all devices",
    query: v.object({
      q: described(textParameter, "A part of a line"),
      regex: described(textParameter, "An expression in the syntax of RE2; `q` or this"),
      section: described(textParameter, "An expression: only lines that match it, and those below them"),
      case_sensitive: v.optional(truthTold("`true`: upper and lower case differ"), "false"),
      scope: described(
        v.optional(v.picklist(searchScopes, `must be one of ${searchScopes.join(", ")}`), "latest"),
        "`ever`: all good versions; each line once, at its newest place",
      ),
      select: textParameter,
      limit: limitParameter,
      cursor: textParameter,
    }),
    answer: v.array(searchResult),
    paged: true,
    async handle(call, { scope, case_sensitive, limit = usualLimit, cursor, ...query }) {
      const { options, caller, request, reservation } = call;
      const { admission, history } = options;
      reservation.hold(admission.lists.take(shareOf(caller)));
      admission.rateLimiter.charge(shareOf(caller), searchCost);
      const search = { ...query, caseSensitive: case_sensitive, ever: scope === "ever" };
      const { items, next } = await history.search(search, caller, { limit, cursor, signal: request.signal });
      return sendData(
        rawData(JSON.stringify(items)),
        call,
        next === undefined ? {} : { headers: { "X-Next-Cursor": next } },
      );
    },
  }),
  route({
    id: "readVersion",
    method: "GET",
    path: "/history/device/:name/:item",
    step: stepOfDevice,
    item: stepOfVersion,
    scope: "read",
    right,
    summary: "Read the text of a version; with `Accept: text/plain` nothing else",
    query: v.object({
      part: partParameter,
      at: atParameter,
      secrets: v.optional(
        truthTold(
          "`true`: with its secrets; needs the right `history_secrets`, and is written to the audit trail",
        ),
        "false",
      ),
    }),
    answer: versionText,
    async handle(call, { part, at, secrets }) {
      const { options, caller, name = "", item } = call;
      const { version, text } = await options.history.text(
        name,
        choiceOf(item, { part, at }),
        caller,
        secrets,
      );
      if (wantsText(call.request)) return sendText(text, call);
      return sendData(rawData(JSON.stringify({ ...version, text })), call);
    },
  }),
  route({
    id: "noteVersion",
    method: "PATCH",
    path: "/history/device/:name/:item",
    step: stepOfDevice,
    item: stepOfVersion,
    scope: "operate",
    right,
    summary: "Write a note to a version",
    query: v.object({ part: partParameter }),
    body: versionNote,
    answer: versionRecord,
    async handle(call, { part }) {
      const { options, caller, name = "", item } = call;
      return options.history.setNote(name, choiceOf(item, { part }), await call.body(), caller);
    },
  }),
  route({
    id: "restoreVersion",
    method: "POST",
    path: "/history/device/:name/:item/restore",
    grows: true,
    step: stepOfDevice,
    item: stepOfVersion,
    scope: "operate",
    right,
    summary: "Draft what restores a version, with a dry run on the device; nothing is changed",
    query: v.object({ part: partParameter, at: atParameter }),
    body: restoreRequest,
    answer: restoreDraft,
    async handle(call, { part, at }) {
      const { options, caller, request, name = "", item } = call;
      const body = await call.body();
      return options.history.restore(name, choiceOf(item, { part, at }), body, caller, request.signal);
    },
  }),
  route({
    id: "getChangeEvents",
    method: "GET",
    path: "/history/change/events",
    scope: "read",
    right,
    summary: "Watch the versions of all devices as they are stored, as Server-Sent Events",
    query: v.object({
      state: described(oneOf(versionStates), "Only versions in this state"),
      select: textParameter,
    }),
    answer: text,
    events: versionEvent,
    async handle(call, { state, select }) {
      return sendEvents(call, {
        positionOf: logPosition,
        open: (listening) => call.options.historyFeed.follow({ state, select }, listening),
        bytes: versionEventBytes,
      });
    },
  }),
  route({
    id: "listChanges",
    method: "GET",
    path: "/history/change",
    scope: "read",
    right,
    summary: "List the versions of all devices, newest first",
    query: v.object({
      since: momentParameter,
      state: described(oneOf(versionStates), "Only versions in this state"),
      select: textParameter,
      who: whoParameter,
      job_id: described(textParameter, "Only those that this job has read"),
      limit: limitParameter,
      cursor: textParameter,
    }),
    answer: v.array(versionRecord),
    paged: true,
    async handle(call, { since, state, select, who, job_id, limit = usualLimit, cursor }) {
      const { options, caller, request } = call;
      if (job_id !== undefined) return successPage(await options.history.ofJob(job_id, caller), undefined);
      const filter = { since: since === undefined ? undefined : Date.parse(since), state, select, who };
      const page = { limit, cursor, signal: request.signal };
      const { items, next } = await options.history.changes(filter, caller, page);
      return successPage(items, next);
    },
  }),
];

export function wantsText(request: Request): boolean {
  const accepted = request.headers.get("accept") ?? "";
  return /\btext\/plain\b/.test(accepted) && !/\bapplication\/json\b/.test(accepted);
}

const pieceChars = 64 * 1024;

export function sendText(text: string, call: Call): Response {
  async function* pieces() {
    yield* textPieces(text, pieceChars);
  }
  return sendPieces(pieces(), call, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
