/** Devices that answer with what never ends, what is deep, of other types or not gNMI at all; and when a push is known to have failed. */
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import {
  GetResponseSchema,
  SubscribeResponseSchema,
  type TypedValue,
  TypedValueSchema,
} from "../../../plugins/drivers/gnmi/proto/gnmi_pb.ts";
import {
  answerHead,
  type Caller,
  data,
  frame,
  type Liar,
  message,
  startLiar,
  trailers,
  types,
} from "../../device/grpc/liar.ts";
import { type Opened, openOn } from "./open.ts";

const open: Liar[] = [];
const drivers: Opened[] = [];
afterEach(async () => {
  for (const one of drivers.splice(0)) await one.close();
  for (const one of open.splice(0)) await one.stop();
});

async function driverOf(onCall: (stream: number, caller: Caller) => void): Promise<Opened> {
  const liar = await startLiar({ onCall });
  open.push(liar);
  const driver = await openOn(liar.port, { timeout: 5 });
  drivers.push(driver);
  return driver;
}
const proto = { encoding: "proto" };
const asked = async (onCall: (stream: number, caller: Caller) => void, args: object = {}) =>
  (await driverOf(onCall)).one("/a", { ...proto, ...args });

const valued = (...values: readonly (TypedValue["value"] | Uint8Array)[]) =>
  toBinary(
    GetResponseSchema,
    create(GetResponseSchema, {
      notification: [
        {
          update: values.map((value) => ({
            path: { elem: [{ name: "a" }] },
            val: { value: value instanceof Uint8Array ? { case: "jsonVal" as const, value } : value },
          })),
        },
      ],
    }),
  );
const says =
  (bytes: Uint8Array) =>
  (stream: number, { send }: Caller) => {
    send(answerHead(stream));
    const whole = message(bytes);
    for (let at = 0; at < whole.length; at += 16_000) send(data(stream, whole.subarray(at, at + 16_000)));
    send(trailers(stream, 0));
  };
const value = (...values: readonly (TypedValue["value"] | Uint8Array)[]) => asked(says(valued(...values)));

test("each type of value is data", async () => {
  expect(await value({ case: "stringVal", value: "x" })).toBe("x");
  expect(await value({ case: "intVal", value: -5n })).toBe(-5);
  expect(await value({ case: "uintVal", value: 18_446_744_073_709_551_615n })).toBe("18446744073709551615");
  expect(await value({ case: "boolVal", value: false })).toBe(false);
  expect(await value({ case: "bytesVal", value: new Uint8Array([1, 2]) })).toBe("AQI=");
  expect(await value({ case: "protoBytes", value: new Uint8Array([255]) })).toBe("/w==");
  expect(await value({ case: "doubleVal", value: 1.5 })).toBe(1.5);
  expect(await value({ case: "floatVal", value: Number.NaN })).toBe("NaN");
  expect(await value({ case: "asciiVal", value: "a\nb" })).toBe("a\nb");
  const decimal = (digits: bigint, precision: number) => ({
    ...{ $typeName: "gnmi.Decimal64" as const, digits, precision },
  });
  expect(await value({ case: "decimalVal", value: decimal(-12_345n, 2) })).toBe(-123.45);
  expect(await value({ case: "decimalVal", value: decimal(5n, 3) })).toBe(0.005);
  expect(await value({ case: "decimalVal", value: decimal(123_456_789_012_345_678n, 3) })).toBe(
    "123456789012345.678",
  );
  expect(await value({ case: "decimalVal", value: decimal(1n, 4_000_000_000) })).toBe("1e-4000000000");
  const list = [1n, 2n].map((one) => create(TypedValueSchema, { value: { case: "uintVal", value: one } }));
  expect(
    await value({ case: "leaflistVal", value: { $typeName: "gnmi.ScalarArray", element: list } }),
  ).toEqual([1, 2]);
  expect(await value(Buffer.from("")), "no value").toBeNull();
  expect(await value({ case: undefined })).toBeNull();
  // An object for each model, as some devices answer the root.
  expect(await value(Buffer.from('{"a": 1}'), Buffer.from('{"b": 2}'))).toEqual({ a: 1, b: 2 });
});

