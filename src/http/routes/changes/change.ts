/** Changes: drafts, plans, votes, waves, and their return. */
import * as v from "valibot";
import {
  type ChangeWord,
  changeDetail,
  changeRecord,
  changeReport,
  changeRequest,
  changeStates,
  changeStep,
  changeTarget,
  changeWord,
  targetStates,
  voteRequest,
} from "../../../api/changes/change.ts";
import { changeComparison, changeDifference } from "../../../api/changes/change-difference.ts";
import { changeRehearsalRequest } from "../../../api/changes/change-rehearsal.ts";
import { isTrue, oneOf, textParameter, truths } from "../../../api/filters.ts";
import { changeEvent } from "../../../api/jobs/event.ts";
import { described, text } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { type ReportForm, reportForms } from "../../../changes/port.ts";
import { changeEventBytes } from "../../answer/event-text.ts";
import { rawData } from "../../answer/json-data.ts";
import { successPage } from "../../answer/respond.ts";
import { sendData, sendPieces, whileAllowed } from "../../answer/send-answer.ts";
import { logPosition, sendEvents } from "../../answer/send-events.ts";
import type { Call } from "../../call.ts";
import { limitParameter, omitUndefined } from "../../query.ts";
import { route } from "../../route.ts";

const defaultLimit = 100;
const page = { limit: limitParameter, cursor: textParameter };
const wholeNumber = v.optional(
  v.pipe(v.string(), v.regex(/^\d{1,6}$/, "must be a whole number"), v.transform(Number)),
);

const word = (word: ChangeWord, id: string, summary: string) =>
  route({
    id,
    method: "POST",
    path: `/change/:name/${word}`,
    ...(word === "start" ? { grows: true as const } : {}),
    scope: "operate",
    summary,
    step: "Id of the change",
    body: changeWord,
    answer: changeDetail,
    fails: ["404", "409"],
    handle: async (call) => call.options.changes.say(call.name ?? "", word, await call.body(), call.caller),
  });

function watching(path: "/change/events" | "/change/:name/events") {
  const isOne = path !== "/change/events";
  return route({
    id: isOne ? "getEventsOfChange" : "getEventsOfChanges",
    method: "GET",
    path,
    scope: "read",
    summary: `Watch ${isOne ? "a change" : "all changes"}: each step as it is stored, as Server-Sent Events`,
    ...(isOne ? { step: "Id of the change", fails: ["404"] } : {}),
    answer: text,
    events: changeEvent,
    handle: (call) =>
      sendEvents(call, {
        positionOf: logPosition,
        open: (listening) => call.options.changeFeed.follow(call.name, listening),
        bytes: changeEventBytes,
      }),
  });
}

async function sendReport(form: ReportForm, call: Call): Promise<Response> {
  const { options, name = "", caller, reservation } = call;
  reservation.hold(options.admission.lists.take(shareOf(caller)));
  const { type, policy, pieces } = await options.changes.reportText(name, form, caller);
  return sendPieces(whileAllowed(pieces, call), call, {
    headers: {
      "Content-Type": type,
      // The id exists, so it needs no quoting.
      "Content-Disposition": `${form === "md" ? "attachment" : "inline"}; filename="change-${name}.${form}"`,
      ...(policy === undefined ? {} : { "Content-Security-Policy": policy }),
    },
  });
}

