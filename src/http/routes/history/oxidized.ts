/**
 * Oxidized's REST interface on the history, so that LibreNMS, NetXMS and scripts work unchanged. A device is named by its
 * inventory name, its address, or both with its group; answers are Oxidized's, without an envelope.
 */

import * as v from "valibot";
import { type ConfiguredDevice, historyLimits, type VersionRecord } from "../../../api/history/history.ts";
import { canonicalHost } from "../../../api/identity.ts";
import { described } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { ServiceError, toErrorData } from "../../../base/errors.ts";
import type { History } from "../../../history/port.ts";
import { sendPieces } from "../../answer/send-answer.ts";
import type { Call } from "../../call.ts";
import { bytes, type RouteDefinition, route } from "../../route.ts";
import { sendText } from "./history.ts";

const right = "history";
const part = "running";
const atOnce = 500;
const maxFormBytes = 64 * 1024;

/** Clients send what they do not know as empty. */
const anyText = v.optional(v.string());
const formatParameter = described(
  v.optional(v.picklist(["json", "text"], "must be json or text")),
  "As the end of the path: `.json`, `.text`",
);
const asFormat = v.object({ format: formatParameter });
const groupParameter = described(anyText, "Group of the device, if it has one");
const nodeParameter = described(anyText, "Name or address of the device");
const oidParameter = described(anyText, "`oid` of the version");
/** Sent by clients for the page of Oxidized; the version is that of `oid`. */
const unused = described(anyText, "Not used");
const facts = {
  scope: "read",
  right,
  answer: bytes,
  stream: ["application/json", "text/plain"],
} as const;
const ofDevice = { step: "Name or address of the device" } as const;
const inGroup = { step: "Group of the device", item: "Name or address of the device" } as const;
const words = {
  node: "node not found",
  version: "version not found",
  diffs: "no available",
} as const;

