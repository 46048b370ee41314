/** What the service asks a driver about a request, and what it makes of answers that break the contract. */
import { defineDriver, v } from "patchbay/plugin";
import { expect, test } from "vitest";
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

test("a promise for an answer does not make a push repeatable", () => {
  const careless = Object.assign({ ...driver }, { repeatable: async () => false });
  expect(repeatable(careless, push, {})).toBe(false);
  expect(repeatable({ ...driver, repeatable: () => true }, push, {})).toBe(true);
});

test("faults that are no list, or no objects, are not lost", () => {
  const text = Object.assign({ ...driver }, { check: () => ["not in this mode"] });
  expect(faultsOf(text, ["show"], {})).toEqual([{ path: "", message: "not in this mode" }]);
  const none = Object.assign({ ...driver }, { check: () => "no" });
  expect(() => faultsOf(none, ["show"], {})).toThrow(
    "The driver acme failed in `check`: it returned no list",
  );
});
