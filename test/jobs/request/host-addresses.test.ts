/**
 * DNS lookups for maintenance windows: cached, with limited concurrency and a short timeout; unresolved names
 * are reported.
 */
import { expect, test } from "vitest";
import type { Resolve } from "../../../src/auth/port.ts";
import { createHostAddresses } from "../../../src/jobs/request/device/host-addresses.ts";
import type { CheckedOperation } from "../../../src/jobs/request/operation.ts";
import { createPushGate } from "../../../src/jobs/request/push-gate.ts";
import { openInventory } from "../../inventory/support.ts";
import { admin } from "../../support/requests.ts";

const webhooks = { async noteBreakGlass() {} };
const longMs = 120_000;
const fault = (code: string) => Object.assign(new Error(code), { code });

test("each host name is resolved once, with few lookups at a time", async () => {
  let [now, most, all] = [0, 0, 0];
  const addresses = createHostAddresses(async (name) => {
    all++;
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    now--;
    return [`192.0.2.${name.slice(1)}`, "2001:DB8::00"];
  });
  const names = Array.from({ length: 100 }, (_, at) => `r${at}`);
  const [first, second] = await Promise.all([addresses.among(names, longMs), addresses.among(names, longMs)]);
  expect([all, most]).toEqual([100, 16]);
  expect([first.at("192.0.2.7"), second.at("192.0.2.8"), first.at("192.0.2.200")]).toEqual([
    ["r7"],
    ["r8"],
    [],
  ]);
  expect([first.at("2001:db8::").length, first.missing]).toEqual([100, 0]);
  expect(await addresses.of("r5", longMs)).toEqual(["192.0.2.5", "2001:db8::"]);
  expect(await addresses.among(names, 0)).toBe(await addresses.among(names, 0));
  expect(all).toBe(100);
});

test("a name that does not exist has no addresses; those of a slow or failed lookup are unknown", async () => {
  const late = Promise.withResolvers<readonly string[]>();
  const addresses = createHostAddresses((name) => {
    if (name === "late") return late.promise;
    return Promise.reject(fault(name === "gone" ? "ENOTFOUND" : "EAI_AGAIN"));
  });
  expect(await addresses.of("gone", longMs)).toEqual([]);
  expect(await addresses.of("failing", longMs)).toBeUndefined();
  expect(await addresses.of("late", 0)).toBeUndefined();
  expect((await addresses.among(["gone", "failing", "late"], 0)).missing).toBe(2);
  late.resolve(["192.0.2.1"]);
  expect(await addresses.of("late", longMs)).toEqual(["192.0.2.1"]);
  expect((await addresses.among(["gone", "failing", "late"], 0)).at("192.0.2.1")).toEqual(["late"]);
});

test("a push is accepted with a warning if failed lookups leave its maintenance window unknown", async () => {
  const { inventory } = await openInventory();
  const groups = [{ name: "core", window: ["daily 12:00-12:01"] }];
  await inventory.apply({ groups, devices: [{ name: "d1", host: "r1", group: "core" }] }, {}, admin);
  const clock = { wall: () => Date.parse("2027-03-10T01:00:00Z") };
  const lookedUp: string[] = [];
  async function warningsOf(resolve: Resolve, host: string, more: object = {}): Promise<readonly string[]> {
    const addresses = createHostAddresses((name) => {
      lookedUp.push(name);
      return resolve(name);
    });
    const operation = { operation: "config", host, warnings: [], ttlMs: 1_000, payload: {} };
    const hosts = [{ path: "connection_args.host", host, ...more }];
    // Only these members are used.
    const checked = { ok: true, operation, hosts } as unknown as CheckedOperation;
    const restricted = await createPushGate(
      { inventory, store: { clock, webhooks }, iso: String, addresses },
      { caller: admin, change: false },
    )(checked);
    return restricted.ok ? restricted.operation.warnings : ["refused"];
  }
  const failingLookup = () => Promise.reject(fault("EAI_AGAIN"));
  expect(await warningsOf(failingLookup, "192.0.2.9")).toEqual([
    expect.stringMatching(/names of 1 devices .*could not/),
  ]);
  expect(await warningsOf(failingLookup, "r9")).toEqual([
    expect.stringMatching(/its name was not resolved in time/),
  ]);
  const none = () => Promise.reject(fault("ENOTFOUND"));
  expect(await warningsOf(none, "192.0.2.9")).toEqual([]);
  expect(await warningsOf(none, "r9")).toEqual([]);
  lookedUp.splice(0);
  // A jump host resolves names itself, so the result is unknown here; inventory devices need no lookup.
  expect(await warningsOf(none, "r9", { remote: true })).toEqual([]);
  expect(await warningsOf(none, "r1")).toEqual([expect.stringMatching(/held until/)]);
  expect(lookedUp).toEqual([]);
  expect(await warningsOf(async () => ["192.0.2.9"], "192.0.2.9")).toEqual([
    expect.stringMatching(/held until/),
  ]);
});
