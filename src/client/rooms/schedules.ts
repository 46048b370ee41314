/** What the client reads of schedules, and the body of a schedule from a file and flags. */
import * as v from "valibot";
import { firingRecord, scheduleRecord } from "../../api/schedules/schedule.ts";
import { reader } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";
import { stringifyExact } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/members.ts";
import { readInput, readObject } from "../input/input.ts";

export const oneFiring = reader(firingRecord);
export const firingList = v.array(oneFiring);
export const oneSchedule = reader(scheduleRecord);
export const scheduleList = v.array(oneSchedule);
export type Schedule = v.InferOutput<typeof oneSchedule>;
export type Firing = v.InferOutput<typeof oneFiring>;

/** Flags of `patchbay schedule add` and `next`. */
export interface ScheduleFlags {
  readonly name?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly every?: string;
  readonly at?: string;
  readonly jitter?: string;
  readonly notAfter?: string;
  readonly window?: readonly string[];
  readonly overlap?: string;
  readonly missed?: string;
  readonly label?: string;
  readonly ticket?: string;
  readonly driver?: string;
  readonly platform?: string;
  readonly select?: string;
  readonly host?: readonly string[];
  readonly credential?: string;
  readonly command?: readonly string[];
  readonly configFile?: string;
  readonly sync?: string;
  readonly take?: boolean;
}

/** Flags override fields of the file. @throws ServiceError Validation */
export function scheduleBody(file: string | undefined, flags: ScheduleFlags): Record<string, unknown> {
  const { name, cron, every, at, overlap, label, ticket, window } = flags;
  const { timeZone: time_zone, notAfter: not_after } = flags;
  const operation = workOf(flags) ?? requestOf(flags);
  return {
    ...(file === undefined ? {} : readObject(file)),
    ...presentFields({
      name,
      cron,
      time_zone,
      every,
      at,
      not_after,
      overlap,
      label,
      ticket,
      window,
      what: operation,
    }),
    ...(flags.jitter === undefined ? {} : { jitter_seconds: Number(flags.jitter) }),
    ...(flags.missed === undefined ? {} : { missed: { policy: flags.missed } }),
  };
}

/** What has no request of its own. */
function workOf({ sync, take, select }: ScheduleFlags): Record<string, unknown> | undefined {
  if (sync !== undefined) return { kind: "sync", source: sync };
  return take === true ? { kind: "history", history: presentFields({ select }) } : undefined;
}

/** @returns undefined if the flags specify no request. */
function requestOf({ driver, platform, select, host, credential, command, configFile }: ScheduleFlags) {
  if (command === undefined && configFile === undefined) return undefined;
  if (command !== undefined && configFile !== undefined)
    throw new ServiceError("Validation", "--command and --config-file cannot be combined.");
  const [source = "", ...ref] = credential?.split(":") ?? [];
  const connection_args = presentFields({
    device_type: platform,
    credential: credential === undefined ? undefined : { name: source, ref: ref.join(":") },
  });
  const work =
    configFile === undefined ? { command } : { config: readInput(configFile).trimEnd().split("\n") };
  return {
    kind: configFile === undefined ? "query" : "push",
    request: presentFields({
      driver,
      select,
      connection_args,
      devices: host?.map((name) => ({ host: name })),
      ...work,
    }),
  };
}

function presentFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** What flags change of a schedule: the given fields, and in its request the given ones of that. */
export function changesByFlags(schedule: Schedule, flags: ScheduleFlags): Record<string, unknown> {
  const { what, ...fields } = scheduleBody(undefined, flags);
  const changed = mergedWhat(schedule.what, isRecord(what) ? what : partOfRequest(flags));
  return { ...fields, ...(changed === undefined ? {} : { what: changed }) };
}

/** Flags of the request without a command or lines: the device or login changes, the work stays. */
function partOfRequest({ driver, platform, select, host, credential }: ScheduleFlags) {
  const given = requestOf(presentFields({ driver, platform, select, host, credential, command: [] }));
  if (given === undefined) return undefined;
  const { command: _none, connection_args, ...request } = given.request;
  const isLogin = isRecord(connection_args) && Object.keys(connection_args).length > 0;
  const part = { ...request, ...(isLogin ? { connection_args } : {}) };
  return Object.keys(part).length === 0 ? undefined : { request: part };
}

