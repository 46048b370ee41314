/** Builds the API request from the run form. */

import { checkForm, checkPhases, readCheckText } from "../../../base/text/check-text.ts";
import { ownSource } from "../../forms/defaults.ts";
import type { DriverForm, FormField } from "../../forms/driver-forms.ts";
import { readJson, readJsonObject } from "../../forms/json-text.ts";
import { counted } from "../../text/counted.ts";

export interface Operation {
  readonly path: string;
  readonly body: object;
  /** A bulk; otherwise a single device. */
  readonly many: boolean;
  /** Whether the request may change devices; then it needs confirmation. */
  readonly changes: boolean;
  readonly dryRun: boolean;
  readonly question: string;
  /** Rendered for the devices before the confirmation. */
  readonly template?: Template;
}

export interface Template {
  readonly rendering: Rendering;
  readonly context: Readonly<Record<string, unknown>>;
  /** Typed in; those of the selector are not among them. */
  readonly names: readonly string[];
  readonly select: string;
  /** Of all devices. */
  readonly count: number;
}

interface Rendering {
  readonly name: string;
  readonly template: string;
  readonly args?: object;
}

/** Used instead of a driver's form: driver, address and login come from the inventory. */
export const inventoryForm: DriverForm = { driver: "", connection: [], arguments: [] };

/** Whether a push can be saved on the devices; drivers of the inventory that cannot say so in a warning. */
export const savesOf = (form: DriverForm): boolean =>
  form === inventoryForm || form.arguments.some(({ name }) => name === "save");

/** Fields that the form has separate inputs for, where it pushes. */
export const argumentsOf = (form: DriverForm): readonly FormField[] =>
  form.arguments.filter(({ name }) => name !== "save");

/**
 * @param selected number of devices that the form's selector matches.
 * @throws Error an invalid number, device, check or JSON
 */
export function operationOf(form: DriverForm, data: FormData, selected = 0): Operation {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const names = text("hosts")
    .split(/[\s,]+/)
    .filter(Boolean);
  const devices = names.map((line) => (form === inventoryForm ? { device: line } : deviceOf(line)));
  const kind = text("operation");
  const isConfig = kind !== "command";
  const dryRun = isConfig && data.has("dry_run");
  const select = text("select");
  const count = devices.length + selected;
  if (count === 0) throw new Error(select === "" ? "Enter a device." : "The selector matches no devices.");
  const many = count > 1 || select !== "";
  const changes = isConfig && !dryRun;
  const credential = credentialOf(text("credential"));
  const connection = {
    ...valuesOf(form.connection, "connection", text),
    ...(credential === undefined ? {} : { credential }),
  };
  const options = { label: text("label"), ticket: text("ticket") };
  const work = workOf(kind, data, text);
  const checks = changes ? checksOf(text) : undefined;
  const body = {
    ...(form === inventoryForm ? {} : { driver: form.driver }),
    ...targetsOf(devices, many, connection),
    // Never changes more devices than were confirmed, even if the inventory has changed.
    ...(select === "" ? {} : { select, ...(changes ? { limit: selected } : {}) }),
    ...work.body,
    driver_args: {
      ...valuesOf(argumentsOf(form), "argument", text),
      ...(dryRun ? { dry_run: true } : {}),
      ...(changes && savesOf(form) ? { save: data.has("save") } : {}),
    },
    ...(text("parsing") === "" || isConfig ? {} : { parsing: { name: text("parsing") } }),
    ...(checks === undefined ? {} : { checks }),
    options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== "")),
  };
  const saved = savesOf(form) ? (data.has("save") ? ", and save" : ", without saving") : "";
  return {
    path: many ? "/device/bulk" : "/device/execute",
    body,
    many,
    changes,
    dryRun,
    question: `${work.what} to ${counted(count, "device")}: push${saved}?`,
    ...(changes && work.template ? { template: { ...work.template, names, select, count } } : {}),
  };
}

interface RequestedWork {
  readonly body: object;
  /** `2 lines`, for the confirmation. */
  readonly what: string;
  readonly template?: Pick<Template, "rendering" | "context">;
}

export function workOf(kind: string, data: FormData, text: (name: string) => string): RequestedWork {
  if (kind !== "template") {
    const lines = linesOf(String(data.get("lines") ?? ""));
    const body = kind === "config" ? { config: lines } : { command: lines.length === 1 ? lines[0] : lines };
    return { body, what: counted(lines.length, "line") };
  }
  const context = readJsonObject("The variables", text("variables"));
  const rendering = {
    name: text("engine"),
    // Blanks at its ends may be part of the template.
    template: String(data.get("template") ?? "").replaceAll("\r\n", "\n"),
    ...(data.has("ansible") ? { args: { ansible: true } } : {}),
  };
  return { body: { config: context, rendering }, what: "The template", template: { rendering, context } };
}

/** @throws Error a line that is no check */
export function checksOf(text: (name: string) => string): object | undefined {
  const written = linesOf(text("checks")).map((line) => {
    const read = readCheckText(line.trim());
    if (read === undefined) throw new Error(`Check ${JSON.stringify(line.trim())}: ${checkForm}.`);
    return read;
  });
  if (written.length === 0) return undefined;
  const lists = checkPhases.flatMap((phase) => {
    const checks = written.flatMap(({ phases, check }) => (phases.includes(phase) ? [check] : []));
    return checks.length === 0 ? [] : [[phase, checks] as const];
  });
  const settle = text("settle_seconds");
  return {
    ...Object.fromEntries(lists),
    ...(settle === "" ? {} : { settle_seconds: readValue({ name: "settle", kind: "number" }, settle) }),
    ...(text("on_failure") === "keep" ? { on_failure: "keep" } : {}),
  };
}

type Device = { readonly device: string } | { readonly host: string; readonly port?: number };

function targetsOf(devices: readonly Device[], many: boolean, connection: object): object {
  const shared = Object.keys(connection).length === 0 ? {} : { connection_args: connection };
  if (many) return { connection_args: connection, ...(devices.length === 0 ? {} : { devices }) };
  const [only] = devices;
  if (only !== undefined && "device" in only) return { ...shared, device: only.device };
  return { connection_args: { ...connection, ...only } };
}

/** `host`, `host:port`, `[v6]:port`. */
function deviceOf(line: string): Device {
  const match = /^\[(.+)\](?::(\d+))?$|^([^:]+)(?::(\d+))?$/.exec(line);
  const host = match?.[1] ?? match?.[3] ?? line;
  const port = match?.[2] ?? match?.[4];
  return port === undefined ? { host } : { host, port: Number(port) };
}

export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== "");
}

/**
 * `source:reference`, a reference of the default source, or JSON as in the API.
 * @throws Error
 */
export function credentialOf(input: string): unknown {
  if (input === "") return undefined;
  if (input.startsWith("{")) return readValue({ name: "credential", kind: "json" }, input);
  const at = input.indexOf(":");
  return at < 0 ? { name: ownSource, ref: input } : { name: input.slice(0, at), ref: input.slice(at + 1) };
}

function valuesOf(fields: readonly FormField[], prefix: string, text: (name: string) => string) {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const input = text(`${prefix}.${field.name}`);
    if (input !== "") values[field.name] = readValue(field, input);
  }
  return values;
}

function readValue({ name, kind }: Pick<FormField, "name" | "kind">, input: string): unknown {
  if (kind === "boolean") return input === "true";
  if (kind === "text") return input;
  if (kind === "json") return readJson(name, input);
  const number = Number(input);
  if (Number.isNaN(number)) throw new Error(`${name} must be a number.`);
  return number;
}