export const oxidizedRoutes: readonly RouteDefinition[] = [
  route({
    ...facts,
    id: "oxidizedNodes",
    method: "GET",
    path: "/oxidized/nodes",
    summary: "Oxidized: list the devices",
    query: asFormat,
    handle(call) {
      return sendList(nodesOf(call), call);
    },
  }),
  route({
    ...facts,
    id: "oxidizedSearch",
    method: "POST",
    path: "/oxidized/nodes/conf_search",
    summary: "Oxidized: list the devices whose configuration has a line that matches",
    query: asFormat,
    takes: "text",
    async handle(call) {
      const { options, caller, reservation } = call;
      const regex = new URLSearchParams(await call.text(maxFormBytes)).get("search_in_conf_textbox") ?? "";
      reservation.hold(options.admission.lists.take(shareOf(caller)));
      return sendList(matchesOf(regex, call), call);
    },
  }),
  route({
    ...{ ...facts, ...ofDevice },
    id: "oxidizedNode",
    method: "GET",
    path: "/oxidized/node/show/:name",
    summary: "Oxidized: show a device",
    query: asFormat,
    async handle(call) {
      const device = await deviceOf(call, { node: call.name });
      return device === undefined ? notFound(words.node, call) : jsonAnswer(nodeOf(device, null));
    },
  }),
  ...(["/:name", "/:name/:item"] as const).flatMap((steps) => [
    route({
      ...{ ...facts, ...(steps === "/:name" ? ofDevice : inGroup) },
      id: steps === "/:name" ? "oxidizedFetch" : "oxidizedFetchOfGroup",
      method: "GET",
      path: `/oxidized/node/fetch${steps}`,
      summary: "Oxidized: the latest configuration of a device",
      query: asFormat,
      async handle(call, { format }) {
        const device = await deviceOf(call, nodeInPath(call));
        if (!device?.latest) return notFound(words.node, call);
        const { text } = await call.options.history.text(device.device, { part }, call.caller);
        return textAnswer(text, format, call);
      },
    }),
    ...(["GET", "PUT"] as const).map((method) =>
      route({
        ...{ ...facts, ...(steps === "/:name" ? ofDevice : inGroup) },
        scope: "operate",
        id: `oxidizedNext${method === "GET" ? "" : "With"}${steps === "/:name" ? "" : "OfGroup"}`,
        method,
        path: `/oxidized/node/next${steps}`,
        grows: true,
        summary: `Oxidized: read the configuration of a device now${method === "GET" ? "" : ", with a note"}`,
        query: asFormat,
        ...(method === "GET" ? {} : { takes: "text" as const }),
        async handle(call, { format }) {
          requireOwnDoing(call.request);
          const device = await deviceOf(call, nodeInPath(call));
          if (device === undefined) return notFound(words.node, call);
          await takeNow(device.device, method === "PUT" ? await noteIn(call) : undefined, call);
          return format === "json" ? jsonAnswer(["ok"]) : plainAnswer("ok");
        },
      }),
    ),
  ]),
  route({
    ...facts,
    id: "oxidizedVersions",
    method: "GET",
    path: "/oxidized/node/version",
    summary: "Oxidized: list the versions of a device, newest first",
    query: v.object({
      node_full: described(anyText, "The device: `group/name`, or its name or address"),
      format: formatParameter,
    }),
    async handle(call, { node_full = "" }) {
      const at = node_full.lastIndexOf("/");
      const group = at < 0 ? undefined : node_full.slice(0, at);
      const device = await deviceOf(call, { group, node: node_full.slice(at + 1) });
      if (device === undefined) return jsonAnswer([words.node], 404);
      return sendList(device.latest === null ? [] : versionsOf(device.device, call), call);
    },
  }),
  route({
    ...facts,
    id: "oxidizedVersion",
    method: "GET",
    path: "/oxidized/node/version/view",
    summary: "Oxidized: the text of a version; never another one",
    query: v.object({
      ...{ node: nodeParameter, group: groupParameter, oid: oidParameter },
      ...{ num: unused, date: unused, epoch: unused, format: formatParameter },
    }),
    async handle(call, { node, group, oid, format }) {
      const device = await deviceOf(call, { group, node });
      const version = device && (await goodVersion(device.device, oid, call));
      if (version === undefined) return notFound(words.version, call);
      const choice = { part, version: version.version } as const;
      const { text } = await call.options.history.text(version.device, choice, call.caller);
      return textAnswer(text, format, call);
    },
  }),
  route({
    ...facts,
    id: "oxidizedDiffs",
    method: "GET",
    path: "/oxidized/node/version/diffs",
    summary: "Oxidized: what a version has changed, in unified format",
    query: v.object({
      ...{ node: nodeParameter, group: groupParameter, oid: oidParameter },
      oid2: described(anyText, "`oid` of the version that it is compared with; default: the one before"),
      ...{ num: unused, date: unused, epoch: unused, format: formatParameter },
    }),
    async handle(call, { node, group, oid, oid2, format }) {
      const device = await deviceOf(call, { group, node });
      const to = device && (await goodVersion(device.device, oid, call));
      const from = device && oid2 ? await goodVersion(device.device, oid2, call) : undefined;
      if (to === undefined || (oid2 && from === undefined)) return notFound(words.diffs, call);
      const patch = await patchOf(from, to, call);
      return textAnswer(patch === "" ? words.diffs : patch, format, call);
    },
  }),
  route({
    ...facts,
    id: "oxidizedReload",
    method: "GET",
    path: "/oxidized/reload",
    summary: "Oxidized: nothing to do, the inventory is always up to date",
    query: v.object({ node: nodeParameter, format: formatParameter }),
    handle(_call, { node, format }) {
      const text = node === undefined ? "reloaded list of nodes" : `reloaded ${node.slice(0, 128)}`;
      return format === "json" ? jsonAnswer([text]) : plainAnswer(text);
    },
  }),
];

interface NamedNode {
  readonly group?: string | undefined;
  readonly node: string | undefined;
}

function nodeInPath({ name, item }: Call): NamedNode {
  return item === undefined ? { node: name } : { group: name, node: item };
}

/** What Oxidized and its clients call the group of devices without one. */
const noGroup = "default";