function mergedWhat({ ...what }: Schedule["what"], changed: Readonly<Record<string, unknown>> | undefined) {
  if (changed === undefined) return undefined;
  const { request } = changed;
  // A sync has no request, and a request no source.
  if (!isRecord(request)) return changed;
  if (what.history !== undefined && changed.kind === undefined)
    return { ...what, history: { ...what.history, ...request } };
  const before = { ...what.request };
  const own = Object.keys(request);
  // A query becomes a push, or the reverse; devices replace a selector.
  if (own.includes("command")) delete before.config;
  if (own.includes("config")) delete before.command;
  if (own.includes("devices") && !own.includes("select")) delete before.select;
  if (own.includes("select") && !own.includes("devices")) delete before.devices;
  const connection_args = { ...recordOf(before.connection_args), ...recordOf(request.connection_args) };
  const isLogin = Object.keys(connection_args).length > 0;
  const merged = { ...before, ...request, ...(isLogin ? { connection_args } : {}) };
  return { kind: changed.kind ?? what.kind, request: merged };
}

const recordOf = (value: unknown) => (isRecord(value) ? value : {});

/** What can be edited of a schedule, in the order of its record. */
const editable = [
  ...["name", "enabled", "cron", "time_zone", "every", "at", "jitter_seconds", "not_before", "not_after"],
  ...["what", "window", "overlap", "missed", "label", "ticket"],
];

/** The text for an editor: JSON. */
export function editableText(schedule: Schedule): string {
  const fields = Object.entries(schedule).filter(([name]) => editable.includes(name));
  const order = ([name]: [string, unknown]) => editable.indexOf(name);
  fields.sort((one, other) => order(one) - order(other));
  return `${JSON.stringify(Object.fromEntries(fields), undefined, 2)}\n`;
}

/** The fields that differ, as a PATCH: null removes one. */
export function changesBetween(before: Schedule, after: Readonly<Record<string, unknown>>) {
  const was = Object.fromEntries(Object.entries(before).filter(([name]) => editable.includes(name)));
  const removed = Object.keys(was).filter((name) => !(name in after));
  const changed = Object.entries(after).filter(
    ([name, value]) => stringifyExact(value) !== JSON.stringify(was[name]),
  );
  return { ...Object.fromEntries(removed.map((name) => [name, null])), ...Object.fromEntries(changed) };
}

/** `12 finished, 2 failed (ReadTimeout 2)`; empty without a bulk. */
export function resultText({ result }: Pick<Firing, "result">): string {
  if (result === undefined) return "";
  const ended = (["finished", "failed", "cancelled", "held", "queued", "running"] as const)
    .filter((status) => result.counts[status] > 0)
    .map((status) => `${result.counts[status]} ${status}`);
  const types = Object.entries(result.error_types).map(([type, count]) => `${type} ${count}`);
  return `${ended.join(", ")}${types.length === 0 ? "" : ` (${types.join(", ")})`}`;
}

const maxDevices = 20;

/** The content of a schedule, a field of its request on each line. */
export function contentFacts({
  kind,
  source,
  request,
  discover,
  history,
}: Schedule["what"]): [string, string][] {
  const fields = Object.entries(request ?? discover ?? history ?? {});
  return [
    ["what", source === undefined ? (kind ?? "") : `${kind} of ${source}`],
    ...fields.map(([name, value]): [string, string] => [name, fieldText(name, value)]),
  ];
}

function fieldText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (name === "devices" && Array.isArray(value)) {
    const more = value.length > maxDevices ? [`and ${value.length - maxDevices} more`] : [];
    return [...value.slice(0, maxDevices).map(deviceText), ...more].join("\n");
  }
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value.join("\n");
  return stringifyExact(value);
}

/** The name of an entry, and what it sets besides. */
function deviceText(entry: unknown): string {
  if (!isRecord(entry)) return stringifyExact(entry);
  const name = ["device", "host"].find((field) => typeof entry[field] === "string");
  if (name === undefined) return stringifyExact(entry);
  const { [name]: named, ...others } = entry;
  return `${String(named)}${Object.keys(others).length === 0 ? "" : ` ${stringifyExact(others)}`}`;
}