test("deep, wide and false data are refused", async () => {
  await expect(value(Buffer.from("[".repeat(40_000)))).rejects.toMatchObject({
    kind: "OutputTooLarge",
    message: expect.stringContaining("nested deeper"),
  });
  await expect(value(Buffer.from("{no json"))).rejects.toMatchObject({
    kind: "DriverError",
    message: expect.stringContaining("not JSON"),
  });
  let deep: Uint8Array = Buffer.from([0x10, 1]);
  for (let level = 0; level < 4_000; level++) deep = nested(nested(deep, 0x0a), 0x42);
  const lists = nested(nested(nested(deep, 0x1a), 0x22), 0x0a);
  for (const bytes of [lists, Buffer.from("what is this?"), Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f])])
    await expect(asked(says(bytes))).rejects.toMatchObject({
      kind: "DriverError",
      message: expect.stringContaining("no message of gNMI"),
    });
});

function nested(inside: Uint8Array, tag: number): Uint8Array {
  const length: number[] = [];
  for (let left = inside.length; ; left >>>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  return Buffer.concat([Buffer.from([tag, ...length]), inside]);
}

test("a message of 100 MB, an endless stream and floods end the job within their bounds", async () => {
  await expect(
    asked((stream, { send }) =>
      send(answerHead(stream), data(stream, message(Buffer.alloc(9), { length: 100 * 1024 * 1024 }))),
    ),
  ).rejects.toMatchObject({ kind: "OutputTooLarge" });
  const update = toBinary(
    SubscribeResponseSchema,
    create(SubscribeResponseSchema, {
      response: {
        case: "update",
        value: {
          update: Array.from({ length: 200 }, () => ({
            path: { elem: [{ name: "a" }] },
            val: { value: { case: "uintVal" as const, value: 1n } },
          })),
        },
      },
    }),
  );
  const piece = message(update);
  /** Within what the client lets it send. */
  const endless = (stream: number, { send, socket }: Caller) => {
    send(answerHead(stream));
    const timer = setInterval(() => send(data(stream, piece)), 2);
    socket.once("close", () => clearInterval(timer));
  };
  const stream = { mode: "stream", ...proto };
  // The liar answers calls whose client has said all: a subscription stays open.
  const onOpen = await startLiar({ onOpen: endless });
  open.push(onOpen);
  const subscriber = await openOn(onOpen.port, { timeout: 5 });
  drivers.push(subscriber);
  const output = await subscriber.one("/a", { ...stream, count: 1_000 });
  expect(output).toMatchObject({ ended: "count", synced: false });
  const once = subscriber.one("/a", { ...stream, mode: "once", timeout: 1 });
  await expect(once).rejects.toMatchObject({ kind: "ReadTimeout" });
  await expect(
    asked((stream, { send, flood }) => {
      send(answerHead(stream));
      flood(Buffer.concat(Array(50).fill(frame(types.ping, 0, 0, Buffer.alloc(8)))));
    }),
  ).rejects.toMatchObject({ message: expect.stringContaining("floods the connection") });
});

test("a push is known to have done nothing only where the device says so", async () => {
  const set = async (onCall: (stream: number, caller: Caller) => void) => {
    const driver = await driverOf(onCall);
    return driver.push({ update: { "/a": 1 } }, { ...proto, diff: false }).then(
      () => "done",
      (error: { detail?: { outcome?: string } }) => error.detail?.outcome,
    );
  };
  const status =
    (code: number) =>
    (stream: number, { send }: Caller) =>
      send(answerHead(stream), trailers(stream, code, "no"));
  for (const code of [3, 5, 7, 9, 10, 12, 16]) expect(await set(status(code)), String(code)).toBe("none");
  for (const code of [1, 2, 4, 8, 13, 14, 15]) expect(await set(status(code)), String(code)).toBe("unknown");
  expect(await set((_, { socket }) => void socket.destroy())).not.toBe("none");
  expect(
    await set((stream, { send }) => send(frame(types.reset, 0, stream, Buffer.from([0, 0, 0, 7])))),
  ).toBe("none");
  expect(await set(says(Buffer.from("what is this?")))).not.toBe("none");
});
