/** What a push sent and was answered is kept, sealed, as long as the audit trail, with its hash in the trail. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const password = "canary-password-23";
let service: Service;
let ios: SimulatedDevice;
let eos: SimulatedDevice;

beforeAll(async () => {
  [service, ios, eos] = await Promise.all([
    startService(),
    simulated("cisco_ios", { password, secret: password }),
    simulated("arista_eos", { password, secret: password }),
  ]);
});
afterAll(() => Promise.all([service.stop(), ios.stop(), eos.stop()]));

const connection = (device: SimulatedDevice) => ({
  ...{ host: "127.0.0.1", port: device.port, username: "admin", password, secret: password },
  device_type: device === ios ? "cisco_ios" : "arista_eos",
});

interface Sent {
  lines: string[];
  dialogue: string;
  sha256: string;
}
const sentOf = async (id: string) => (await service.call<Sent>("GET", `/job/${id}/sent`)).body.data;

test("the rendered lines and the dialogue of push and save are kept, and the trail has their hash", async () => {
  const job = await service.run({
    driver: "netmiko",
    connection_args: connection(ios),
    rendering: { name: "jinja2", template: "interface Loopback{{ id }}\ndescription sent-{{ word }}\n" },
    config: { id: 7, word: "x", snmp: { community: "canary-community" } },
    driver_args: { save: true },
  });
  expect(job.status).toBe("finished");
  const { lines, dialogue, sha256 } = await sentOf(job.id);
  expect(lines).toEqual(["interface Loopback7", "description sent-x"]);
  expect(dialogue).toMatch(/Loopback7[\s\S]*description sent-x[\s\S]*(write mem|copy running)/);
  expect(sha256).toBe(
    createHash("sha256")
      .update([...lines, dialogue].join("\n"))
      .digest("hex"),
  );
  const trail = await service.call<object[]>("GET", `/audit?job_id=${job.id}`);
  expect(trail.body.data).toMatchObject([{ action: "device.config", sent_sha256: sha256 }]);
  expect(dialogue + lines.join()).not.toContain("canary");
});

test.each([
  ["juniper_junos", "set system host-name R7"],
  ["cisco_xr", "interface Loopback7"],
  ["vyos", "set system host-name R7"],
])("the own comparison of %s is in the record of a push and of a dry run", async (platform, line) => {
  const device = await simulated(platform, { password, secret: password });
  const { host, username } = connection(ios);
  const run = (driver_args: object) =>
    service.run({
      driver: "netmiko",
      connection_args: {
        host,
        port: device.port,
        username,
        password,
        secret: password,
        device_type: platform,
      },
      config: [line],
      driver_args,
    });
  for (const args of [{ dry_run: true }, {}]) {
    const job = await run(args);
    expect(job.status).toBe("finished");
    expect(await sentOf(job.id)).toMatchObject({
      lines: [line],
      difference: expect.stringContaining(`+ ${line}`),
    });
  }
  // The result of a push is the session text, as before.
  expect(JSON.stringify((await run({})).result)).not.toContain(`+ ${line}`);
  await device.stop();
});

test("what takes a push back is in the dialogue, too", async () => {
  const job = await service.run({
    driver: "netmiko",
    connection_args: connection(eos),
    config: ["interface Loopback8", "description undone-8"],
    checks: { after: [{ command: "show version", contains: "not there" }] },
  });
  expect(job).toMatchObject({ error_type: "CheckFailed", checks: { undone: true } });
  const { lines, dialogue } = await sentOf(job.id);
  expect(lines).toEqual(["interface Loopback8", "description undone-8"]);
  expect(dialogue).toContain("description undone-8");
  const behind = dialogue.slice(dialogue.lastIndexOf("show version"));
  expect(behind).toMatch(/abort|rollback|no interface|configure/);
});

test("only those who may read the job may read it; a query and a failed login have none", async () => {
  const job = await service.run({
    driver: "netmiko",
    connection_args: connection(ios),
    config: ["interface Loopback9"],
  });
  const made = await service.call<{ key: string }>("POST", "/key", { name: "other", hosts: ["192.0.2.1"] });
  const key = { "X-API-KEY": made.body.data.key };
  expect((await service.call("GET", `/job/${job.id}/sent`, undefined, key)).status).toBe(404);
  const query = await service.run({
    driver: "netmiko",
    connection_args: connection(ios),
    command: "show version",
  });
  expect((await service.call("GET", `/job/${query.id}/sent`)).status).toBe(404);
  const refused = await service.run({
    driver: "netmiko",
    connection_args: { ...connection(ios), password: "wrong-password" },
    config: ["interface Loopback10"],
  });
  expect((await service.call("GET", `/job/${refused.id}/sent`)).status).toBe(404);
});

test("it is sealed in the database", () => {
  const files = ["patchbay.db", "patchbay.db-wal"].map((name) =>
    readFileSync(join(service.dataDir, name), "latin1"),
  );
  expect(files.join("")).not.toContain("description sent-x");
});
