/** Inventory devices in requests: the origin of their fields; selected once, recorded, and reused on retry. */
import * as v from "valibot";
import { beforeAll, describe, expect, test } from "vitest";
import type { Caller } from "../../../src/auth/port.ts";
import { signal } from "../../support/node.ts";
import { plainRegistry } from "../../support/plugins.ts";
import { admin, bodyOf } from "../../support/requests.ts";
import { useNode } from "../support.ts";

const node = useNode({ plugins: withCredentials() });
const limited: Caller = { ...admin, keyId: "k2", name: "limited", hosts: ["10.1.*"] };
const work = { command: "show clock" };
const secrets = { connection_args: { password: "canary-own" } };
const login = { connection_args: { username: "me", password: "canary-own" } };

function withCredentials() {
  const registry = plainRegistry();
  const reference = v.object({ name: v.string(), ref: v.string() });
  const load = () => Promise.reject(new Error("not here"));
  registry.add({ api: 1, kind: "credential", name: "env", reference, load }, "builtin");
  return registry;
}

beforeAll(async () => {
  const credential = { name: "env", ref: "LAB" };
  const groups = [
    { name: "core", driver: "netmiko", platform: "cisco_ios", port: 2200, credential, vars: { ntp: "a" } },
    { name: "servers", driver: "paramiko", connection: { username: "deploy", device_type: "x", nobody: 1 } },
  ];
  const devices = [
    { name: "r2", host: "10.1.0.2", group: "core", tags: ["lab"], vars: { rack: 2.5 } },
    { name: "r1", host: "10.1.0.1", group: "core" },
    { name: "r3", host: "10.9.0.3", group: "core", tags: ["lab"] },
    { name: "s1", host: "10.1.0.9", group: "servers" },
    { name: "bare", host: "10.1.0.50" },
    { name: "odd", host: "10.1.0.60", driver: "telex" },
  ];
  await node().inventory.apply({ devices, groups }, {}, admin);
});

async function hostsOf(request: object, caller: Caller = admin): Promise<string[]> {
  const { bulk_id } = await node().bulk({ ...work, ...request }, caller);
  const jobs = await node().store.jobs.page({ bulkId: bulk_id }, 100);
  return jobs.sort((a, b) => a.seq - b.seq).map(({ host }) => host);
}

async function refusal(doing: Promise<unknown>): Promise<{ path: string; message: string }[]> {
  const error = await doing.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error?.kind).toBe("Validation");
  return error.detail.issues;
}

async function payloadOf(id: string): Promise<Record<string, unknown>> {
  const [kept] = await node().store.kept.jobs({ ids: [id] }, 1);
  return JSON.parse(kept?.retryRequest ?? "{}");
}