/** Undefined: there is no such device within reach, or it is of another group. */
async function deviceOf(
  { options, caller }: Call,
  { group, node = "" }: NamedNode,
): Promise<ConfiguredDevice | undefined> {
  const snapshot = await options.inventory.snapshot();
  const known =
    snapshot.device(node) ?? (node === "" ? undefined : snapshot.devicesAt(canonicalHost(node))[0]);
  const name = known?.name ?? node;
  const [device] = name === "" ? [] : await only(options.history.device(name, caller));
  const found = device ?? (known && (await unreadDevice(options.history, known.name, caller)));
  const isOfGroup = !group || (found?.group ?? noGroup).toLowerCase() === group.toLowerCase();
  return isOfGroup ? found : undefined;
}

/** In the inventory and within reach, though its configuration was not read yet. */
async function unreadDevice(history: History, name: string, caller: Call["caller"]) {
  const { items } = await history.devices({ select: `name:"${name}"` }, caller, { limit: 1 });
  return items[0];
}

/** Nothing, if it is not found. */
async function only<T>(reading: Promise<T>): Promise<T[]> {
  try {
    return [await reading];
  } catch (error) {
    if (toErrorData(error).kind === "NotFound") return [];
    throw error;
  }
}

async function* nodesOf({ options, caller, request }: Call): AsyncGenerator<object> {
  let cursor: string | undefined;
  do {
    const page = await options.history.devices({}, caller, { limit: atOnce, cursor, signal: request.signal });
    for (const device of page.items) {
      if (!device.in_inventory) continue;
      const node = nodeOf(device, noGroup);
      yield { ...node, status: node.last?.status ?? "never", time: node.last?.end ?? "never" };
    }
    cursor = page.next;
  } while (cursor !== undefined);
}

/** @param withoutGroup what stands for the group of a device without one */
function nodeOf(device: ConfiguredDevice, withoutGroup: string | null) {
  const { device: name, host, group, platform, latest } = device;
  const end = device.failed_at ?? device.last_good_at;
  return {
    name,
    full_name: group === null ? name : `${group}/${name}`,
    ip: host,
    group: group ?? withoutGroup,
    model: platform ?? "",
    last: end === null ? null : { start: timeOf(end), end: timeOf(end), status: statusOf(device), time: 0 },
    vars: {},
    mtime: latest === null ? "unknown" : timeOf(latest.taken_at),
  };
}

/** Words that clients compare. */
function statusOf({ failed_at, error, suspects }: ConfiguredDevice): string {
  if (failed_at === null) return suspects > 0 ? "fail" : "success";
  if (error === "ReadTimeout" || error === "JobTimeout") return "timelimit";
  return /^(?:Connection|Host|Auth)/.test(error ?? "") ? "no_connection" : "fail";
}

async function* versionsOf(name: string, { options, caller }: Call): AsyncGenerator<object> {
  let cursor: string | undefined;
  do {
    const page = await options.history.versions(name, { part }, caller, { limit: atOnce, cursor });
    for (const version of page.items) if (version.state === "good") yield listedVersion(version);
    cursor = page.next;
  } while (cursor !== undefined);
}

function listedVersion({ device, version, taken_at, who, by_on_device, note }: VersionRecord) {
  const time = timeOf(taken_at);
  const date = time.replace("UTC", "+0000");
  const author = { name: by_on_device ?? who ?? "Patchbay", email: "patchbay@localhost", time: date };
  return { oid: oidOf(version), date, time, author, message: note ?? `update ${device}` };
}

/** As long as the ids that clients know. */
const oidOf = (version: number) => version.toString(16).padStart(40, "0");

/** Suspect versions are not in lists, so none has been named. */
async function goodVersion(name: string, oid: string | undefined, { options, caller }: Call) {
  if (oid === undefined || !/^0{30}[0-9a-f]{10}$/.test(oid)) return undefined;
  const version = Number.parseInt(oid, 16);
  const [found] = await only(options.history.version(name, { part, version }, caller));
  return found?.state === "good" ? found : undefined;
}

