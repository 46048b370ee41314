/** Values as devices send them, as data; and data as values. */
import { create } from "@bufbuild/protobuf";
import { isRecord, PluginError } from "patchbay/plugin";
import { readDeviceJson } from "../shared/device-json.ts";
import { Encoding, type TypedValue, TypedValueSchema, type Update } from "./proto/gnmi_pb.ts";

export type EncodingName = "json_ietf" | "json" | "ascii" | "bytes" | "proto";

export const encodings: Readonly<Record<EncodingName, Encoding>> = {
  json_ietf: Encoding.JSON_IETF,
  json: Encoding.JSON,
  ascii: Encoding.ASCII,
  bytes: Encoding.BYTES,
  proto: Encoding.PROTO,
};

export const encodingName = (encoding: Encoding): string =>
  Object.entries(encodings).find(([, value]) => value === encoding)?.[0] ?? String(encoding);

/** @throws PluginError OutputTooLarge, DriverError: it is not what its type says */
export function dataOfUpdate({ val, value }: Update): unknown {
  if (val !== undefined) return dataOf(val);
  // Servers of version 0.2 and before.
  if (value === undefined) return null;
  return value.type === Encoding.JSON || value.type === Encoding.JSON_IETF
    ? jsonOf(value.value)
    : base64(value.value);
}

function dataOf({ value }: TypedValue): unknown {
  switch (value.case) {
    case "stringVal":
    case "asciiVal":
    case "boolVal":
      return value.value;
    case "intVal":
    case "uintVal":
      return wholeNumber(value.value);
    case "floatVal":
    case "doubleVal":
      return Number.isFinite(value.value) ? value.value : String(value.value);
    case "decimalVal":
      return decimal(value.value.digits, value.value.precision);
    case "leaflistVal":
      return value.value.element.map(dataOf);
    case "jsonVal":
    case "jsonIetfVal":
      return jsonOf(value.value);
    case "bytesVal":
    case "protoBytes":
      return base64(value.value);
    case "anyVal":
      return { type: value.value.typeUrl, value: base64(value.value.value) };
    default:
      return null;
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
/** Beyond 2^53 a number of JSON loses digits. */
const wholeNumber = (value: bigint) =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : String(value);

/** Digits behind the point that YANG allows. */
const mostFraction = 18;

function decimal(digits: bigint, precision: number): number | string {
  if (precision > mostFraction) return `${digits}e-${precision}`;
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits).padStart(precision + 1, "0");
  const point = text.length - precision;
  const plain = precision === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
  const number = Number(`${sign}${plain}`);
  return text.length <= 15 ? number : `${sign}${plain}`;
}

function jsonOf(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString("utf8");
  if (text === "") return null;
  try {
    return readDeviceJson(text);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw new PluginError("DriverError", "The device sent a value that is not JSON, and says that it is.", {
      output: text.slice(0, 2_000),
    });
  }
}

/** @param text what `json` would send: exact, as the caller wrote it. @throws PluginError DriverError */
export function typedOf(data: unknown, text: string, encoding: EncodingName): TypedValue {
  const bytes = () => new Uint8Array(Buffer.from(text));
  switch (encoding) {
    case "json":
      return create(TypedValueSchema, { value: { case: "jsonVal", value: bytes() } });
    case "json_ietf":
      return create(TypedValueSchema, { value: { case: "jsonIetfVal", value: bytes() } });
    case "ascii":
      return create(TypedValueSchema, {
        value: { case: "asciiVal", value: typeof data === "string" ? data : text },
      });
    default:
      return scalar(data);
  }
}

function scalar(data: unknown): TypedValue {
  const made = (value: TypedValue["value"]) => create(TypedValueSchema, { value });
  if (typeof data === "string") return made({ case: "stringVal", value: data });
  if (typeof data === "boolean") return made({ case: "boolVal", value: data });
  if (typeof data === "bigint" || Number.isSafeInteger(data)) {
    const whole = typeof data === "bigint" ? data : BigInt(Number(data));
    return made(whole < 0n ? { case: "intVal", value: whole } : { case: "uintVal", value: whole });
  }
  if (typeof data === "number") return made({ case: "doubleVal", value: data });
  if (Array.isArray(data) && !data.some((one) => isRecord(one) || Array.isArray(one) || one === null))
    return create(TypedValueSchema, {
      value: { case: "leaflistVal", value: { element: data.map(scalar) } },
    });
  throw new PluginError(
    "DriverError",
    "config: with the encoding proto, values are texts, numbers, booleans, or lists of them.",
    { outcome: "none" },
  );
}
