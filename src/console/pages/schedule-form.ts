/** What the form of a schedule asks for, as a body of the API. */
import { credentialOf, linesOf } from "./run-operation.ts";

export const times = ["cron", "every", "at"] as const;
export type Time = (typeof times)[number];

/** @throws Error a time that is none, no device */
export function scheduleOf(data: FormData): object {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const kind = text("kind");
  const request = requestOf(kind === "push", text);
  const options = { window: windowsOf(text("window")), label: text("label"), ticket: text("ticket") };
  const given = Object.entries(options).filter(([, value]) => value.length > 0);
  return {
    name: text("name"),
    ...timeOf(text),
    what: { kind, request },
    overlap: text("overlap") || "skip",
    ...Object.fromEntries(given),
  };
}

function timeOf(text: (name: string) => string): object {
  const when = text("when");
  const zone = text("time_zone");
  if (text("time") === "cron") return { cron: when, ...(zone === "" ? {} : { time_zone: zone }) };
  if (text("time") === "every") return { every: when };
  const moment = new Date(when);
  if (Number.isNaN(moment.getTime()))
    throw new Error(`${when || "nothing"} is no moment such as 2027-01-31 22:00.`);
  return { at: moment.toISOString() };
}

/** Body of a bulk: devices of the inventory, which says their driver and login. */
function requestOf(push: boolean, text: (name: string) => string): object {
  const select = text("select");
  const devices = text("hosts")
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((device) => ({ device }));
  if (select === "" && devices.length === 0) throw new Error("Name a device or a selector.");
  const credential = credentialOf(text("credential"));
  return {
    ...(select === "" ? {} : { select }),
    ...(devices.length === 0 ? {} : { devices }),
    ...(credential === undefined ? {} : { connection_args: { credential } }),
    [push ? "config" : "command"]: linesOf(text("lines")),
  };
}

function windowsOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