/** Empty: there is no difference, or nothing before. */
async function patchOf(from: VersionRecord | undefined, to: VersionRecord, call: Call): Promise<string> {
  const { options, caller, request } = call;
  const choices = {
    from: from && ({ part, version: from.version } as const),
    to: { part, version: to.version } as const,
  };
  const [found] = await only(
    options.history.difference(to.device, choices, "unified", caller, request.signal),
  );
  if (!found?.unified) return "";
  const name = to.device;
  const ids = `${oidOf(found.from.version).slice(-8)}..${oidOf(found.to.version).slice(-8)}`;
  const body = found.unified.replace(/^--- .*\n\+\+\+ .*\n/, "");
  return `diff --git a/${name} b/${name}\nindex ${ids} 100644\n--- a/${name}\n+++ b/${name}\n${body}`;
}

/** In the order in which they were read first. */
async function* matchesOf(regex: string, { options, caller, request }: Call): AsyncGenerator<object> {
  const search = { regex, caseSensitive: true, ever: false };
  let cursor: string | undefined;
  do {
    const page = await options.history.search(search, caller, {
      limit: atOnce,
      cursor,
      signal: request.signal,
    });
    const snapshot = await options.inventory.snapshot();
    for (const { version } of page.items) {
      const device = snapshot.device(version.device);
      if (device === undefined) continue;
      const { name, group } = device;
      yield { node: name, full_name: group === null ? name : `${group}/${name}` };
    }
    cursor = page.next;
  } while (cursor !== undefined);
}

async function takeNow(device: string, note: string | undefined, call: Call): Promise<void> {
  const { options, caller, request, budget } = call;
  const value = { device, ...(note === undefined ? {} : { note }) };
  const body = { text: JSON.stringify(value), value };
  await options.jobs.take(body, caller, undefined, request.signal, budget);
}

const nextBody = v.looseObject({ user: v.nullish(v.string()), msg: v.nullish(v.string()) });

/** `user` and `msg` of a body that Oxidized would take. */
async function noteIn(call: Call): Promise<string | undefined> {
  const [text] = await call.text(maxFormBytes).then(
    (found) => [found],
    (error) => {
      // Without a body there is nothing to note.
      if (toErrorData(error).kind === "BadRequest") return [];
      throw error;
    },
  );
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), nextBody), text ?? "{}");
  if (!read.success)
    throw new ServiceError("BadRequest", "The body must be a JSON object with user and msg.");
  const note = [read.output.user, read.output.msg]
    .filter(Boolean)
    .join(": ")
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, historyLimits.noteChars);
  return note === "" ? undefined : note;
}

/**
 * A read that submits a job: a page of another site may not trigger it with the password or cookie of a browser.
 * @throws ServiceError Forbidden
 */
function requireOwnDoing({ headers }: Request): void {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return;
  throw new ServiceError("Forbidden", "Another site may not ask for this.");
}

/** As Ruby writes a time. */
function timeOf(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const json = { headers: { "Content-Type": "application/json" } };
const plain = { "Content-Type": "text/plain; charset=utf-8" };

function jsonAnswer(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { ...json, status });
}

function plainAnswer(text: string, status = 200): Response {
  return new Response(text, { headers: plain, status });
}

/** Some clients look at the words, others at the status. */
function notFound(text: string, { url }: Call): Response {
  return url.searchParams.get("format") === "json" ? jsonAnswer([text], 404) : plainAnswer(text, 404);
}

function textAnswer(text: string, format: "json" | "text" | undefined, call: Call) {
  return format === "json" ? sendList(linesOf(text), call) : sendText(text, call);
}

/** Each with its line end. */
function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end + 1;
    yield text.slice(at, next);
    at = next;
  }
}

/** What fails before the first piece is an error of the request. */
async function sendList(values: AsyncIterable<unknown> | Iterable<unknown>, call: Call): Promise<Response> {
  const pieces = listOf(values);
  const first = await pieces.next();
  async function* all() {
    if (first.done !== true) yield first.value;
    yield* pieces;
  }
  return sendPieces(all(), call, json);
}

/** Of a JSON list. */
const pieceChars = 32 * 1024;

async function* listOf(values: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  let piece = "[";
  let isFirst = true;
  for await (const value of values) {
    piece += `${isFirst ? "" : ","}${JSON.stringify(value)}`;
    isFirst = false;
    if (piece.length < pieceChars) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]`;
}
