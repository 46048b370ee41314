/**
 * The stored part of a bulk contains no device's secret, however many devices have their own and however long
 * the work takes.
 */
import { expect, test } from "vitest";
import { createRawMembers } from "../../../src/base/json/raw-members.ts";
import { createMasker } from "../../../src/base/secrets/mask.ts";
import type { ExpandedBulk } from "../../../src/jobs/bulk/bulk-selection.ts";
import type { Operation } from "../../../src/jobs/request/operation.ts";
import { createKeptBulk } from "../../../src/jobs/retry/kept-bulk.ts";

const lines = Array.from({ length: 4_000 }, (_, n) => `interface Loopback${n} of a long configuration`);
const devices = Array.from({ length: 500 }, (_, n) => ({ host: `r${n}`, password: `canary-of-${n}-x` }));

function operationOf(secret: string): Operation {
  const payload = { connection: { host: "r", password: secret }, driverArgs: {} };
  return { driver: "netmiko", payload, secrets: [secret], masker: createMasker([secret]) } as never;
}

function keptOf(config: readonly string[]) {
  const request = { driver: "netmiko", connection_args: {}, config, devices } as never as ExpandedBulk;
  const keeper = createKeptBulk(request, createRawMembers(JSON.stringify(request)), false);
  for (const [index, device] of devices.entries())
    keeper.add(`job${index}`, device, index, operationOf(device.password));
  return keeper.end();
}

test("the request of a bulk with 200 KB of config and many passwords is kept for a retry", () => {
  const { bulk, jobs } = keptOf(lines);
  expect(JSON.parse(bulk ?? "null")).toEqual({
    missing: [],
    request: { driver: "netmiko", connection_args: {}, config: lines, options: {} },
  });
  expect(jobs.size).toBe(500);
  expect(JSON.stringify([...jobs])).not.toContain("canary");
});

test("a config line with a password of any device is left out of the kept request, its path noted", () => {
  const { bulk } = keptOf([...lines, "username ops secret canary-of-371-x"]);
  expect(bulk).not.toContain("canary");
  expect(JSON.parse(bulk ?? "null")).toMatchObject({ missing: [["config", 4_000]] });
});
