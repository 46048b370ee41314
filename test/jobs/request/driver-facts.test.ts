/** What the service asks a driver about a request, and what it makes of answers that break the contract. */
import { defineDriver, v } from "patchbay/plugin";
import { expect, test } from "vitest";
import type { Payload } from "../../../src/api/jobs/request.ts";
import { faultsOf, repeatable } from "../../../src/jobs/request/device/driver-facts.ts";

const driver = defineDriver({
  name: "acme",
  connection: v.object({ host: v.string() }),
  query: v.object({}),
  strategy: "fifo",
  target: ({ host }) => ({ host, port: 1 }),
  open: async () => ({ query: async () => "" }),
});

const push = { operation: "config", connection: {}, driverArgs: {} } as const;

test("a promise for an answer makes no query repeatable, and nothing a push", () => {
  const careless = Object.assign({ ...driver }, { repeatable: async () => false });
  const ask: Payload = { ...push, operation: "query", commands: ["show"] };
  expect(repeatable(careless, ask, {})).toBe(false);
  expect(repeatable({ ...driver, repeatable: () => true }, ask, {})).toBe(true);
  expect(repeatable({ ...driver, repeatable: () => true }, push, {})).toBe(false);
});

test("faults that are no list, or no objects, are not lost", () => {
  const text = Object.assign({ ...driver }, { check: () => ["not in this mode"] });
  expect(faultsOf(text, ["show"], {})).toEqual([{ path: "", message: "not in this mode" }]);
  const none = Object.assign({ ...driver }, { check: () => "no" });
  expect(() => faultsOf(none, ["show"], {})).toThrow(
    "The driver acme failed in `check`: it returned no list",
  );
});
