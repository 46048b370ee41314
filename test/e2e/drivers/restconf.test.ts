/** The driver restconf in the service: requests of netpalm, history, discovery, checks, reach, and no secret anywhere. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertNoSecretKept } from "../../../src/testkit/leaks.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type RestconfDevice, startRestconfDevice } from "../../../src/testkit/simulator/servers/restconf.ts";

const password = "canary-restconf-1";

describe("a RESTCONF server", () => {
  let device: RestconfDevice;
  let service: Service;
  let connection_args: Record<string, unknown>;

  beforeAll(async () => {
    [device, service] = await Promise.all([
      startRestconfDevice({ password, hostname: "rc-1" }),
      startService(),
    ]);
    connection_args = {
      ...{ host: "127.0.0.1", port: device.port, username: "admin", password, transport: "http" },
    };
    await service.call("PUT", "/credential/lab", { username: "admin", password });
    const added = await service.call("POST", "/inventory/device", {
      devices: [
        {
          ...{ name: "rc-1", host: "127.0.0.1", port: device.port, driver: "restconf" },
          credential: { name: "file", ref: "lab" },
          connection: { transport: "http" },
        },
      ],
    });
    expect(added.status, JSON.stringify(added.body)).toBe(200);
  });
  afterAll(async () => {
    await service?.close();
    await device?.stop();
  });

  async function run(request: object) {
    const job = await service.run({ driver: "restconf", connection_args, ...request });
    expect(job.status, JSON.stringify(job.result)).toBe("finished");
    return job.result?.retval ?? {};
  }

  test("answers the requests of netpalm's restconf driver", async () => {
    const uri = "/restconf/data/ietf-interfaces:interfaces/";
    const read = await run({ command: uri });
    expect(read[uri]).toMatchObject({ "ietf-interfaces:interfaces": { interface: expect.any(Array) } });
    const bdi = (description: string) => ({
      "ietf-interfaces:interface": [{ name: "BDI4001", type: "iana-if-type:l2vlan", description }],
    });
    const created = await run({ config: bdi("netpalm"), driver_args: { path: uri, method: "post" } });
    expect(JSON.stringify(created)).toContain('"status":201');
    const one = `${uri}interface=BDI4001`;
    await run({ config: bdi("patched"), driver_args: { path: one, method: "patch" } });
    expect(JSON.stringify(await run({ command: one, driver_args: { fields: "description" } }))).toContain(
      "patched",
    );
    await run({ config: bdi("put"), driver_args: { path: one, method: "put" } });
    await run({ config: one, driver_args: { method: "delete" } });
    const gone = await service.run({ driver: "restconf", connection_args, command: one });
    expect(gone.result?.error).toMatchObject({ type: "CommandError", status: 404 });
  });

  test("is tested, refuses what is no path or no dry run, and tells a part that it lacks", async () => {
    const { body } = await service.call<{ success: boolean }>("POST", "/device/test-connection", {
      ...{ driver: "restconf", connection_args },
    });
    expect(body.data, JSON.stringify(body)).toMatchObject({ success: true });
    const execute = (more: object) =>
      service.call("POST", "/device/execute", { driver: "restconf", connection_args, ...more });
    expect(await execute({ command: "../x" })).toMatchObject({ status: 422 });
    const dry = await execute({ config: { "ietf-system:system": {} }, driver_args: { dry_run: true } });
    expect(JSON.stringify(dry.body)).toContain("has no dry run");
    const part = await service.run({
      ...{ driver: "restconf", connection_args, command: ["ietf-system:system", "ietf-system:none"] },
    });
    expect(part, JSON.stringify(part)).toMatchObject({ status: "finished", result: { partial: true } });
  });

  test("a push whose check fails is taken back, and what it changed is in the record of what was sent", async () => {
    const job = await service.run({
      ...{ driver: "restconf", connection_args, config: { "ietf-system:system": { contact: "bad" } } },
      driver_args: { path: "ietf-system:system" },
      checks: {
        after: [{ command: "ietf-system:system/contact", contains: "good" }],
        on_failure: "undo",
      },
    });
    expect(job, JSON.stringify(job)).toMatchObject({ status: "failed" });
    expect(job.result?.error?.message).toContain("were rolled back");
    expect(device.running()["ietf-system:system"]).toMatchObject({ contact: "noc@example.net" });
    const done = await service.run({
      ...{ driver: "restconf", connection_args, config: { "ietf-system:system": { contact: "told" } } },
      driver_args: { path: "ietf-system:system" },
    });
    const sent = await service.call("GET", `/job/${done.id}/sent`);
    expect(JSON.stringify(sent.body), JSON.stringify(sent.body)).toContain("told");
  });

  test("is asked for its facts by the driver that it names, and kept by the history", async () => {
    const found = await service.call(
      "POST",
      "/inventory/discover",
      { device: "rc-1" },
      { Prefer: "wait=60" },
    );
    expect(found.status, JSON.stringify(found.body)).toBeLessThan(300);
    await expect
      .poll(async () => JSON.stringify((await service.call("GET", "/inventory/device/rc-1")).body), {
        timeout: 20_000,
      })
      .toContain('"hostname":"rc-1"');
    const taken = await service.call("POST", "/history/take", { devices: ["rc-1"] }, { Prefer: "wait=60" });
    expect(taken.status, JSON.stringify(taken.body)).toBeLessThan(300);
    await expect
      .poll(async () => JSON.stringify((await service.call("GET", "/history/device/rc-1")).body), {
        timeout: 20_000,
      })
      .toContain('"sha256"');
  });

  test("is not reached by a key that may not, whatever is asked", async () => {
    const made = await service.call<{ key: string }>("POST", "/key", {
      ...{ name: "elsewhere", scope: "operate", hosts: ["192.0.2.0/24"] },
    });
    const refused = await service.call(
      "POST",
      "/device/execute",
      { driver: "restconf", connection_args, command: "data" },
      { "X-API-KEY": made.body.data.key },
    );
    expect(refused.status, JSON.stringify(refused.body)).toBe(403);
  });

  test("leaves no password behind", () => {
    const login = Buffer.from(`admin:${password}`).toString("base64");
    assertNoSecretKept(service, [password, login]);
  });
});
