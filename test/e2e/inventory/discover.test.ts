/** POST /inventory/discover: detects platforms with any capable driver; findings are shown and proposed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import {
  type AnsweringDevice,
  login as answeringLogin,
  answersFrom,
} from "../../drivers/napalm/answering/answers.ts";
import { startAnswering } from "../../drivers/napalm/answering/device.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const eosVersion = `Arista vEOS-lab
Hardware version:
Serial number: SN-EOS-1
Software image version: 4.30.1F
Uptime: 1 week`;
const iosVersion = `Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(4)E8, RELEASE SOFTWARE (fc1)
acc1 uptime is 2 weeks
cisco WS-C2960X-24TS-L (APM86XXX) processor (revision A0) with 524288K bytes of memory.
Processor board ID FOC1234`;

const nexusVersion = `Software
  NXOS: version 9.3(10)
Hardware
  cisco Nexus9000 C93180YC-FX Chassis
  Device name: sw1
`;

const login = { ...answeringLogin, secret: "enable" };

let service: Service;
let folder: string;
const devices: SimulatedDevice[] = [];
let nexus: AnsweringDevice;

interface Listed {
  name: string;
  platform: string | null;
  facts: Record<string, string | null> | null;
}

async function simulatedAs(platform: string, version: string): Promise<number> {
  const own = mkdtempSync(join(folder, "said-"));
  writeFileSync(join(own, "show_version.txt"), version);
  const device = await simulated(platform, { transcripts: own, ...login });
  devices.push(device);
  return device.port;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "discover-"));
  service = await startService();
  nexus = await startAnswering(
    "nxos_ssh",
    answersFrom({ "show version": nexusVersion, "show hostname": "sw1\n" }),
  );
  const [eos, ios] = [
    await simulatedAs("arista_eos", eosVersion),
    await simulatedAs("cisco_ios", iosVersion),
  ];
  const host = "127.0.0.1";
  const list = [
    { name: "open", host, port: eos, tags: ["lab"] },
    { name: "known", host, port: ios, driver: "netmiko", platform: "cisco_ios", tags: ["lab"] },
    { name: "nexus", host, port: nexus.port, platform: "nxos_ssh", tags: ["lab"] },
    { name: "shut", host: "127.0.0.2", port: eos, driver: "netmiko", platform: "arista_eos" },
  ];
  const answer = await service.call("POST", "/inventory/device", { devices: list });
  expect(answer.status).toBe(200);
});
afterAll(async () => {
  await service.stop();
  await nexus.close();
  for (const device of devices) await device.stop();
  rmSync(folder, { recursive: true });
});
const discover = (body: object) =>
  service.call<{ succeeded: { host: string; status: string; device: string }[]; failed_jobs: object[] }>(
    "POST",
    "/inventory/discover",
    { connection_args: login, options: { ttl: 60 }, ...body },
    { Prefer: "wait=60" },
  );
const listed = async (name: string) =>
  (await service.call<Listed>("GET", `/inventory/device/${name}`)).body.data;

test("asks each device with a suitable driver and proposes the platform without storing it", async () => {
  const { status, body } = await discover({ select: "tag:lab" });
  expect([status, body.data.failed_jobs]).toEqual([200, []]);
  expect(body.data.succeeded.map(({ status }) => status)).toEqual(["finished", "finished", "finished"]);
  const facts = async (name: string) => (await listed(name)).facts;
  await expect
    .poll(() => facts("open"), { timeout: 20_000 })
    .toMatchObject({
      ...{ vendor: "Arista", model: "vEOS-lab", version: "4.30.1F", serial: "SN-EOS-1" },
      ...{ os: "arista_eos", platform: "arista_eos", host_key: expect.stringContaining("SHA256:") },
    });
  await expect
    .poll(() => facts("known"), { timeout: 20_000 })
    .toMatchObject({
      ...{ vendor: "Cisco", model: "WS-C2960X-24TS-L", version: "15.2(4)E8", serial: "FOC1234" },
      ...{ hostname: "acc1", platform: "cisco_ios" },
    });
  // From NAPALM's get_facts: structured data.
  await expect
    .poll(() => facts("nexus"), { timeout: 20_000 })
    .toMatchObject({
      ...{ vendor: "Cisco", version: expect.stringMatching(/^\d/), hostname: expect.any(String) },
    });
  expect((await listed("open")).platform).toBeNull();
  const record = await service.call<{ driver: string }>("GET", "/bulk?limit=1");
  expect(record.body.data).toMatchObject([{ driver: "mixed", select: "tag:lab", counts: { finished: 3 } }]);
});

test("stores the platform with apply only where none is set", async () => {
  await discover({ select: "name:open,known", apply: true });
  await expect.poll(async () => (await listed("open")).platform, { timeout: 20_000 }).toBe("arista_eos");
  expect((await listed("known")).platform).toBe("cisco_ios");
  const trail = await service.call<{ action: string; who: string }[]>("GET", "/audit?limit=20");
  expect(trail.body.data).toContainEqual(
    expect.objectContaining({ action: "inventory.device.put", detail: expect.stringContaining("platform") }),
  );
});

test("records a failed login, and takes a rehearsal that asked no device for no answer", async () => {
  const refused = { device: "shut", connection_args: { ...login, password: "wrong" } };
  const rehearsed = await service.run({ ...refused, config: ["hostname x"], rehearse: true });
  expect(rehearsed.status).toBe("finished");
  const { body } = await discover(refused);
  expect(body.data.succeeded).toMatchObject([{ status: "failed" }]);
  await expect
    .poll(async () => (await listed("shut")).facts, { timeout: 40_000 })
    .toMatchObject({ seen_at: null, login_error: "AuthenticationFailed", version: null });
});

test("a limited key discovers only its own devices and stores nothing", async () => {
  const made = await service.call<{ key: string }>("POST", "/key", {
    ...{ name: "limited", scope: "admin", hosts: ["127.0.0.2"] },
  });
  const headers = { "X-API-KEY": made.body.data.key };
  const asked = (body: object) => service.call("POST", "/inventory/discover", body, headers);
  expect((await asked({ device: "open" })).status).toBe(422);
  expect((await asked({ select: "tag:lab" })).status).toBe(422);
  expect((await asked({ device: "shut", apply: true })).status).toBe(403);
  expect((await asked({})).status).toBe(422);
  expect((await asked({ device: "shut", slect: "x" })).status).toBe(422);
  const { body } = await service.call<Listed[]>("GET", "/inventory/device", undefined, headers);
  expect(body.data).toMatchObject([{ name: "shut", facts: { version: null } }]);
  expect(body.data).toHaveLength(1);
});

test("a scheduled discovery is validated when created and submitted when due", async () => {
  const make = (discover: object) =>
    service.call<{ id: string }>("POST", "/schedule", {
      ...{ name: "nightly", cron: "0 3 * * *", label: "facts", what: { kind: "discover", discover } },
    });
  expect(await make({ select: "tag:lab", connection_args: login })).toMatchObject({ status: 422 });
  expect(await make({ select: "tag:" })).toMatchObject({ status: 422 });
  const made = await make({ select: "name:known", connection_args: { username: "admin" } });
  expect(made.status).toBe(201);
  const run = await service.call("POST", `/schedule/${made.body.data.id}/run`);
  expect(run.status).toBeLessThan(300);
  const bulks = async () => (await service.call<object[]>("GET", "/bulk?label=facts")).body.data;
  await expect.poll(bulks, { timeout: 60_000 }).toMatchObject([{ label: "facts", select: "name:known" }]);
});
