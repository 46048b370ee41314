/** A stored submission round-trips, and damage is reported as the job's own error. */
import { expect, test } from "vitest";
import { readPayload } from "../../src/api/jobs/payload.ts";

test("a stored payload is read back unchanged", () => {
  const stored = { connection: { host: "r1" }, operation: "query", commands: ["show a"], driverArgs: {} };
  expect(readPayload(JSON.stringify(stored))).toEqual(stored);
});

test("a payload that cannot be decrypted fails its job, and one of another shape is not run", () => {
  expect(() => readPayload(undefined)).toThrow(expect.objectContaining({ kind: "DriverError" }));
  expect(() => readPayload('{"operation":"reboot"}')).toThrow();
});
