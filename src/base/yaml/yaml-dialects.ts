/** What a plain scalar of YAML means to the tools that read it: each reads another dialect. */
import { type ExactNumber, exactFloat, exactNumber } from "../json/exact-json.ts";

/**
 * `pyyaml`: YAML 1.1 as PyYAML reads it, with the tags of Ansible. `ruamel`: YAML 1.2 as ruamel.yaml reads it. `core`: the core schema of YAML
 * 1.2, for Patchbay's own files.
 */
export const yamlDialects = ["pyyaml", "ruamel", "core"] as const;
export type YamlDialect = (typeof yamlDialects)[number];

export interface YamlWarning {
  readonly line: number;
  /** What a value cannot hold: `a date became text`. */
  readonly message: string;
}

export interface ReadYaml {
  readonly value: unknown;
  readonly warnings: readonly YamlWarning[];
  /** The line of a node, from 1. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

/** Stands for a value encrypted by Ansible Vault. */
export const vaulted = Symbol("vault");

export type ScalarKind = "null" | "bool" | "int" | "float" | "timestamp" | "merge" | "value" | "text";

export interface ReadScalar {
  readonly value: null | boolean | number | ExactNumber | string;
  /** What the value cannot hold, for a warning: `a date became text`. */
  readonly lost?: string;
}

interface Rules {
  readonly name: string;
  /** In order; the first match decides. */
  readonly kinds: readonly (readonly [ScalarKind, RegExp])[];
  /** Whether a leading zero means octal, and colons base 60. */
  readonly is11: boolean;
  /** Times with an offset become UTC without one. */
  readonly toUtc: boolean;
  /** Whether the last of equal keys wins, with a warning; else they are an error. */
  readonly lastKeyWins: boolean;
  /** Whether `!vault` and `!unsafe` are known. */
  readonly ansibleTags: boolean;
}

const nothing = /^(?:~|null|Null|NULL|)$/;
const merge = /^<<$/;
const timestamp =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/;

export const yamlRules: Readonly<Record<YamlDialect, Rules>> = {
  pyyaml: {
    name: "YAML 1.1, as Ansible reads it",
    kinds: [
      ["null", nothing],
      ["bool", /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/],
      [
        "int",
        /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][\d_]*)|[-+]?0x[\da-fA-F_]+|[-+]?[1-9][\d_]*(?::[0-5]?\d)+)$/,
      ],
      [
        "float",
        /^(?:[-+]?\d[\d_]*\.[\d_]*(?:[eE][-+]\d+)?|\.\d[\d_]*(?:[eE][-+]\d+)?|[-+]?\d[\d_]*(?::[0-5]?\d)+\.[\d_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
      ],
      ["timestamp", timestamp],
      ["merge", merge],
      ["value", /^=$/],
    ],
    is11: true,
    toUtc: false,
    lastKeyWins: true,
    ansibleTags: true,
  },
  ruamel: {
    name: "YAML 1.2, as Nornir reads it",
    kinds: [
      ["null", nothing],
      ["bool", /^(?:true|True|TRUE|false|False|FALSE)$/],
      ["int", /^(?:[-+]?0b[01_]+|[-+]?0o?[0-7_]+|[-+][\d_]+|\d[\d_]*|[-+]?0x[\da-fA-F_]+)$/],
      [
        "float",
        /^(?:[-+]?\d[\d_]*\.[\d_]*(?:[eE][-+]?\d+)?|[-+]?\d[\d_]*[eE][-+]?\d+|[-+]?\.[\d_]+(?:[eE][-+]\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
      ],
      ["timestamp", timestamp],
      ["merge", merge],
      ["value", /^=$/],
    ],
    is11: false,
    toUtc: true,
    lastKeyWins: false,
    ansibleTags: false,
  },
  core: {
    name: "YAML 1.2",
    kinds: [
      ["null", nothing],
      ["bool", /^(?:true|True|TRUE|false|False|FALSE)$/],
      ["int", /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+)$/],
      [
        "float",
        /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
      ],
      ["merge", merge],
    ],
    is11: false,
    toUtc: false,
    lastKeyWins: false,
    ansibleTags: false,
  },
};

/** @param text a scalar without quotes. */
export function kindOfScalar(text: string, dialect: YamlDialect): ScalarKind {
  return yamlRules[dialect].kinds.find(([, pattern]) => pattern.test(text))?.[0] ?? "text";
}

/** @returns undefined if the text is no value of that kind: a 13th month, `0x` without digits. */
export function readScalar(text: string, kind: ScalarKind, dialect: YamlDialect): ReadScalar | undefined {
  switch (kind) {
    case "null":
      return { value: null };
    case "bool":
      return boolOf(text);
    case "int":
      return intOf(text.replaceAll("_", ""), dialect);
    case "float":
      return floatOf(text.replaceAll("_", "").toLowerCase());
    case "timestamp":
      return timestampOf(text, yamlRules[dialect].toUtc);
    default:
      return { value: text };
  }
}

function boolOf(text: string): ReadScalar | undefined {
  if (/^(?:yes|true|on)$/i.test(text)) return { value: true };
  return /^(?:no|false|off)$/i.test(text) ? { value: false } : undefined;
}

function intOf(text: string, dialect: YamlDialect): ReadScalar | undefined {
  const [, sign, digits = ""] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  const value = magnitudeOf(digits, yamlRules[dialect].is11);
  if (value === undefined) return undefined;
  return { value: exactNumber(String(sign === "-" ? -value : value)) };
}

function magnitudeOf(digits: string, is11: boolean): bigint | undefined {
  if (/^0b[01]+$/.test(digits) || /^0x[\da-f]+$/i.test(digits) || /^0o[0-7]+$/.test(digits))
    return BigInt(digits);
  if (is11 && /^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
  if (/^\d+$/.test(digits)) return BigInt(digits);
  if (!is11 || !/^\d+(?::\d+)+$/.test(digits)) return undefined;
  return digits.split(":").reduce((total, part) => total * 60n + BigInt(part), 0n);
}

function floatOf(text: string): ReadScalar | undefined {
  const [, sign, digits = ""] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (digits === ".nan") return { value: "nan", lost: notFinite };
  const value =
    digits === ".inf"
      ? Number.POSITIVE_INFINITY
      : digits.includes(":")
        ? digits.split(":").reduce((total, part) => total * 60 + Number(part), 0)
        : Number(digits);
  return Number.isNaN(value) ? undefined : finite(sign === "-" ? -value : value);
}

const notFinite = "a number that JSON does not have became text";

/** A float as a value: infinity becomes the text that Python prints. */
export function finite(value: number): ReadScalar {
  if (Number.isFinite(value)) return { value: exactFloat(value) };
  return { value: Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf", lost: notFinite };
}

const parts =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|([-+])(\d\d?)(?::(\d\d))?))?)?$/;

