/** A device as rows of values with their origin, and as the record to write back. */
import { expect, test } from "vitest";
import { parseExact, stringifyExact } from "../../src/base/json/exact-json.ts";
import { recordOf, valuesOf } from "../../src/console/pages/inventory/inventory-values.ts";

const device = {
  ...{ name: "sw1", port: 2222, host: "10.0.0.1", site: null, tags: ["lab", "core"], enabled: true },
  ...{ connection: { timeout: 5 }, vars: { ntp: "10.0.0.9" } },
  ...{ revision: 7, source: null, changed_at: "2026-01-31T08:00:00+00:00", facts: null },
  from: { port: "group:core", "vars.ntp": "device", "tags.core": "group:core" },
};

test("each inherited value is shown with its origin, and objects by member", () => {
  const rows = valuesOf(device).map(({ name, value, from, group }) => [name, value, from, group]);
  expect(rows).toEqual([
    ["host", "10.0.0.1", "", undefined],
    ["port", "2222", "group:core", "core"],
    ["tag 1", "lab", "", undefined],
    ["tag 2", "core", "group:core", "core"],
    ["enabled", "true", "", undefined],
    ["connection.timeout", "5", "", undefined],
    ["vars.ntp", "10.0.0.9", "device", undefined],
  ]);
});

test("editing a device shows the written fields without those that the service adds", () => {
  const { revision, source, changed_at, facts, from, site, ...written } = device;
  expect(recordOf({ ...device, source: "x" })).toEqual(written);
});

test("variables are shown and edited with the types and the order that they have", () => {
  const record = parseExact('{"name":"sw1","vars":{"v":9.0,"l":{"20":1,"10":2}}}') as Parameters<
    typeof valuesOf
  >[0];
  expect(valuesOf(record).map(({ value }) => value)).toEqual(["9.0", '{"20":1,"10":2}']);
  expect(stringifyExact(recordOf(record))).toBe(stringifyExact(record));
});
