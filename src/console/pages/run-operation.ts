/** Builds the API request from the run form. */
import { ownSource } from "../defaults.ts";
import type { DriverForm, FormField } from "../driver-forms.ts";

export interface Operation {
  readonly path: string;
  readonly body: object;
  /** A bulk; otherwise a single device. */
  readonly many: boolean;
  /** Whether the request may change devices; then it needs confirmation. */
  readonly changes: boolean;
  readonly question: string;
}

/** Used instead of a driver's form: driver, address and login come from the inventory. */
export const inventoryForm: DriverForm = { driver: "", connection: [], arguments: [] };

/**
 * @param selected number of devices that the form's selector matches.
 * @throws Error an invalid number or device
 */
export function operationOf(form: DriverForm, data: FormData, selected = 0): Operation {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const devices = text("hosts")
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((line) => (form === inventoryForm ? { device: line } : deviceOf(line)));
  const lines = linesOf(text("lines"));
  const isConfig = text("operation") === "config";
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
  const body = {
    ...(form === inventoryForm ? {} : { driver: form.driver }),
    ...targetsOf(devices, many, connection),
    // Never changes more devices than were confirmed, even if the inventory has changed.
    ...(select === "" ? {} : { select, ...(changes ? { limit: selected } : {}) }),
    ...(isConfig ? { config: lines } : { command: lines.length === 1 ? lines[0] : lines }),
    driver_args: { ...valuesOf(form.arguments, "argument", text), ...(dryRun ? { dry_run: true } : {}) },
    ...(text("parsing") === "" || isConfig ? {} : { parsing: { name: text("parsing") } }),
    options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== "")),
  };
  return {
    path: many ? "/device/bulk" : "/device/execute",
    body,
    many,
    changes,
    question: `${lines.length} ${lines.length === 1 ? "line" : "lines"} to ${count} ${count === 1 ? "device" : "devices"}: push?`,
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
  if (kind === "json") {
    try {
      return JSON.parse(input);
    } catch {
      throw new Error(`${name} must be JSON.`);
    }
  }
  const number = Number(input);
  if (Number.isNaN(number)) throw new Error(`${name} must be a number.`);
  return number;
}
