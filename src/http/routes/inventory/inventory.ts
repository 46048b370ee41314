/** Devices and groups of the inventory: list, read and write them, singly and in batches. */

import * as v from "valibot";
import type { Body } from "../../../api/body.ts";
import { textParameter } from "../../../api/filters.ts";
import {
  deviceRecord,
  type EntryKind,
  groupRecord,
  putDevice,
  putGroup,
  upsertAnswer,
  upsertDocument,
} from "../../../api/inventory/inventory.ts";
import { described, text } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { parseExact, stringifyExact } from "../../../base/json/exact-json.ts";
import type { EntryRecord, PageOf } from "../../../inventory/port.ts";
import { rawData } from "../../answer/json-data.ts";
import { success, successRaw } from "../../answer/respond.ts";
import { sendData } from "../../answer/send-answer.ts";
import type { Call } from "../../call.ts";
import { conditionOf, etagOf } from "../../precondition.ts";
import { limitParameter, truthTold } from "../../query.ts";
import { type RouteDefinition, route } from "../../route.ts";

const usualLimit = 100;

/** Defaults to true. */
const effective = v.optional(truthTold("`false`: as written, without inherited values"), "true");
const paging = { effective, limit: limitParameter, cursor: textParameter };
const total = { "X-Total-Count": "Total number of entries" };
const etag = { ETag: "Its revision, for `If-Match`" };

const listDevices = route({
  id: "listDevices",
  method: "GET",
  path: "/inventory/device",
  scope: "read",
  summary: "List devices by name",
  query: v.object({
    group: v.optional(
      described(
        v.pipe(v.string(), v.nonEmpty("must not be empty")),
        "Members of this group, or of a group below it",
      ),
    ),
    select: textParameter,
    ...paging,
  }),
  answer: v.array(deviceRecord),
  paged: true,
  gives: total,
  async handle(call, { group, select, limit = usualLimit, cursor, effective }) {
    hold(call);
    const { signal } = call.request;
    const filter = { group, select, signal };
    const page = { limit, cursor, effective };
    return sendPage(await call.options.inventory.listDevices(filter, call.caller, page), call);
  },
});

const listGroups = route({
  id: "listGroups",
  method: "GET",
  path: "/inventory/group",
  scope: "read",
  summary: "List groups by name",
  query: v.object(paging),
  answer: v.array(groupRecord),
  paged: true,
  gives: total,
  async handle(call, { limit = usualLimit, cursor, effective }) {
    hold(call);
    const page = { limit, cursor, effective };
    return sendPage(await call.options.inventory.listGroups(call.caller, page), call);
  },
});

const upsertDevices = route({
  id: "upsertDevices",
  method: "POST",
  path: "/inventory/device",
  grows: true,
  scope: "admin",
  summary: "Add, change and remove many devices and groups in one transaction, or preview the changes",
  body: upsertDocument,
  answer: upsertAnswer,
  async handle(call) {
    const body = await call.body();
    return successRaw(stringifyExact(await call.options.inventory.upsert(exactOf(body), call.caller)));
  },
});

interface Of {
  readonly kind: EntryKind;
  /** In operation ids. */
  readonly word: "Device" | "Group";
  readonly answer: v.GenericSchema;
  readonly body: v.GenericSchema;
}

function entryRoutes({ kind, word, answer, body }: Of): readonly RouteDefinition[] {
  const path = `/inventory/${kind}/:name`;
  const step = `Name of the ${kind}`;
  return [
    route({
      id: `read${word}`,
      method: "GET",
      path,
      step,
      scope: "read",
      summary: `Read a ${kind}`,
      query: v.object({ effective }),
      answer,
      gives: etag,
      async handle({ options, caller, name = "" }, { effective }) {
        const record = await options.inventory.read(kind, name, caller, effective);
        return successRaw(stringifyExact(record), 200, taggedBy(record));
      },
    }),
    route({
      id: `put${word}`,
      method: "PUT",
      path,
      grows: true,
      step,
      scope: "admin",
      summary: `Create (201) or replace (200) a ${kind}`,
      body,
      headers: ["If-Match", "If-None-Match"],
      answer,
      created: true,
      gives: etag,
      fails: ["412"],
      async handle(call) {
        const { options, caller, name = "" } = call;
        const value = exactOf(await call.body());
        const { record, added } = await options.inventory.put(kind, name, value, caller, conditionOf(call));
        return successRaw(stringifyExact(record), added ? 201 : 200, taggedBy(record));
      },
    }),
    route({
      id: `change${word}`,
      method: "PATCH",
      path,
      grows: true,
      step,
      scope: "admin",
      summary: `Change fields of a ${kind}: a JSON merge patch`,
      body,
      headers: ["If-Match"],
      answer,
      gives: etag,
      fails: ["412"],
      async handle(call) {
        const { options, caller, name = "" } = call;
        const value = exactOf(await call.body());
        const { record } = await options.inventory.patch(kind, name, value, caller, conditionOf(call));
        return successRaw(stringifyExact(record), 200, taggedBy(record));
      },
    }),
    route({
      id: `remove${word}`,
      method: "DELETE",
      path,
      step,
      scope: "admin",
      summary: `Remove a ${kind}`,
      headers: ["If-Match"],
      answer: text,
      fails: kind === "group" ? ["409", "412"] : ["412"],
      async handle(call) {
        const { options, caller, name = "" } = call;
        await options.inventory.remove(kind, name, caller, conditionOf(call));
        return success(name);
      },
    }),
  ];
}

export const inventoryRoutes: readonly RouteDefinition[] = [
  listDevices,
  upsertDevices,
  ...entryRoutes({ kind: "device", word: "Device", answer: deviceRecord, body: putDevice }),
  listGroups,
  ...entryRoutes({ kind: "group", word: "Group", answer: groupRecord, body: putGroup }),
];

/** A list over the whole inventory: few run at once. */
function hold({ options, caller, reservation }: Call): void {
  reservation.hold(options.admission.lists.take(shareOf(caller)));
}

function sendPage({ entries, next, total }: PageOf<EntryRecord>, call: Call): Response {
  const headers: Record<string, string> = { "X-Total-Count": String(total) };
  if (next !== undefined) headers["X-Next-Cursor"] = next;
  return sendData(rawData(stringifyExact(entries)), call, { headers });
}

const taggedBy = ({ revision }: EntryRecord) => etagOf(revision);

/** Variables keep the types of numbers and the order of keys. */
const exactOf = ({ text, value }: Body): unknown => parseExact(text, value);
