/**
 * P63: when the disk fills up, new work is refused before it is full; running work ends, and freed space is
 * used.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { submitTo } from "../../support/submit.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const mayMount = process.getuid?.() === 0 && process.platform === "linux";
const mib = 1024 * 1024;
const folder = tempFolder();
const disk = join(folder, "disk");
const ballast = join(disk, "ballast");
let device: SimulatedDevice;
let service: Service;
let receiver: Receiver;

beforeEach(async () => {
  if (!mayMount) return;
  mkdirSync(disk, { recursive: true });
  execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=160m", "tmpfs", disk]);
  device = await simulated("cisco_ios", { latencyMs: 300 });
  receiver = await startReceiver(200);
  const env = { PATCHBAY_MIN_FREE_MB: "60", PATCHBAY_URL_ALLOW: "127.0.0.1" };
  service = await startService({ dataDir: join(disk, "data"), env });
});
afterEach(async () => {
  if (!mayMount) return;
  await service.stop();
  receiver.close();
  await device.stop();
  execFileSync("/bin/umount", ["-l", disk]);
  rmSync(folder, { recursive: true, force: true });
});

const body = (commands: number) => ({
  driver: "netmiko",
  connection_args: device.connection,
  command: Array.from({ length: commands }, () => "show clock"),
});
const ready = async () => {
  const answer = await fetch(`${service.url}/readyz`);
  return { status: answer.status, text: await answer.text() };
};
const metrics = async () =>
  (await fetch(`${service.url}/metrics`, { headers: { "X-API-KEY": service.key } })).text();

test.skipIf(!mayMount)(
  "rejects submissions and files before the disk is full; running jobs finish",
  async () => {
    const running = (await submitTo(service, body(20))).body.data.id;
    await expect.poll(async () => (await service.job(running)).status).toBe("running");
    writeFileSync(ballast, Buffer.alloc(120 * mib));
    await expect.poll(ready).toMatchObject({ status: 503, text: expect.stringContaining("MiB free") });

    const refused = await service.call("POST", "/device/execute", body(1));
    expect(refused).toMatchObject({ status: 507, body: { code: -1 } });
    expect(refused.body.message).toContain("PATCHBAY_MIN_FREE_MB");
    expect((await service.call("POST", "/device/bulk", { ...body(1), devices: [{}] })).status).toBe(507);
    const file = await fetch(`${service.url}/file/a.bin`, {
      method: "PUT",
      headers: { "X-API-KEY": service.key, "Content-Type": "application/octet-stream" },
      body: "x",
    });
    expect(file.status).toBe(507);
    expect(await metrics()).toMatch(/^patchbay_ready 0$/m);
    expect((await service.ended(running)).status).toBe("finished");

    rmSync(ballast);
    await expect.poll(ready).toMatchObject({ status: 200 });
    expect((await service.run(body(1))).status).toBe("finished");
    expect(await metrics()).toMatch(/^patchbay_disk_free_bytes \d{8,}$/m);
  },
);

test.skipIf(!mayMount)(
  "a disk that is nearly full is told to a webhook before work is refused, once",
  async () => {
    const config = { url: receiver.url };
    await service.call("POST", "/webhook", { name: "noc", events: ["disk.low"], format: "json", config });
    writeFileSync(ballast, Buffer.alloc(60 * mib));
    await receiver.got(1);
    expect((await ready()).status).toBe(200);
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
      ...{ event: "disk.low", summary: expect.stringMatching(/^Disk nearly full on /) },
      disk: { reason: expect.stringMatching(/^the disk has \d+ MiB free/) },
    });
    await expect
      .poll(async () => (await service.call("GET", "/webhook/noc")).body.data)
      .toMatchObject({ deliveries: [{ state: "delivered" }] });
    // Still low, and the service is new: told already.
    await service.kill();
    service = await startService({
      dataDir: join(disk, "data"),
      env: { PATCHBAY_MIN_FREE_MB: "60", PATCHBAY_URL_ALLOW: "127.0.0.1" },
    });
    await service.call("POST", "/webhook/noc/test");
    await receiver.got(2);
    expect(receiver.received.map(({ body }) => JSON.parse(body).event)).toEqual(["disk.low", "webhook.test"]);
  },
);
