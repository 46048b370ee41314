/** Messages of gNMI as the simulated device reads and makes them. */
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  Encoding,
  type Extension,
  type Notification,
  NotificationSchema,
  type Path,
  type TypedValue,
  TypedValueSchema,
  type Update,
} from "../../../../../plugins/drivers/gnmi/proto/gnmi_pb.ts";
import { messageOf } from "../../../../base/errors.ts";
import { type Found, jsonOf, leavesOf, Refusal, type Step, type Wanted, withModules } from "./tree.ts";

export const encodings = [Encoding.JSON, Encoding.JSON_IETF, Encoding.PROTO];

export const now = () => BigInt(Date.now()) * 1_000_000n;

export function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

export function parsed<Schema extends DescMessage>(
  schema: Schema,
  message: Uint8Array,
): MessageShape<Schema> {
  try {
    return fromBinary(schema, message);
  } catch (error) {
    throw new Refusal(3, messageOf(error));
  }
}

export function bytesOf<Schema extends DescMessage>(
  schema: Schema,
  message: Parameters<typeof create<Schema>>[1],
): Uint8Array {
  return toBinary(schema, create(schema, message));
}

/** An extension without a known member came as one that is not known here. */
export function requireKnown(extensions: readonly Extension[]): void {
  if (extensions.some(({ ext }) => ext.case === undefined || ext.case === "depth"))
    throw new Refusal(12, "there is no such extension");
}

export function requireEncoding(encoding: Encoding): void {
  if (!encodings.includes(encoding)) throw new Refusal(12, "there is no such encoding");
}

export function stepsOf(path: Path | undefined): readonly Step[] {
  if (path === undefined) return [];
  if (!["", "openconfig"].includes(path.origin)) throw new Refusal(12, `there is no origin ${path.origin}`);
  return path.elem.map(({ name, key }) => ({ name, key }));
}

export const pathOf = (steps: readonly Step[]): Path => ({
  $typeName: "gnmi.Path",
  element: [],
  origin: "",
  target: "",
  elem: steps.map(({ name, key }) => ({ $typeName: "gnmi.PathElem", name, key: { ...key } })),
});

export const textOf = (steps: readonly Step[]): string =>
  steps
    .map(
      ({ name, key }) =>
        `/${name}${Object.entries(key)
          .map(([of, value]) => `[${of}=${value}]`)
          .join("")}`,
    )
    .join("");

export const notify = (update: Update[]): Notification =>
  create(NotificationSchema, { timestamp: now(), update });

export const updateOf = (path: readonly Step[], val: TypedValue): Update => ({
  ...{ $typeName: "gnmi.Update", path: pathOf(path), val, duplicates: 0 },
});

export function updatesOf(
  found: Found,
  encoding: Encoding,
  wanted: Wanted,
  asked: readonly Step[],
): Update[] {
  const json = jsonOf(
    found,
    wanted,
    found.path.some(({ name }) => name === "state"),
  );
  if (json === undefined) return [];
  if (encoding === Encoding.PROTO)
    return leavesOf(found).map(({ path, value }) => updateOf(path, scalar(value)));
  const named = asked.length === 0 && encoding === Encoding.JSON_IETF ? withModules(json) : json;
  return [updateOf(found.path, jsonValue(named, encoding))];
}

function jsonValue(json: unknown, encoding: Encoding): TypedValue {
  const value = new TextEncoder().encode(JSON.stringify(json));
  return create(TypedValueSchema, {
    value: encoding === Encoding.JSON ? { case: "jsonVal", value } : { case: "jsonIetfVal", value },
  });
}

export const leafValue = (value: string | number | boolean, encoding: Encoding): TypedValue =>
  encoding === Encoding.PROTO ? scalar(value) : jsonValue(value, encoding);

function scalar(value: string | number | boolean): TypedValue {
  if (typeof value === "string") return create(TypedValueSchema, { value: { case: "stringVal", value } });
  if (typeof value === "boolean") return create(TypedValueSchema, { value: { case: "boolVal", value } });
  return create(TypedValueSchema, { value: { case: "uintVal", value: BigInt(value) } });
}

/** What a client sent as a value. */
export function jsonIn(val: TypedValue | undefined): unknown {
  const value = val?.value;
  switch (value?.case) {
    case "jsonVal":
    case "jsonIetfVal":
      try {
        return JSON.parse(new TextDecoder().decode(value.value));
      } catch {
        throw new Refusal(3, "the value is not JSON");
      }
    case "stringVal":
    case "boolVal":
      return value.value;
    case "uintVal":
    case "intVal":
      return Number(value.value);
    default:
      throw new Refusal(12, "there is no such encoding");
  }
}
