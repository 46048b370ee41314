/** /inventory/device and /inventory/group: list, read and write devices and groups, singly and in batches. */

import type { Body } from "../../api/body.ts";
import type { DeviceRecord, EntryKind } from "../../api/inventory.ts";
import { parseExact, stringifyExact } from "../../base/json/exact-json.ts";
import type { Call } from "../call.ts";
import { rawData } from "../json-data.ts";
import { conditionOf, etagOf } from "../precondition.ts";
import { deviceListQuery, entryQuery, groupListQuery, isTrue, queryOf } from "../query.ts";
import { success, successRaw } from "../respond.ts";
import { sendData } from "../send-answer.ts";

const usualLimit = 100;

export async function listDevices(call: Call): Promise<Response> {
  const { limit = usualLimit, cursor, group, select, effective } = queryOf(deviceListQuery, call.url);
  const { inventory, admission } = call.options;
  call.reservation.hold(admission.lists.take(call.caller.keyId));
  const page = { limit, cursor, effective: isEffective(effective) };
  // A selector over a hundred thousand devices takes seconds.
  call.extendTimeout();
  const { signal } = call.request;
  return sendPage(await inventory.listDevices({ group, select, signal }, call.caller, page), call);
}

export async function listGroups(call: Call): Promise<Response> {
  const { limit = usualLimit, cursor, effective } = queryOf(groupListQuery, call.url);
  const { inventory, admission } = call.options;
  call.reservation.hold(admission.lists.take(call.caller.keyId));
  const page = { limit, cursor, effective: isEffective(effective) };
  return sendPage(await inventory.listGroups(call.caller, page), call);
}

function sendPage(
  page: { entries: readonly DeviceRecord[]; next: string | undefined; total: number },
  call: Call,
): Response {
  const headers: Record<string, string> = { "X-Total-Count": String(page.total) };
  if (page.next !== undefined) headers["X-Next-Cursor"] = page.next;
  return sendData(rawData(stringifyExact(page.entries)), call, { headers });
}

/** Defaults to true. */
function isEffective(value: "true" | "false" | "1" | "0" | undefined): boolean {
  return value === undefined || isTrue(value);
}

export async function upsertDevices(call: Call): Promise<Response> {
  const body = await call.body();
  // Ten thousand take seconds.
  call.extendTimeout();
  return successRaw(stringifyExact(await call.options.inventory.upsert(exactOf(body), call.caller)));
}

interface EntryRoutes {
  read(call: Call): Promise<Response>;
  put(call: Call): Promise<Response>;
  patch(call: Call): Promise<Response>;
  remove(call: Call): Promise<Response>;
}

function routesOf(kind: EntryKind): EntryRoutes {
  return {
    async read(call) {
      const { effective } = queryOf(entryQuery, call.url);
      const { options, caller, name = "" } = call;
      const record = await options.inventory.read(kind, name, caller, isEffective(effective));
      return successRaw(stringifyExact(record), 200, taggedBy(record));
    },
    async put(call) {
      const { options, caller, name = "" } = call;
      const value = exactOf(await call.body());
      const { record, added } = await options.inventory.put(kind, name, value, caller, conditionOf(call));
      return successRaw(stringifyExact(record), added ? 201 : 200, taggedBy(record));
    },
    async patch(call) {
      const { options, caller, name = "" } = call;
      const value = exactOf(await call.body());
      const { record } = await options.inventory.patch(kind, name, value, caller, conditionOf(call));
      return successRaw(stringifyExact(record), 200, taggedBy(record));
    },
    async remove(call) {
      const { options, caller, name = "" } = call;
      await options.inventory.remove(kind, name, caller, conditionOf(call));
      return success(name);
    },
  };
}

export const deviceRoutes = routesOf("device");
export const groupRoutes = routesOf("group");

const taggedBy = ({ revision }: DeviceRecord) => etagOf(revision);

/** Variables keep the types of numbers and the order of keys. */
const exactOf = ({ text, value }: Body): unknown => parseExact(text, value);
