/** A newer program beside a service of an earlier version: it changes nothing, or the service stops and says why. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import Libsql from "libsql";
import { afterEach, expect, test } from "vitest";
import { migrations } from "../../../migrations/index.ts";
import { programOf, refusal, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

let service: Service;
let device: SimulatedDevice | undefined;
afterEach(async () => {
  await service?.close();
  await device?.stop();
});

function write(sql: string): void {
  const database = new Libsql(join(service.dataDir, "patchbay.db"), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

test("a command that would upgrade the database is refused while a service works with it", async () => {
  service = await startService();
  // As if the service had been started by the version before this one.
  write(`delete from migrations where name = '${migrations.at(-1)?.name}'`);
  const [program, ...first] = programOf();
  const { status, stderr, stdout } = spawnSync(program, [...first, "key", "add", "later"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: service.dataDir, PATCHBAY_DATA_DIR: service.dataDir },
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    new RegExp(
      `earlier version, and in use by pid ${service.child.pid} \\(patchbay serve.*Nothing was changed`,
    ),
  );
  expect(stdout).toBe("");
  const { body } = await service.call<{ name: string }[]>("GET", "/key");
  expect(body.data.map(({ name }) => name)).not.toContain("later");
});

test("a service whose database was upgraded begins nothing more and says why", async () => {
  device = await simulated("cisco_ios", { password: "canary-password-5" });
  const dataDir = tempFolder();
  service = await startService({ dataDir });
  const { host, port } = { host: "127.0.0.1", port: device.port };
  const connection = {
    host,
    port,
    username: "admin",
    password: "canary-password-5",
    device_type: "cisco_ios",
  };
  const request = { driver: "netmiko", connection_args: connection, command: "show version" };
  expect((await service.run(request)).status).toBe("finished");
  write("insert into migrations (name) values ('9999_of_tomorrow')");
  const reason = /upgraded by a newer version of Patchbay: restart the service with that version/;
  const ready = async () => (await fetch(`${service.url}/readyz`)).status;
  await expect.poll(ready, { timeout: 30_000, interval: 200 }).toBe(503);
  expect(await (await fetch(`${service.url}/readyz`)).text()).toMatch(reason);
  const refused = await service.call("POST", "/device/execute", request);
  expect([refused.status, refused.body.message]).toEqual([503, expect.stringMatching(reason)]);
  expect(service.output()).toMatch(/9999_of_tomorrow.*store\.newer/);
  // What it holds can still be read, and it ends as always.
  expect((await service.call("GET", "/job?limit=1")).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(refusal(dataDir)).toMatch(/made by a newer version of Patchbay/);
});