describe("a bulk with a selector", () => {
  test("targets the selected devices by name, and records selector and inventory revision", async () => {
    const answer = await node().bulk({ ...work, select: "group:core", label: "by selector" });
    const jobs = await node().store.jobs.page({ bulkId: answer.bulk_id }, 10);
    expect(jobs.map(({ device, host }) => [device, host]).reverse()).toEqual([
      ["r1", "10.1.0.1"],
      ["r2", "10.1.0.2"],
      ["r3", "10.9.0.3"],
    ]);
    const record = await node().jobs.bulkRecord(answer.bulk_id, admin);
    const { revision } = await node().inventory.snapshot();
    expect(record).toMatchObject({ driver: "netmiko", select: "group:core", inventory_revision: revision });
    const found = await node().jobs.page({ device: "r3" }, admin, { limit: 10 });
    for await (const page of found.pieces) expect(page).toMatchObject([{ device: "r3", host: "10.9.0.3" }]);
  });

  test("can be narrowed by limit, order and sample, and combined with entries", async () => {
    expect(await hostsOf({ select: "group:core", limit: 2 })).toEqual(["10.1.0.1", "10.1.0.2"]);
    expect(await hostsOf({ select: "group:core", order: "host", limit: 1 })).toEqual(["10.1.0.1"]);
    const sample = await hostsOf({ select: "group:core", sample: 2 });
    expect(new Set(sample).size).toBe(2);
    const devices = [
      { device: "R2", port: 22 },
      { host: "192.0.2.1", device_type: "cisco_ios" },
    ];
    const beside = await hostsOf({ driver: "netmiko", devices, select: "tag:lab" });
    expect(beside).toEqual(["10.1.0.2", "192.0.2.1", "10.9.0.3"]);
  });

  test("merges inventory, shared and entry fields in that order; a login is not mixed", async () => {
    const kept = async (request: object) => {
      const { succeeded } = await node().bulk({ ...work, ...request });
      const { request: own } = await payloadOf(succeeded[0]?.id ?? "");
      return v.parse(v.looseObject({ connection_args: v.looseObject({}) }), own).connection_args;
    };
    const from = { host: "10.1.0.1", device_type: "cisco_ios" };
    const credential = { name: "env", ref: "LAB" };
    expect(await kept({ devices: [{ device: "r1" }] })).toEqual({ ...from, port: 2200, credential });
    const shared = { connection_args: { port: 1, username: "me", password: "canary" } };
    expect(await kept({ ...shared, devices: [{ device: "r1" }] })).toEqual(from);
    expect(await kept({ ...shared, devices: [{ device: "r1", port: 7 }] })).toEqual({ ...from, port: 7 });
    // Defaults unknown to a driver are meant for others.
    const server = { host: "10.1.0.9", username: "deploy", device_type: "x" };
    expect(await kept({ devices: [{ device: "s1" }] })).toEqual(server);
  });

  test('over several drivers is "mixed"; a device without a valid driver fails alone', async () => {
    const answer = await node().bulk({ ...work, select: "name:r1,s1,bare,odd" });
    expect(answer.succeeded).toHaveLength(2);
    expect(answer.failed_jobs.map(({ host, reason }) => [host, reason])).toEqual([
      ["10.1.0.50", expect.stringMatching(/^driver: is required: the device bare has none/)],
      ["10.1.0.60", expect.stringMatching(/^driver: There is no driver "telex"/)],
    ]);
    expect(await node().jobs.bulkRecord(answer.bulk_id, admin)).toMatchObject({ driver: "mixed" });
  });

  test.each([
    [{ select: "colour:red" }, "select", /no field "colour"/],
    [{ select: "name:nobody" }, "select", /matches no inventory device/],
    [{ select: "" }, "select", /is empty/],
    [{}, "driver", /is required/],
    [{ driver: "netmiko" }, "devices", /or a selector/],
    [{ driver: "netmiko", devices: [{ host: "h" }], limit: 3 }, "limit", /applies to `select`/],
    [{ select: "all", connection_args: { host: "10.1.0.1" } }, "connection_args.host", /has its own host/],
  ])("is rejected as a whole if the selection is invalid (%#)", async (request, path, message) => {
    const issues = await refusal(node().bulk({ ...work, ...request }));
    expect(issues).toContainEqual(expect.objectContaining({ path, message: expect.stringMatching(message) }));
  });

  test("fails entries with an unknown device, or with a device and another host", async () => {
    const devices = [{ device: "r1", host: "10.1.0.2" }, { device: "nobody" }, { device: 7 }];
    const { failed_jobs } = await node().bulk({ ...work, driver: "netmiko", devices });
    expect(failed_jobs.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("devices.0.host: cannot be combined"),
      expect.stringContaining('devices.1.device: There is no device "nobody"'),
      expect.stringContaining('devices.2.device: There is no device "7"'),
    ]);
  });
});

describe("the selection of a bulk", () => {
  test("is repeated if the inventory changes before the jobs are written", async () => {
    const { jobs } = node().store;
    const insert = jobs.insert;
    let tries = 0;
    jobs.insert = async (...given) => {
      if (++tries === 1)
        await node().inventory.apply(
          { devices: [{ name: "r4", host: "10.1.0.4", tags: ["new"] }] },
          {},
          admin,
        );
      return insert(...given);
    };
    try {
      const hosts = await hostsOf({
        driver: "netmiko",
        select: "group:core or tag:new",
        connection_args: { device_type: "cisco_ios" },
      });
      expect([tries, hosts]).toEqual([2, ["10.1.0.1", "10.1.0.2", "10.9.0.3", "10.1.0.4"]]);
    } finally {
      jobs.insert = insert;
    }
  });

  test("is not repeated for a repeated Idempotency-Key", async () => {
    const body = bodyOf({ ...work, select: "group:core" });
    const first = await node().jobs.bulk(body, admin, "once");
    await node().inventory.apply({ devices: [{ name: "r5", host: "10.1.0.5", group: "core" }] }, {}, admin);
    expect(await node().jobs.bulk(body, admin, "once")).toEqual(first);
    expect(first.succeeded).toHaveLength(3);
    await node().inventory.remove("device", "r5", admin, undefined);
  });

  test("fails as Unavailable if the inventory keeps changing", async () => {
    const { jobs } = node().store;
    const insert = jobs.insert;
    jobs.insert = async () => "stale";
    try {
      await expect(node().bulk({ ...work, select: "group:core" })).rejects.toMatchObject({
        kind: "Unavailable",
      });
    } finally {
      jobs.insert = insert;
    }
    expect(node().backlog.total()).toBeGreaterThanOrEqual(0);
  });

  test("is not repeated by a retry, whatever the inventory says by then", async () => {
    const { bulk_id } = await node().bulk({ ...login, command: "fail CommandError", select: "name:r1,s1" });
    await node().jobs.waitForBulk(bulk_id, 100_000, signal);
    const old = await node().store.jobs.page({ bulkId: bulk_id }, 10);
    const moved = [
      { name: "r1", host: "10.1.0.77", driver: "paramiko" },
      { name: "s1", enabled: false },
    ];
    await node().inventory.apply({ devices: moved }, {}, admin);
    const before = old.map(({ device, host, driver }) => ({ device, host, driver })).reverse();
    expect(before.map(({ device }) => device)).toEqual(["r1", "s1"]);
    const again = await node().jobs.retryBulk(bulk_id, bodyOf(secrets), admin);
    expect((await node().store.jobs.page({ bulkId: again.bulk_id }, 10)).reverse()).toMatchObject(before);
    const single = await node().jobs.retryJob(old[1]?.id ?? "", bodyOf(secrets), admin);
    expect(await node().store.jobs.find(single.id)).toMatchObject(before[0] ?? {});
    const back = { name: "r1", host: "10.1.0.1", driver: null };
    await node().inventory.apply({ devices: [back, { name: "s1", enabled: true }] }, {}, admin);
  });
});

