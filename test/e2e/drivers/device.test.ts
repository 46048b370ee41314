/** The service end to end on simulated devices: first steps of a newcomer, and failures that must not happen. */
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { makePlace, storeKinds, type TestPlace } from "../../store/support.ts";
import { sampled } from "../../support/sampled.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

/** The file, and in a plain run one of the servers. */
const stores = sampled(storeKinds, 2, (kind) => (kind === "file" ? "file" : "server"));

describe.each(stores)("device operations on %s", (kind) => {
  let place: TestPlace;
  let service: Service;
  let device: SimulatedDevice;

  beforeAll(async () => {
    device = await simulated("cisco_ios", { hostname: "SW1" });
    place = await makePlace(kind);
    service = await startService({
      dataDir: place.directory,
      env: place.url === undefined ? {} : { PATCHBAY_DATABASE_URL: place.url },
    });
  });
  afterAll(async () => {
    await service.stop();
    await device.stop();
    await place.remove();
  });

  const connection = (more: object = {}) => ({
    ...device.connection,
    ...more,
  });

  test("a query returns the text of each command", async () => {
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection(),
      command: ["show version", "show clock", "show clock"],
    });
    expect(job).toMatchObject({
      status: "finished",
      queue: "pinned_127.0.0.1",
      driver: "netmiko",
      host: "127.0.0.1",
      operation: "query",
      attempt: 1,
    });
    expect(Object.keys(job.result?.retval ?? {})).toEqual(["show version", "show clock", "show clock #2"]);
    expect(String(job.result?.retval?.["show version"])).toContain("Cisco IOS Software");
  });

  test("a second pinned job opens no connection", async () => {
    await service.run({ driver: "netmiko", connection_args: connection(), command: "show clock" });
    const before = device.connections();
    await service.run({ driver: "netmiko", connection_args: connection(), command: "show clock" });
    expect(device.connections()).toBe(before);
  });

  test("a fifo job opens and closes its own connection", async () => {
    const before = device.connections();
    await service.run({
      driver: "netmiko",
      connection_args: connection(),
      command: "show clock",
      options: { queue_strategy: "fifo" },
    });
    expect(device.connections()).toBe(before + 1);
  });

  test("a wrong password of another user cannot use a kept session", async () => {
    await service.run({ driver: "netmiko", connection_args: connection(), command: "show clock" });
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection({ username: "mallory", password: "wrong-canary" }),
      command: "show clock",
    });
    expect(job).toMatchObject({
      status: "failed",
      result: { type: "failed", retval: null, error: { type: "AuthenticationFailed" } },
    });
    expect(JSON.stringify(job)).not.toContain("canary");
  });

  test("pushes a configuration and returns its transcript", async () => {
    const lines = ["interface Loopback7", "description made by a test"];
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection(),
      config: lines,
      driver_args: { save: true },
    });
    expect(job.status).toBe("finished");
    const transcript = String(job.result?.retval?.[lines.join("\n")]);
    expect(transcript).toContain("SW1(config)#interface Loopback7");
    const shown = await service.run({
      driver: "netmiko",
      connection_args: connection(),
      command: "show running-config",
    });
    expect(String(shown.result?.retval?.["show running-config"])).toContain("description made by a test");
  });

  test("stops a push at a rejected line and names it", async () => {
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection(),
      config: ["interface Loopback8", "bogus line", "description never"],
    });
    expect(job).toMatchObject({
      status: "failed",
      result: { error: { type: "CommandError", command: "bogus line" } },
    });
    expect(device.commands()).not.toContain("description never");
  });

  test("runs two jobs of one host in order", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) {
      const answer = await service.call<{ id: string }>("POST", "/device/execute", {
        driver: "netmiko",
        connection_args: connection(),
        command: `show order ${n}`,
      });
      ids.push(answer.body.data.id);
    }
    for (const id of ids) await service.ended(id);
    const seen = device.commands().filter((command) => command.startsWith("show order"));
    expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => `show order ${n}`));
  });

  test("Prefer: wait holds the response until the job has ended", async () => {
    const answer = await service.call<JobRecord>(
      "POST",
      "/device/execute",
      { driver: "netmiko", connection_args: connection(), command: "show clock" },
      { Prefer: "wait=20" },
    );
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({ status: "finished", result: { type: "success" } });
  });

  test("a connection test reports prompt, type and host, or how it failed", async () => {
    const probe = (more: object) =>
      service.call<{ success: boolean; error_message: string | null }>("POST", "/device/test-connection", {
        driver: "netmiko",
        connection_args: connection(more),
      });
    const good = await probe({});
    expect(good.body).toMatchObject({
      code: 200,
      message: "Connection test completed",
      data: {
        success: true,
        error_message: null,
        device_info: { prompt: "SW1#", device_type: "cisco_ios", host: "127.0.0.1" },
      },
    });
    const wrong = await probe({ password: "wrong-canary" });
    expect(wrong).toMatchObject({
      status: 200,
      body: {
        code: 200,
        message: "Connection test failed",
        data: { success: false, error_message: `Authentication failed for ${device.username}@127.0.0.1` },
      },
    });
    const closed = await freePort();
    expect((await probe({ port: closed })).body.data.error_message).toBe(
      `Connection refused by 127.0.0.1:${closed}`,
    );
  });

  test("logs no secret", () => {
    for (const value of [device.password, device.secret, "wrong-canary", "test-admin-key-0123456789abcdef"]) {
      expect(service.output()).not.toContain(`"${value}"`);
    }
    expect(service.output()).not.toContain("wrong-canary");
  });
});

