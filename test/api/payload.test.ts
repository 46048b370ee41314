/** A stored submission round-trips, and damage is reported as the job's own error. */
import { expect, test } from "vitest";
import { readPayload, readWebhookContent } from "../../src/api/jobs/payload.ts";

test("a stored payload is read back unchanged", () => {
  const stored = { connection: { host: "r1" }, operation: "query", commands: ["show a"], driverArgs: {} };
  expect(readPayload(JSON.stringify(stored))).toEqual(stored);
});

test("a payload that cannot be decrypted fails its job, and one of another shape is not run", () => {
  expect(() => readPayload(undefined)).toThrow(expect.objectContaining({ kind: "DriverError" }));
  expect(() => readPayload('{"operation":"reboot"}')).toThrow();
});

test("a stored webhook is read back with its plan; a plan without intervals is rejected", () => {
  const plan = { retries: 3, intervals: [10], timeout: 5, includeResult: true };
  const stored = { webhook: "basic", options: { url: "https://h/x" }, plan, command: ["show a"] };
  expect(readWebhookContent(JSON.stringify(stored))).toEqual(stored);
  expect(() => readWebhookContent(JSON.stringify({ ...stored, plan: { ...plan, intervals: [] } }))).toThrow();
});
