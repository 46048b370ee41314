/** A change whose pushes wait in their devices for the gate of the wave: on a real NETCONF server, and after kill -9. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Netconfd, startNetconfd } from "../../../scripts/testbed/netconfd.ts";
import type { ChangeDetail, ChangeTarget } from "../../../src/api/changes/change.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";

describe.skipIf(needs("netconfd"))("a NETCONF server", () => {
  let device: Netconfd;
  let service: Service;
  const dataDir = mkdtempSync(join(tmpdir(), "patchbay-hold-"));
  const env = { PATCHBAY_URL_ALLOW: "127.0.0.1" };

  beforeAll(async () => {
    [device, service] = await Promise.all([startNetconfd(), startService({ dataDir, env })]);
    await service.call("PUT", "/credential/lab", { username: device.user, password: device.password });
    const place = { host: device.host, port: device.port, driver: "napalm", platform: "iosxr_netconf" };
    const added = await service.call("POST", "/inventory/device", {
      devices: [
        {
          ...{ name: "nc-1", ...place, credential: { name: "file", ref: "lab" } },
          connection: { optional_args: { config_encoding: "xml" } },
        },
      ],
    });
    expect(added.status, JSON.stringify(added.body)).toBe(200);
  });
  afterAll(async () => {
    await service.close();
    await device.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const configOf = (description: string) =>
    `<config><interfaces xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces"><interface><name>eth0</name><type xmlns:t="urn:ietf:params:xml:ns:yang:iana-if-type">t:ethernetCsmacd</type><description>${description}</description></interface></interfaces></config>`;
  const read = async (id: string) => (await service.call<ChangeDetail>("GET", `/change/${id}`)).body.data;
  const target = async (id: string) =>
    (await service.call<ChangeTarget[]>("GET", `/change/${id}/target`)).body.data[0];
  const phase = (id: string, word: string) =>
    expect
      .poll(() => read(id).then(({ state, phase }) => `${state} ${phase}`), { timeout: 90_000 })
      .toBe(word);
  const ended = (id: string, word: RegExp) =>
    expect
      .poll(() => read(id).then(({ state, reason }) => `${state} ${reason ?? ""}`), { timeout: 90_000 })
      .toMatch(word);
  /** As another session sees it. */
  async function running(): Promise<string> {
    const { result } = await service.run({
      ...{ device: "nc-1", command: "get_config" },
      driver_args: { kwargs: { get_config: { retrieve: "running" } } },
    });
    return JSON.stringify(result?.retval);
  }

  async function started(description: string, more: object = {}): Promise<ChangeDetail> {
    await service.call("POST", "/history/take", { devices: ["nc-1"] }, { Prefer: "wait=60" });
    const { status, body } = await service.call<ChangeDetail>("POST", "/change", {
      ...{ name: description, devices: ["nc-1"], config: configOf(description), hold: "wave" },
      ...{ approvals: { count: 0 }, ttl: 60, strategy: { soak_seconds: 600 }, ...more },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    const { id } = body.data;
    const plan = await service.call<ChangeDetail>("POST", `/change/${id}/plan`, {});
    expect(plan.body.data, JSON.stringify(plan.body)).toMatchObject({ state: "approved" });
    await service.call("POST", `/change/${id}/start`, {});
    return plan.body.data;
  }

  test("keeps the push once the wave has soaked", async () => {
    const change = await started("kept-1", { strategy: { soak_seconds: 1 } });
    expect(change.warnings.join()).not.toContain("cannot leave");
    await ended(change.id, /^done/);
    expect(await target(change.id)).toMatchObject({ state: "pushed", reason: null });
    expect(await running()).toContain("kept-1");
    // Nothing waits there any more: its commit cannot be cancelled.
    const job = await service.job((await target(change.id))?.job_id ?? "");
    expect(job.checks).toMatchObject({ how: "confirmed_commit", message: expect.stringContaining("waits") });
    const { handle }: { handle: string } = JSON.parse(job.checks?.open ?? "{}");
    const late = await service.run({ device: "nc-1", command: "rollback", driver_args: { handle } });
    expect(late.status).toBe("failed");
  });

  test("gives it back at once when the change stops before", async () => {
    const { id } = await started("stopped-2");
    await phase(id, "running soaking");
    expect(await target(id)).toMatchObject({ state: "unconfirmed" });
    expect(await running()).toContain("stopped-2");
    await service.call("POST", `/change/${id}/stop`, { note: "enough" });
    await ended(id, /^returned enough/);
    expect(await target(id)).toMatchObject({
      state: "returned",
      reason: "its push was cancelled: the device has what it had before",
    });
    expect(await running()).toContain("kept-1");
  });

  test("is confirmed by the next process if the service is killed before the word", async () => {
    const { id } = await started("killed-3", { strategy: { soak_seconds: 5 } });
    await phase(id, "running soaking");
    await service.kill();
    service = await startService({ dataDir, env });
    await ended(id, /^done/);
    expect(await target(id)).toMatchObject({ state: "pushed" });
    expect(await running()).toContain("killed-3");
  });

  test("is not confirmed if it has come back by itself meanwhile", async () => {
    const { id } = await started("lapsed-4", { strategy: { soak_seconds: 5 } });
    await phase(id, "running soaking");
    const job = await service.job((await target(id))?.job_id ?? "");
    const { handle }: { handle: string } = JSON.parse(job.checks?.open ?? "{}");
    await service.kill();
    service = await startService({ dataDir, env });
    const cut = await service.run({ device: "nc-1", command: "rollback", driver_args: { handle } });
    expect(cut.status, JSON.stringify(cut.result)).toBe("finished");
    await ended(id, /^stopped 1 device of wave 1 has failed/);
    expect(await target(id)).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("the device has rolled it back by itself"),
    });
    expect(await running()).toContain("killed-3");
  });

  test("is given back when a gate fails after the push", async () => {
    const seen: string[] = [];
    const monitor = createServer((_request, response) => {
      void running().then((text) => {
        seen.push(text);
        response.end(JSON.stringify({ calm: !text.includes("alarm-5") }));
      });
    });
    await new Promise<void>((resolve) => void monitor.listen(0, "127.0.0.1", resolve));
    const address = monitor.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    try {
      const { id } = await started("alarm-5", {
        strategy: { questions: [{ name: "alarms", url, expression: "body.calm", timeout_seconds: 60 }] },
      });
      await ended(id, /^returned the gate "alarms" is failed/);
      expect(await target(id)).toMatchObject({
        state: "returned",
        reason: "its push was cancelled: the device has what it had before",
      });
      // Before the wave, and while the push waited.
      expect(seen.map((text) => text.includes("alarm-5"))).toEqual([false, true]);
      expect(await running()).toContain("killed-3");
    } finally {
      monitor.close();
    }
  });
});