describe("a device given by name", () => {
  test("can be queried, tested and used in a template", async () => {
    const id = await node().submit({ ...work, ...login, device: "R1" });
    expect(await node().ended(id)).toMatchObject({ device: "r1", host: "10.1.0.1", driver: "netmiko" });
    const tested = await node().jobs.testConnection(bodyOf({ ...login, device: "r2" }), admin, signal);
    expect(tested).toMatchObject({ success: true, device_info: { host: "10.1.0.2" } });
    const request = { template: "x", device: "r2", context: { vars: 2.0, b: 1 } };
    const text = `${JSON.stringify(request).slice(0, -2)},"c":1.50}}`;
    const body = { text, value: JSON.parse(text) };
    const rendered = await node().jobs.render(body, undefined, admin, signal);
    expect(rendered.text).toMatch(
      /^x \{"vars":2,"b":1,"c":1\.50,"device":\{"name":"r2","host":"10\.1\.0\.2"/,
    );
    expect(rendered.text).toContain('"group":{"name":"core","description":null}}');
  });

  test("has its variables in templates rendered for it", async () => {
    const rendering = { name: "jinja2", template: "ntp" };
    const id = await node().submit({ ...login, device: "r2", config: {}, rendering });
    await node().ended(id);
    expect(
      node()
        .pool.log.map(({ command }) => command)
        .join("\n"),
    ).toContain('"vars":{"rack":2.5,"ntp":"a"}');
  });

  test.each([
    [{ device: "nobody" }, "device", /no device "nobody"/],
    [{ device: "bare" }, "driver", /the device bare has none/],
    [{ device: "r1", connection_args: { hostname: "h" } }, "connection_args.hostname", /has its own host/],
    [{}, "connection_args", /is required/],
  ])("is rejected with the field at fault (%#)", async (request, path, message) => {
    const issues = await refusal(node().submit({ ...work, ...request }));
    expect(issues).toContainEqual(expect.objectContaining({ path, message: expect.stringMatching(message) }));
  });
});

test("list, cancel and release by selector use the current hosts of devices within reach", async () => {
  const { bulk_id } = await node().bulk({
    ...work,
    select: "group:core",
    options: { not_before: new Date(Date.now() + 3_600_000).toISOString() },
  });
  const listed = async (select: string, caller: Caller) => {
    const found = await node().jobs.page({ select, bulk_id }, caller, { limit: 10 });
    const hosts: string[] = [];
    for await (const page of found.pieces) hosts.push(...page.map(({ host }) => host));
    return hosts.sort();
  };
  expect(await listed("tag:lab", admin)).toEqual(["10.1.0.2", "10.9.0.3"]);
  expect(await listed("tag:lab", limited)).toEqual(["10.1.0.2"]);
  expect(await listed("name:nobody", admin)).toEqual([]);
  expect(await node().jobs.release({ select: "name:r3", bulk_id }, limited)).toEqual([]);
  expect(await node().jobs.release({ select: "name:r2", bulk_id }, limited)).toHaveLength(1);
  expect(await node().jobs.cancel({ select: "all", bulk_id }, true, limited)).toHaveLength(1);
  expect(await node().jobs.cancel({ select: "all", bulk_id }, false, admin)).toHaveLength(1);
});
