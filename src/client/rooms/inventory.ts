/** Reads the devices of a command: from its argument, a CSV or YAML file, or standard input. */
import { statSync } from "node:fs";
import * as v from "valibot";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { issueTexts } from "../../base/issues.ts";
import { plain } from "../../base/json/exact-json.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";
import { delimiterFor, readCsv } from "../../base/text/csv.ts";
import { readYaml } from "../../base/yaml/yaml-read.ts";
import { readHosts } from "../input/hosts.ts";
import { readText } from "../input/input.ts";

/** Fields of `connection_args`, and the driver if the file names one. */
export interface Device {
  readonly driver?: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const entry = v.record(v.string(), v.unknown());
const list = v.array(v.union([v.string(), entry]));
const yamlFile = v.union([list, v.object({ defaults: v.optional(entry), devices: list })]);

/** @param text hosts, `@file` or `-`. @throws ServiceError Validation */
export function readDevices(text: string, standardInput: () => string): Device[] {
  if (text === "-") return required(fromText(standardInput(), "the standard input"), "the standard input");
  if (!text.startsWith("@")) return readHosts(text).map((host) => ({ fields: { ...host } }));
  const file = text.slice(1);
  const devices = required(fromText(readText(file), file), file);
  if (devices.some(({ fields }) => Object.keys(fields).some(isSecretName))) requirePrivate(file);
  return devices;
}

function required(devices: Device[], name: string): Device[] {
  if (devices.length === 0) throw new ServiceError("Validation", `There is no host in ${name}.`);
  return devices;
}

/** @throws ServiceError Validation: it is readable by other accounts */
export function requirePrivate(file: string): void {
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  const text = `${file} holds secrets and its mode is ${mode.toString(8).padStart(4, "0")}: others may read it. Run chmod 600 ${file}`;
  throw new ServiceError("Validation", text);
}

function fromText(text: string, name: string): Device[] {
  if (/\.ya?ml$/i.test(name)) return fromYaml(text, name);
  const [first = ""] = text.trimStart().split(/\r?\n/);
  const cells = first.replace(/^\ufeff/, "").split(delimiterFor(first));
  const isHeader = cells.some((cell) => /^\s*"?host(?:name)?"?\s*$/.test(cell));
  if (isHeader) return fromCsv(readCsv(text, name), name);
  if (/^(?:- |---|\[|\{|devices:|defaults:)/.test(first)) return fromYaml(text, name);
  // Hosts line by line, with comments.
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*$/, "").trim())
    .filter(Boolean)
    .flatMap((line) => readHosts(line).map((host) => ({ fields: { ...host } })));
}

function fromCsv([header = [], ...rows]: string[][], name: string): Device[] {
  return rows.flatMap((row, at) => {
    if (row.length > header.length) {
      const text = `${name}: row ${at + 2} has ${row.length} cells, but the header has ${header.length}.`;
      throw new ServiceError("Validation", text);
    }
    const cells = header.flatMap((title, column) => {
      const cell = row[column] ?? "";
      return cell === "" ? [] : [[title, cellValue(title, cell)] as const];
    });
    return devicesOf(Object.fromEntries(cells), `${name}: row ${at + 2}`);
  });
}

/** Converts numbers and booleans in table cells; names and secrets always stay text. */
function cellValue(title: string, cell: string): unknown {
  if (title === "credential") return readCredential(cell);
  if (/^(?:host(?:name)?|username|driver|device_type)$/.test(title) || isSecretName(title)) return cell;
  if (/^\d{1,9}$/.test(cell)) return Number(cell);
  return cell === "true" ? true : cell === "false" ? false : cell;
}

function fromYaml(text: string, name: string): Device[] {
  let value: unknown;
  try {
    value = plain(readYaml(text, "", "core").value);
  } catch (error) {
    const why = issueTexts(error)[0] ?? messageOf(error);
    throw new ServiceError("Validation", `${name} is not valid YAML: ${why}`);
  }
  const read = v.safeParse(yamlFile, value);
  if (!read.success) {
    const shape = "a list of hosts or objects, or an object with `devices` and `defaults`";
    throw new ServiceError("Validation", `${name} must be ${shape}.`);
  }
  const { defaults = {}, devices } = Array.isArray(read.output) ? { devices: read.output } : read.output;
  return devices.flatMap((device, at) => {
    const fields = typeof device === "string" ? { host: device } : device;
    return devicesOf({ ...defaults, ...fields }, `${name}: device ${at + 1}`);
  });
}

/** Expands a range to one device per host. */
function devicesOf({ driver, ...fields }: Record<string, unknown>, where: string): Device[] {
  const { host, hostname, credential, ...others } = fields;
  const written = host ?? hostname;
  if (typeof written !== "string") throw new ServiceError("Validation", `${where}: there is no host.`);
  if (driver !== undefined && typeof driver !== "string")
    throw new ServiceError("Validation", `${where}: the driver must be a string.`);
  const reference = typeof credential === "string" ? readCredential(credential) : credential;
  return readHosts(written).map((address) => ({
    driver,
    fields: { ...address, ...others, ...(reference === undefined ? {} : { credential: reference }) },
  }));
}

/** Parses `env:core`, or `name:field=value,field=value` for sources with other reference fields. */
export function readCredential(text: string): Record<string, string> {
  const [, name, reference = ""] = /^([\w-]+):(.+)$/s.exec(text) ?? [];
  if (name === undefined) {
    const problem = `${JSON.stringify(text)} is not a credential: it must be name:reference, or name:field=value.`;
    throw new ServiceError("Validation", problem);
  }
  if (!/^\w+=/.test(reference)) return { name, ref: reference };
  const fields = reference.split(",").map((part) => {
    const [, field = "", value = ""] = /^(\w+)=(.*)$/s.exec(part) ?? [];
    if (field !== "") return [field, value] as const;
    throw new ServiceError(
      "Validation",
      `${JSON.stringify(text)}: ${JSON.stringify(part)} is not of the form field=value.`,
    );
  });
  return { ...Object.fromEntries(fields), name };
}
