import { expect, test } from "vitest";
import { createByteBuffer } from "../../../src/base/net/byte-buffer.ts";

test("a byte buffer returns all added bytes in order, once", () => {
  const pieces = createByteBuffer();
  const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 251));
  for (let at = 0; at < bytes.length; at++) pieces.add(bytes.subarray(at, at + 1));
  pieces.add(Buffer.alloc(0));
  expect(pieces.take()).toEqual(bytes);
  expect(pieces.take()).toHaveLength(0);
});

test("a byte buffer does not keep the source chunks of many small pieces", () => {
  const pieces = createByteBuffer();
  const source = Buffer.alloc(2_000, "a");
  for (let at = 0; at < source.length; at++) pieces.add(source.subarray(at, at + 1));
  source.fill("b");
  expect(pieces.take().indexOf("b")).toBeGreaterThan(1_000);
});
