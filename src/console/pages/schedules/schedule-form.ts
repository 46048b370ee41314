/** Builds the API request body from the schedule form. */
import * as v from "valibot";
import type { Schedule, Time } from "../../shapes/schedules.ts";
import { credentialOf, linesOf } from "../jobs/run-operation.ts";

/** @throws Error an invalid time, or no device */
export function scheduleOf(data: FormData): object {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const kind = text("kind");
  const request = requestOf(kind === "push", text);
  const options = { window: windowsOf(text("window")), label: text("label"), ticket: text("ticket") };
  const filledIn = Object.entries(options).filter(([, value]) => value.length > 0);
  return {
    name: text("name"),
    ...timeOf(text),
    what: { kind, request },
    overlap: text("overlap") || "skip",
    ...Object.fromEntries(filledIn),
  };
}

function timeOf(text: (name: string) => string, atBefore?: string): object {
  const when = text("when");
  const zone = text("time_zone");
  if (text("time") === "cron") return { cron: when, ...(zone === "" ? {} : { time_zone: zone }) };
  if (text("time") === "every") return { every: when };
  return { at: when === atBefore ? when : momentOf(when) };
}

function momentOf(text: string): string {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime()))
    throw new Error(`${text || "nothing"} is not a time such as 2027-01-31 22:00.`);
  return moment.toISOString();
}

/** The times of a schedule as form values. */
export function timesOf({ cron, time_zone: zone, every, at }: Schedule): {
  time: Time;
  when: string;
  zone?: string;
} {
  if (cron !== undefined) return { time: "cron", when: cron, zone };
  return every === undefined ? { time: "at", when: at ?? "" } : { time: "every", when: every };
}

const fields = ["name", "cron", "time_zone", "every", "at", "not_before", "not_after", "window", "overlap"];
const purpose = ["label", "ticket"];

/**
 * Body of PATCH: the fields that differ from the schedule; null removes a field.
 * @param work what is submitted from now on
 * @throws Error an invalid time
 */
export function changeOf(before: Schedule, data: FormData, work: object): Record<string, unknown> {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  // An unmodified time is not a change, however the service formats it.
  const moment = (name: "not_before" | "not_after") => {
    const written = text(name);
    return written === "" || written === before[name] ? written || undefined : momentOf(written);
  };
  const windows = windowsOf(text("window"));
  const after: Record<string, unknown> = {
    name: text("name"),
    ...timeOf(text, before.at),
    not_before: moment("not_before"),
    not_after: moment("not_after"),
    window: windows.length === 0 ? undefined : windows,
    overlap: text("overlap"),
    label: text("label") || undefined,
    ticket: text("ticket") || undefined,
  };
  const change: Record<string, unknown> = {};
  for (const name of [...fields, ...purpose])
    if (!same(before[name], after[name])) change[name] = after[name] ?? null;
  return same(before.what, work) ? change : { ...change, what: work };
}

/** Work that the form has fields for: a selector, devices by name, commands or lines. */
export interface SimpleWork {
  readonly select: string;
  readonly hosts: string;
  readonly lines: string;
}

const lines = v.union([v.string(), v.array(v.string())]);
const simpleRequest = v.looseObject({
  select: v.optional(v.string()),
  devices: v.optional(v.array(v.strictObject({ device: v.string() }))),
  command: v.optional(lines),
  config: v.optional(lines),
  rendering: v.optional(v.never()),
});

/** @returns undefined: it is edited as JSON */
export function simpleWork({ kind, request }: Schedule["what"]): SimpleWork | undefined {
  const read = v.safeParse(simpleRequest, request);
  if ((kind !== "query" && kind !== "push") || !read.success) return undefined;
  const { select = "", devices = [], command, config } = read.output;
  const work = kind === "push" ? config : command;
  return {
    select,
    hosts: devices.map(({ device }) => device).join("\n"),
    lines: typeof work === "string" ? work : (work ?? []).join("\n"),
  };
}

/** The work with what the fields say; what they do not say, and what was not touched, stays as it was written. */
export function workWith(what: Schedule["what"], before: SimpleWork, data: FormData): object {
  const text = (name: keyof SimpleWork) => String(data.get(name) ?? "").trim();
  const isTouched = text("lines") !== before.lines.trim();
  const work = isTouched ? { [what.kind === "push" ? "config" : "command"]: linesOf(text("lines")) } : {};
  const none = { select: undefined, devices: undefined };
  const request = {
    ...v.parse(v.record(v.string(), v.unknown()), what.request),
    ...none,
    ...targetsOf(text),
    ...work,
  };
  return {
    ...what,
    request: Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)),
  };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The fields of a schedule that a request accepts. */
const requested = v.object({
  ...Object.fromEntries(
    [...fields, ...purpose, "what", "enabled", "jitter_seconds", "missed"].map((name) => [
      name,
      v.optional(v.unknown()),
    ]),
  ),
});

/** Body of a preview: the schedule with the change applied. */
export function scheduleWith(before: Schedule, change: object): object {
  return { ...v.parse(requested, before), ...change };
}

/** Body of a bulk of inventory devices, which define driver and login. */
function requestOf(push: boolean, text: (name: string) => string): object {
  const credential = credentialOf(text("credential"));
  return {
    ...targetsOf(text),
    ...(credential === undefined ? {} : { connection_args: { credential } }),
    [push ? "config" : "command"]: linesOf(text("lines")),
  };
}

/** @throws Error no device */
function targetsOf(text: (name: "select" | "hosts") => string): object {
  const select = text("select");
  const devices = text("hosts")
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((device) => ({ device }));
  if (select === "" && devices.length === 0) throw new Error("Enter a device or a selector.");
  return {
    ...(select === "" ? {} : { select }),
    ...(devices.length === 0 ? {} : { devices }),
  };
}

function windowsOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