/** The text that Python prints for a date, or for a date with a time. */
function timestampOf(text: string, toUtc: boolean): ReadScalar | undefined {
  const match = parts.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year = "",
    month = "",
    day = "",
    hour,
    minute = "",
    second = "",
    fraction = "",
    zone,
    sign,
    ...offset
  ] = match;
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const ms = Date.parse(`${date}T00:00:00Z`);
  if (year === "0000" || Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date)
    return undefined;
  if (hour === undefined) return { value: date, lost: "a date became text" };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const [zoneHours = "0", zoneMinutes = "0"] = offset;
  const minutes = (sign === "-" ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes));
  const clock = `${hour.padStart(2, "0")}:${minute}:${second}`;
  const micros = fraction.slice(0, 6).padEnd(6, "0");
  const tail = Number(micros) === 0 ? "" : `.${micros}`;
  const lost = "a date with a time became text";
  if (!toUtc) return { value: `${date} ${clock}${tail}${zone === undefined ? "" : zoneText(minutes)}`, lost };
  const utc = new Date(Date.parse(`${date}T${clock}Z`) - minutes * 60_000).toISOString();
  return { value: `${utc.slice(0, 10)} ${utc.slice(11, 19)}${tail}`, lost };
}

function zoneText(minutes: number): string {
  const total = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(total / 60))}:${two(total % 60)}`;
}

/** @param bytes as Python's `repr` prints them. */
export function pythonBytes(bytes: Uint8Array): string {
  const names: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\" };
  const quote = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'";
  let text = "";
  for (const byte of bytes) {
    const sign = String.fromCharCode(byte);
    if (names[byte] !== undefined) text += names[byte];
    else if (sign === quote) text += `\\${sign}`;
    else text += byte < 32 || byte > 126 ? `\\x${byte.toString(16).padStart(2, "0")}` : sign;
  }
  return `b${quote}${text}${quote}`;
}