export const changeRoutes = [
  route({
    id: "listPlannedChanges",
    method: "GET",
    path: "/change",
    scope: "read",
    summary: "List changes, newest first",
    query: v.object({
      ...page,
      state: described(oneOf(changeStates), "Only changes in this state"),
      waits_for_you: described(oneOf(truths), "Only changes that wait for the caller's word"),
    }),
    answer: v.array(changeRecord),
    paged: true,
    async handle({ options, caller }, { limit = defaultLimit, cursor, state, waits_for_you }) {
      const filter = { state, waits: isTrue(waits_for_you) };
      const { items, next } = await options.changes.list(filter, caller, omitUndefined({ limit, cursor }));
      return successPage(items, next);
    },
  }),
  route({
    id: "draftChange",
    method: "POST",
    path: "/change",
    grows: true,
    scope: "operate",
    summary: "Draft a change: nothing is sent before it was planned, approved and started",
    body: changeRequest,
    answer: changeDetail,
    created: true,
    handle: async (call) => call.options.changes.draft(await call.body(), call.caller),
  }),
  // Before the one whose name it would be.
  watching("/change/events"),
  route({
    id: "readChange",
    method: "GET",
    path: "/change/:name",
    scope: "read",
    summary: "Read a change: its plan, votes and progress",
    step: "Id of the change",
    answer: changeDetail,
    fails: ["404"],
    handle: ({ options, name = "", caller }) => options.changes.read(name, caller),
  }),
  route({
    id: "editChange",
    method: "PUT",
    path: "/change/:name",
    grows: true,
    scope: "operate",
    summary: "Replace what a change asks for: a new revision without plan and votes",
    step: "Id of the change",
    body: changeRequest,
    answer: changeDetail,
    fails: ["404", "409"],
    handle: async (call) => call.options.changes.edit(call.name ?? "", await call.body(), call.caller),
  }),
  route({
    id: "listChangeTargets",
    method: "GET",
    path: "/change/:name/target",
    scope: "read",
    summary: "List the devices of a change, in the order of its waves",
    step: "Id of the change",
    query: v.object({
      ...page,
      wave: described(wholeNumber, "Only devices of this wave"),
      state: described(oneOf(targetStates), "Only devices in this state"),
    }),
    answer: v.array(changeTarget),
    paged: true,
    fails: ["404"],
    async handle({ options, name = "", caller }, { limit = defaultLimit, cursor, wave, state }) {
      const filter = omitUndefined({ wave, state });
      const { items, next } = await options.changes.targets(
        name,
        filter,
        caller,
        omitUndefined({ limit, cursor }),
      );
      return successPage(items, next);
    },
  }),
  route({
    id: "compareChangeTarget",
    method: "GET",
    path: "/change/:name/target/:item/difference",
    scope: "read",
    right: "history",
    summary: "Compare the lines of a device with its configuration: what they would add and remove",
    step: "Id of the change",
    item: "Name of the device",
    answer: changeDifference,
    fails: ["404"],
    handle: ({ options, name = "", item = "", caller, request }) =>
      options.changes.difference(name, item, caller, request.signal),
  }),
  route({
    id: "compareDeviceOfChange",
    method: "POST",
    path: "/change/:name/target/:item/compare",
    grows: true,
    scope: "operate",
    summary: "Have a device compare its lines with what it runs: a dry run, which changes nothing",
    step: "Id of the change",
    item: "Name of the device",
    answer: changeComparison,
    fails: ["404", "409"],
    handle: ({ options, name = "", item = "", caller }) => options.changes.compare(name, item, caller),
  }),
  route({
    id: "listChangeSteps",
    method: "GET",
    path: "/change/:name/step",
    scope: "read",
    summary: "List what happened to a change, oldest first",
    step: "Id of the change",
    query: v.object(page),
    answer: v.array(changeStep),
    paged: true,
    fails: ["404"],
    async handle({ options, name = "", caller }, { limit = defaultLimit, cursor }) {
      const { items, next } = await options.changes.steps(name, caller, omitUndefined({ limit, cursor }));
      return successPage(items, next);
    },
  }),
  watching("/change/:name/events"),
  route({
    id: "reportChange",
    method: "GET",
    path: "/change/:name/report",
    scope: "read",
    summary: "Report on a change: plan, votes, waves, devices, ledger and steps",
    step: "Id of the change",
    answer: changeReport,
    fails: ["404"],
    async handle(call) {
      const { options, name = "", caller, reservation } = call;
      reservation.hold(options.admission.lists.take(shareOf(caller)));
      const { report, devices } = await options.changes.report(name, caller);
      const device_results = [];
      for await (const page of devices()) device_results.push(...page);
      return sendData(rawData(JSON.stringify({ ...report, device_results })), call);
    },
  }),
  ...reportForms.map((form) =>
    route({
      id: form === "md" ? "reportChangeAsMarkdown" : "reportChangeAsPage",
      method: "GET",
      path: `/change/:name/report.${form}`,
      scope: "read",
      summary: `The report as ${form === "md" ? "Markdown" : "a page without scripts, which loads nothing"}`,
      step: "Id of the change",
      answer: text,
      stream: [form === "md" ? "text/markdown" : "text/html"],
      fails: ["404"],
      handle: (call) => sendReport(form, call),
    }),
  ),
  route({
    id: "planChange",
    method: "POST",
    path: "/change/:name/plan",
    grows: true,
    scope: "operate",
    summary: "Plan a change: the lines of each device, its waves, and the hash that votes are bound to",
    step: "Id of the change",
    answer: changeDetail,
    fails: ["404", "409"],
    handle: ({ options, name = "", caller }) => options.changes.plan(name, caller),
  }),
  route({
    id: "rehearseChange",
    method: "POST",
    path: "/change/:name/rehearse",
    scope: "operate",
    summary:
      "Rehearse the plan of a change: what is known of each line, one job for each device; nothing is pushed",
    step: "Id of the change",
    body: changeRehearsalRequest,
    answer: changeDetail,
    fails: ["404", "409"],
    handle: async (call) => call.options.changes.rehearse(call.name ?? "", await call.body(), call.caller),
  }),
  route({
    id: "voteOnChange",
    method: "POST",
    path: "/change/:name/vote",
    scope: "read",
    right: "approve",
    summary: "Vote on a plan, as a person",
    step: "Id of the change",
    body: voteRequest,
    answer: changeDetail,
    fails: ["404", "409"],
    handle: async (call) => call.options.changes.vote(call.name ?? "", await call.body(), call.caller),
  }),
  word("start", "startChange", "Start an approved change"),
  word("pause", "pauseChange", "Pause a change: what has begun is brought to its end, nothing is begun"),
  word("resume", "resumeChange", "Resume a paused change, or begin its next wave"),
  word("stop", "stopChange", "Stop a change: nothing more is begun, and `on_stop` decides what devices keep"),
  word("return", "returnChange", "Give devices of an ended change back what they had before"),
  word("cancel", "cancelChange", "Cancel a change that has not started"),
];
