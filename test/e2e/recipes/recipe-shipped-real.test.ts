/** The recipes that come with the program, on OpenSSH, a TLS port, and FRRouting. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../../scripts/testbed/frr.ts";
import { connect } from "../../../scripts/testbed/frr-peers.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { allowSudo } from "../../../scripts/testbed/sudo.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import { readYaml } from "../../../src/base/yaml/yaml-read.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { selfSigned } from "../../support/certificates.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({});
  for (const file of readdirSync("recipes")) {
    const { value } = readYaml(readFileSync(`recipes/${file}`, "utf8"), "", "core");
    expect((await service.call("PUT", `/recipe/${file.replace(".yaml", "")}`, value)).status).toBe(201);
  }
});
afterAll(() => service.stop());

async function add(name: string, login: Sshd, more: object): Promise<void> {
  await service.call("PUT", `/credential/${name}`, { username: login.user, password: login.password });
  const place = {
    name,
    host: login.host,
    port: login.port,
    credential: { name: "file", ref: name },
    ...more,
  };
  const { status, body } = await service.call("POST", "/inventory/device", { devices: [place] });
  expect([status, body.message]).toEqual([200, expect.anything()]);
}
async function run(name: string, body: object): Promise<RunRecord> {
  const started = await service.call<RunRecord>("POST", `/recipe/${name}/run`, body);
  expect([started.status, started.body]).toEqual([201, expect.anything()]);
  let last = started.body.data;
  const isOver = async () => {
    last = (await service.call<RunRecord>("GET", `/recipe/${name}/run/${last.id}`)).body.data;
    return last.ended_at !== null;
  };
  await expect.poll(isOver, { timeout: 180_000, interval: 100 }).toBe(true);
  return last;
}
const shown = (record: RunRecord) =>
  record.steps.map(({ name, state, reason, value }) => [name, state, reason, value]);
function finished(record: RunRecord): void {
  if (record.state !== "finished") throw new Error(`${record.reason}: ${JSON.stringify(shown(record))}`);
}
const reported = ({ steps }: RunRecord) => steps.find((step) => step.name === "report")?.value;

describe.skipIf(needs("openssh"))("OpenSSH", () => {
  let sshd: Sshd;
  let web: Server;
  let tls: string;
  beforeAll(async () => {
    sshd = await startSshd();
    const { key, cert } = await selfSigned();
    writeFileSync(join(sshd.folder, "own.pem"), cert, { mode: 0o644 });
    web = createServer({ key, cert }, (_, answer) => answer.end("here"));
    await new Promise<void>((listening) => web.listen(0, "127.0.0.1", listening));
    const address = web.address();
    tls = `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    await add("server", sshd, { driver: "paramiko", platform: "linux" });
  });
  afterAll(async () => {
    web.close();
    await sshd.stop();
  });

  test("certificates of files and of TLS ports are read there, and what is none is told", async () => {
    const file = join(sshd.folder, "own.pem");
    const parameters = { days: 825, files: [file, "/etc/hostname"], ports: [tls, "127.0.0.1:1"] };
    const { state, steps } = await run("certificates", { devices: ["server"], parameters });
    const report = steps.find(({ name }) => name === "report");
    const ends = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect([state, report?.value]).toEqual([
      "failed",
      [
        { read_on: "server", certificate: file, ends, days: expect.any(Number) },
        { read_on: "server", certificate: "/etc/hostname", ends: "could not be read", days: null },
        { read_on: "server", certificate: tls, ends, days: expect.any(Number) },
        { read_on: "server", certificate: "127.0.0.1:1", ends: "could not be read", days: null },
      ],
    ]);
    const soon = { days: 1, files: [file], ports: [tls] };
    const none = await run("certificates", { devices: ["server"], parameters: soon });
    finished(none);
    expect(reported(none)).toEqual([]);
  }, 300_000);

  test("outputs are collected", async () => {
    const parameters = { commands: ["uname -a", "cat /etc/os-release"] };
    const collected = await run("collect-support", { devices: ["server"], parameters });
    finished(collected);
    expect(reported(collected)).toMatchObject([{ device: "server", commands: 2 }]);
  }, 300_000);
});

describe.skipIf(needs("openssh", "sudo"))("a server with sudo", () => {
  let sshd: Sshd;
  beforeAll(async () => {
    const user = ensureUser("patchbay-rotated", { shell: "/bin/bash" });
    allowSudo(user.name, 0, { allowed: "NOPASSWD: ALL" });
    sshd = await startSshd({ user });
    await add("rotated", sshd, { driver: "netmiko", platform: "linux" });
  });
  afterAll(async () => {
    await sshd.stop();
  });

  test("its password is changed, and the server is switched after a login with the new one", async () => {
    const parameters = {
      account: sshd.user,
      new_credential: "rotated-2",
      new_password: "Canary-new-4711-pass",
    };
    const changed = await run("change-password", { devices: ["rotated"], parameters });
    finished(changed);
    expect(reported(changed)).toEqual([{ device: "rotated", password: "new" }]);
    const asked = await service.call<{ bulk_id: string }>("POST", "/device/bulk", {
      ...{ select: "name:rotated", command: "whoami", driver_args: { fresh: true } },
    });
    const job = async () =>
      JSON.stringify((await service.call("GET", `/job?bulk_id=${asked.body.data.bulk_id}`)).body.data);
    await expect.poll(job, { timeout: 60_000 }).toContain(`"whoami":"${sshd.user}"`);
  }, 300_000);
});

describe.skipIf(needs("frr"))("FRRouting", () => {
  let router: Frr;
  beforeAll(async () => {
    const configuration = ["hostname edge", "router ospf", " network 127.0.0.0/8 area 0", "exit"];
    router = await startFrr({ hostname: "edge", daemons: ["staticd", "ospfd"], configuration });
    await add("edge", router, { driver: "netmiko", platform: "frr" });
  });
  afterAll(() => router.stop());

  test("a link is not drained without another neighbor, and gets its cost back", async () => {
    const parameters = { interface: "lo", action: "drain" };
    const alone = await run("drain-link", { devices: ["edge"], parameters });
    expect([alone.state, alone.steps[0]?.state]).toEqual(["failed", "failed"]);
    const back = await run("drain-link", {
      ...{ devices: ["edge"], parameters: { ...parameters, action: "return", cost: 25 } },
    });
    finished(back);
    expect(router.vtysh("show running-config")).toContain("ip ospf cost 25");
  }, 300_000);

  test("between two neighbors a link is drained and returned", async () => {
    const wire = (name: string) => [
      ...[`interface ${name}`, " ip ospf network point-to-point"],
      ...[" ip ospf hello-interval 1", " ip ospf dead-interval 20", "exit"],
    ];
    const started: Frr[] = [];
    const startRouter = async (hostname: string, wires: readonly string[]) => {
      const ospf = ["router ospf", " network 10.79.0.0/16 area 0", "exit"];
      const configuration = [...wires.flatMap(wire), ...ospf];
      const one = await startFrr({ hostname, daemons: ["ospfd"], configuration });
      started.push(one);
      return one;
    };
    try {
      const middle = await startRouter("middle", ["left", "right"]);
      for (const [at, side] of ["left", "right"].entries()) {
        const peer = await startRouter(side, ["wire"]);
        connect(
          { network: middle.network, address: `10.79.${at}.1/24`, wire: side },
          { network: peer.network, address: `10.79.${at}.2/24`, wire: "wire" },
        );
      }
      const full = () => middle.vtysh("show ip ospf neighbor").match(/Full/g)?.length ?? 0;
      await expect.poll(full, { timeout: 120_000, interval: 500 }).toBe(2);
      await add("middle", middle, { driver: "netmiko", platform: "frr" });
      const cost = () => /Cost: (\d+)/.exec(middle.vtysh("show ip ospf interface left"))?.[1];
      const usual = cost();
      const body = { devices: ["middle"], parameters: { interface: "left", action: "drain" } };
      const drained = await run("drain-link", body);
      finished(drained);
      expect([cost(), full()]).toEqual(["65535", 2]);
      expect(drained.steps.at(-1)?.text).toBe("left is drained.");
      finished(await run("drain-link", { ...body, parameters: { ...body.parameters, action: "return" } }));
      expect([cost(), middle.vtysh("show running-config").includes("ip ospf cost")]).toEqual([usual, false]);
    } finally {
      await Promise.all(started.map((one) => one.stop()));
    }
  }, 400_000);

  test("what an operation has changed is read before and after it", async () => {
    const lines = "ip route 192.0.2.0/24 blackhole\nip route 198.51.100.0/24 blackhole";
    const body = { devices: ["edge"], parameters: { lines } };
    finished(await run("backup-around", { ...body, dry_run: true }));
    expect(router.vtysh("show running-config")).not.toContain("192.0.2.0/24");
    const done = await run("backup-around", body);
    finished(done);
    expect(reported(done)).toEqual([
      { device: "edge", pushed: "finished", added: lines.split("\n"), removed: [] },
    ]);
  }, 300_000);

  test("it is taken to an intent by a change", async () => {
    const intent = {
      select: "name:edge",
      text: "ip route 203.0.113.0/24 blackhole",
      sections: [{ name: "route", match: ["ip route 203.0.113.0/24 *"], mode: "exact" }],
    };
    expect((await service.call("PUT", "/intent/route", intent)).status).toBe(201);
    const parameters = { intent: "route", votes: 0 };
    const taken = await run("to-intent", { devices: ["edge"], parameters });
    finished(taken);
    expect(reported(taken)).toMatchObject([{ device: "edge", state: "compliant" }]);
    expect(router.vtysh("show running-config")).toContain("ip route 203.0.113.0/24 blackhole");
  }, 300_000);
});