describe("bulk", () => {
  test("50 devices, three of them broken: each failure is reported separately and the others finish", async () => {
    const device = await simulated("cisco_ios", { hostname: "SW" });
    const silent = createServer(() => {}).listen(0, "0.0.0.0");
    const silentPort = (silent.address() as { port: number }).port;
    const closed = await freePort();
    const service = await startService();
    try {
      const entry = (n: number) => ({ host: `127.0.1.${n}`, port: device.port });
      const devices: object[] = Array.from({ length: 47 }, (_, n) => entry(n + 1));
      devices.push(
        { host: "127.0.2.1", port: closed },
        { ...entry(60), password: "wrong" },
        { host: "127.0.2.3", port: silentPort, timeout: 2 },
      );
      const answer = await service.call<{ succeeded: { id: string }[]; failed: string[]; bulk_id: string }>(
        "POST",
        "/device/bulk",
        {
          driver: "netmiko",
          connection_args: { device_type: "cisco_ios", username: device.username, password: device.password },
          devices,
          command: "show version",
        },
      );
      expect(answer.status).toBe(200);
      expect(answer.body.data.succeeded).toHaveLength(50);
      expect(answer.body.data.failed).toEqual([]);
      const jobs: JobRecord[] = [];
      for (const { id } of answer.body.data.succeeded) jobs.push(await service.ended(id));
      expect(jobs.slice(0, 47).every((job) => job.status === "finished")).toBe(true);
      expect(jobs.slice(47).map((job) => job.result?.error?.type)).toEqual([
        "ConnectionRefused",
        "AuthenticationFailed",
        "ConnectionTimeout",
      ]);
      const listed = await service.call<JobRecord[]>(
        "GET",
        `/job?bulk_id=${answer.body.data.bulk_id}&status=failed`,
      );
      expect(listed.body.data.map((job) => job.host).sort()).toEqual([
        "127.0.1.60",
        "127.0.2.1",
        "127.0.2.3",
      ]);
    } finally {
      await service.stop();
      await device.stop();
      silent.close();
    }
  });
});

describe.each(stores)("a restart on %s", (kind) => {
  test("keeps every job whose id was returned", async () => {
    const device = await simulated("cisco_ios", { hostname: "SW1" });
    const place = await makePlace(kind);
    const dataDir = place.directory;
    const env: Record<string, string> = {
      PATCHBAY_SLOTS: "1",
      ...(place.url === undefined ? {} : { PATCHBAY_DATABASE_URL: place.url }),
    };
    const first = await startService({ dataDir, env });
    const body = (command: string) => ({
      driver: "netmiko",
      connection_args: device.connection,
      command,
      options: { queue_strategy: "fifo" },
    });
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) {
      ids.push(
        (await first.call<{ id: string }>("POST", "/device/execute", body(`show survivor ${n}`))).body.data
          .id,
      );
    }
    await first.kill("SIGKILL");
    const second = await startService({ dataDir, env });
    try {
      const jobs: JobRecord[] = [];
      for (const id of ids) jobs.push(await second.ended(id));
      const lost = jobs.filter((job) => job.status !== "finished");
      // At most the one that was running at that moment, and it reports this.
      expect(lost.length).toBeLessThanOrEqual(1);
      for (const job of lost)
        expect(job.result?.error).toMatchObject({ type: "WorkerLost", outcome: "unknown" });
    } finally {
      await second.stop();
      await device.stop();
      await place.remove();
    }
  });
});
