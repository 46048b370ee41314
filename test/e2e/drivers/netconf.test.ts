/** The driver netconf in the service, on a real server: requests of netpalm, discovery, history, and a change that holds. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Netconfd, startNetconfd } from "../../../scripts/testbed/netconfd.ts";
import type { ChangeDetail, ChangeTarget } from "../../../src/api/changes/change.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";

const interfaces = (description: string) => ({
  "ietf-interfaces:interfaces": {
    interface: [{ name: "eth0", type: "iana-if-type:ethernetCsmacd", description }],
  },
});

describe.skipIf(needs("netconfd"))("a NETCONF server", () => {
  let device: Netconfd;
  let service: Service;
  let connection_args: Record<string, unknown>;

  beforeAll(async () => {
    [device, service] = await Promise.all([startNetconfd(), startService()]);
    const { host, port, user: username, password } = device;
    connection_args = { host, port, username, password };
    await service.call("PUT", "/credential/lab", { username, password });
    const credential = { name: "file", ref: "lab" };
    const added = await service.call("POST", "/inventory/device", {
      devices: [{ name: "nc-1", host, port, driver: "netconf", credential }],
    });
    expect(added.status, JSON.stringify(added.body)).toBe(200);
  });
  afterAll(async () => {
    await service?.close();
    await device?.stop();
  });

  async function run(request: object) {
    const job = await service.run({ driver: "netconf", connection_args, ...request });
    expect(job.status, JSON.stringify(job.result)).toBe("finished");
    return job.result?.retval ?? {};
  }

  test("takes an object as configuration, compares it, and answers the connection test", async () => {
    const planned = await run({ config: interfaces("first"), driver_args: { dry_run: true } });
    expect(JSON.stringify(planned)).toContain("+      <description>first</description>");
    await run({ config: interfaces("first") });
    const { body } = await service.call<{ success: boolean }>("POST", "/device/test-connection", {
      ...{ driver: "netconf", connection_args },
    });
    expect(body.data).toMatchObject({ success: true });
    const wrong = await service.call("POST", "/device/execute", {
      ...{ driver: "netconf", connection_args, command: "get-confg" },
    });
    expect(wrong).toMatchObject({ status: 422 });
    const other = await service.call("POST", "/device/execute", {
      ...{ driver: "netmiko", connection_args: { ...connection_args, device_type: "cisco_ios" } },
      config: interfaces("x"),
    });
    expect(JSON.stringify(other.body)).toContain("needs `rendering`");
  });

  test("answers the requests of netpalm's ncclient", async () => {
    const filter =
      "<filter type='subtree'><interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'/></filter>";
    const asXml = await run({ command: "get-config", driver_args: { source: "running", filter } });
    expect(asXml["get-config"]).toContain("urn:ietf:params:xml:ns:netconf:base:1.0");
    expect(asXml["get-config"]).toContain("<description>first</description>");
    expect(await run({ command: "get", driver_args: { filter } })).toMatchObject({
      get: expect.stringContaining("<description>first</description>"),
    });
    const asObject = await run({
      command: "get-config",
      driver_args: { filter, format: "object", lists: ["interface"] },
    });
    expect(asObject["get-config"]).toEqual(interfaces("first"));
    const config =
      "<nc:config xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'><interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><name>eth0</name><description>second</description></interface></interfaces></nc:config>";
    const target = await service.run({
      ...{ driver: "netconf", connection_args, config, driver_args: { target: "running" } },
    });
    // This server has a candidate only.
    expect(target.result?.error?.message).toContain(":writable-running");
    expect(JSON.stringify(await run({ config }))).toContain('"committed":true');
    await run({ config: "<rpc><discard-changes/></rpc>" });
    const loose = { ...connection_args, host_key_policy: "warning", allow_agent: false };
    const options = { queue_strategy: "fifo" };
    expect(await run({ command: "get", connection_args: loose, options })).toMatchObject({
      get: expect.stringContaining("<description>second</description>"),
    });
    expect(await run({ command: "<get-config><source><running/></source></get-config>" })).toMatchObject({
      "<get-config><source><running/></source></get-config>": expect.stringContaining("second"),
    });
  });

  test("is asked for its facts by the driver that it names, and kept by the history", async () => {
    const found = await service.call(
      "POST",
      "/inventory/discover",
      { device: "nc-1" },
      { Prefer: "wait=60" },
    );
    expect(found.status, JSON.stringify(found.body)).toBeLessThan(300);
    const taken = await service.call("POST", "/history/take", { devices: ["nc-1"] }, { Prefer: "wait=60" });
    expect(taken.status, JSON.stringify(taken.body)).toBeLessThan(300);
    await expect
      .poll(async () => JSON.stringify((await service.call("GET", "/inventory/device/nc-1")).body), {
        timeout: 20_000,
      })
      .toMatch(/"facts":\{[^}]*"platform":"netconf","discovered_at":"/);
    const latest = () => service.call<{ text?: string }>("GET", "/history/device/nc-1/latest");
    await expect.poll(async () => (await latest()).status, { timeout: 20_000 }).toBe(200);
    const { text } = (await latest()).body.data;
    expect(text).toMatch(/^<data[^>]*>\n {2}<interfaces/m);
    expect(text).toContain("<description>second</description>");
  });

  test("holds the push of a change, and gets back what it had when the change stops", async () => {
    const read = async (id: string) => (await service.call<ChangeDetail>("GET", `/change/${id}`)).body.data;
    const drafted = await service.call<ChangeDetail>("POST", "/change", {
      ...{ name: "held", devices: ["nc-1"], config: JSON.stringify(interfaces("held")), hold: "wave" },
      ...{ approvals: { count: 0 }, ttl: 60, strategy: { soak_seconds: 600 } },
    });
    expect(drafted.status, JSON.stringify(drafted.body)).toBe(201);
    const { id } = drafted.body.data;
    const plan = await service.call<ChangeDetail>("POST", `/change/${id}/plan`, {});
    expect(plan.body.data, JSON.stringify(plan.body)).toMatchObject({ state: "approved" });
    expect(plan.body.data.warnings.join()).not.toContain("cannot leave");
    await service.call("POST", `/change/${id}/start`, {});
    const poll = (word: RegExp) =>
      expect
        .poll(() => read(id).then(({ state, phase, reason }) => `${state} ${phase} ${reason}`), {
          timeout: 90_000,
        })
        .toMatch(word);
    await poll(/^running soaking/);
    const running = async () => JSON.stringify(await run({ command: "get-config" }));
    expect(await running()).toContain("held");
    await service.call("POST", `/change/${id}/stop`, { note: "enough" });
    await poll(/^returned/);
    const [target] = (await service.call<ChangeTarget[]>("GET", `/change/${id}/target`)).body.data;
    expect(target).toMatchObject({ state: "returned" });
    expect(await running()).toContain("second");
  });
});
