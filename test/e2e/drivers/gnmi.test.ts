/** The driver gnmi in the service: queries, subscriptions, checks, changes' timers, history, discovery, reach, and no secret anywhere. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertNoSecretKept } from "../../../src/testkit/leaks.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type GnmiDevice, startGnmiDevice } from "../../../src/testkit/simulator/servers/gnmi/device.ts";

const password = "canary-gnmi-1";
const hostname = "/system/config/hostname";

describe("a gNMI device", () => {
  let device: GnmiDevice;
  let service: Service;
  let connection_args: Record<string, unknown>;

  beforeAll(async () => {
    [device, service] = await Promise.all([startGnmiDevice({ password, hostname: "gn-1" }), startService()]);
    connection_args = {
      ...{ host: "127.0.0.1", port: device.port, username: "admin", password, transport: "insecure" },
    };
    await service.call("PUT", "/credential/lab", { username: "admin", password });
    const added = await service.call("POST", "/inventory/device", {
      devices: [
        {
          ...{ name: "gn-1", host: "127.0.0.1", port: device.port, driver: "gnmi" },
          credential: { name: "file", ref: "lab" },
          connection: { transport: "insecure" },
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
    const job = await service.run({ driver: "gnmi", connection_args, ...request });
    expect(job.status, JSON.stringify(job.result)).toBe("finished");
    return job.result?.retval ?? {};
  }

  test("answers queries and subscriptions, and tells a part that it lacks", async () => {
    expect(await run({ command: hostname })).toEqual({ [hostname]: "gn-1" });
    const octets = "/interfaces/interface[name=eth0]/state/counters/in-octets";
    const stream = { mode: "stream", subscription: "sample", interval: 0.05, count: 3 };
    expect(await run({ command: octets, driver_args: stream })).toMatchObject({
      [octets]: { ended: "count", synced: true, updates: [{ path: octets }, {}, {}] },
    });
    const part = await service.run({
      ...{ driver: "gnmi", connection_args, command: [hostname, "/system/config/none"] },
    });
    expect(part, JSON.stringify(part)).toMatchObject({ status: "finished", result: { partial: true } });
    const { body } = await service.call<{ success: boolean }>("POST", "/device/test-connection", {
      ...{ driver: "gnmi", connection_args },
    });
    expect(body.data, JSON.stringify(body)).toMatchObject({ success: true });
  });

  test("refuses what is no path, and arguments that do not belong together", async () => {
    const execute = async (more: object) =>
      (await service.call("POST", "/device/execute", { driver: "gnmi", connection_args, ...more })).status;
    expect(await execute({ command: "/a[b" })).toBe(422);
    expect(await execute({ command: "/a", driver_args: { interval: 1 } })).toBe(422);
    expect(await execute({ command: "/a", driver_args: { mode: "once", data: "config" } })).toBe(422);
    expect(await execute({ command: "facts", driver_args: { mode: "once" } })).toBe(422);
    expect(await execute({ config: {}, driver_args: { path: "/a" } })).toBe(422);
    expect(await execute({ config: {}, driver_args: { dry_run: true } })).toBe(422);
  });

  test("a push whose check fails is rolled back by the device's own timer", async () => {
    const job = await service.run({
      ...{ driver: "gnmi", connection_args, config: { update: { [hostname]: "bad" } } },
      checks: { after: [{ command: hostname, contains: "good" }], on_failure: "undo" },
    });
    expect(job, JSON.stringify(job)).toMatchObject({ status: "failed" });
    expect(job.result?.error?.message).toContain("were rolled back");
    expect(device.pending()).toBeUndefined();
    expect(await run({ command: hostname })).toEqual({ [hostname]: "gn-1" });
    const done = await service.run({
      ...{ driver: "gnmi", connection_args, config: { update: { "/system/config/login-banner": "told" } } },
    });
    const sent = await service.call("GET", `/job/${done.id}/sent`);
    expect(JSON.stringify(sent.body), JSON.stringify(sent.body)).toContain("told");
  });

  test("is asked for its facts by the driver that it names, and kept by the history", async () => {
    const found = await service.call(
      "POST",
      "/inventory/discover",
      { device: "gn-1" },
      { Prefer: "wait=60" },
    );
    expect(found.status, JSON.stringify(found.body)).toBeLessThan(300);
    const bodyOf = async (path: string) => JSON.stringify((await service.call("GET", path)).body);
    await expect
      .poll(() => bodyOf("/inventory/device/gn-1"), { timeout: 20_000 })
      .toContain('"serial":"S0001"');
    const taken = await service.call("POST", "/history/take", { devices: ["gn-1"] }, { Prefer: "wait=60" });
    expect(taken.status, JSON.stringify(taken.body)).toBeLessThan(300);
    await expect.poll(() => bodyOf("/history/device/gn-1"), { timeout: 20_000 }).toContain('"sha256"');
  });

  test("is not reached by a key that may not, whatever is asked", async () => {
    const made = await service.call<{ key: string }>("POST", "/key", {
      ...{ name: "elsewhere", scope: "operate", hosts: ["192.0.2.0/24"] },
    });
    const refused = await service.call(
      "POST",
      "/device/execute",
      { driver: "gnmi", connection_args, command: "/" },
      { "X-API-KEY": made.body.data.key },
    );
    expect(refused.status, JSON.stringify(refused.body)).toBe(403);
  });

  test("leaves no password behind", () => {
    assertNoSecretKept(service, [password]);
  });
});
