/**
 * `ssh_config_file`: a name resolves to a host, through jump hosts; a limited key is checked against all of
 * them.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run as runProgram } from "../../../scripts/testbed/run.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const [program, ...begin] = programOf();

const keyRoot = tempFolder();
const dataDir = tempFolder();
const jumpAddress = "127.0.0.2";

describe.skipIf(needs("openssh"))("ssh_config", () => {
  let service: Service;
  let sshd: Sshd;
  let jump: Sshd;

  beforeAll(async () => {
    for (const name of ["of-web", "of-jump"])
      runProgram(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", join(keyRoot, name)], {
        mustSucceed: true,
      });
    const authorized = (name: string) => ({
      authorizedKeys: [readFileSync(join(keyRoot, `${name}.pub`), "utf8")],
    });
    sshd = await startSshd(authorized("of-web"));
    jump = await startSshd({
      ...authorized("of-jump"),
      user: ensureUser("patchbay-jump", { shell: "/bin/bash" }),
      config: ["AllowTcpForwarding yes", `ListenAddress ${jumpAddress}`],
    });
    writeFileSync(
      join(keyRoot, "config"),
      `Host direct web
  HostName ${sshd.host}
  Port ${sshd.port}
  User ${sshd.user}
  IdentityFile of-web
Host web
  ProxyJump gate
Host gate
  HostName ${jumpAddress}
  Port ${jump.port}
  User ${jump.user}
  IdentityFile of-jump
Host locked
  HostName ${sshd.host}
  Port ${sshd.port}
  ProxyJump ${jump.user}@${jumpAddress}:${jump.port}
Host refused-*
  HostName ${sshd.host}
  Port ${sshd.port}
  User ${sshd.user}
  ProxyJump wrong
Host wrong
  HostName ${jumpAddress}
  Port ${jump.port}
  User ${jump.user}
  IdentityFile of-web
`,
    );
    service = await startService({
      dataDir,
      env: { PATCHBAY_KEY_ROOTS: keyRoot, PATCHBAY_AUTH_FAILURES: "0" },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await Promise.all([sshd?.stop(), jump?.stop()]);
  });

  const connection = (host: string, more: object = {}) => ({ host, ssh_config_file: "config", ...more });
  const request = (host: string, more: object = {}) => ({
    driver: "paramiko",
    connection_args: connection(host),
    command: "id -un",
    ...more,
  });
  const ran = () => ({ status: "finished", result: { retval: { "id -un": { output: `${sshd.user}\n` } } } });
  const dialled = () => [sshd.connections(), jump.connections()];

  test.each(["direct", "web"])("resolves %s to its port, user, key and route", async (host) => {
    const before = jump.connections();
    expect(await service.run(request(host))).toMatchObject(ran());
    expect(jump.connections() - before).toBe(host === "web" ? 1 : 0);
  });

  test("works the same for netmiko", async () => {
    const before = jump.connections();
    const job = await service.run({
      driver: "netmiko",
      connection_args: connection("web", { device_type: "linux" }),
      command: "id -un",
    });
    expect(job).toMatchObject({ status: "finished", result: { retval: { "id -un": sshd.user } } });
    expect(jump.connections() - before).toBe(1);
  });

  test("a connection test reports the resolved address", async () => {
    const { body } = await service.call<{ device_info: object }>(
      "POST",
      "/device/test-connection",
      request("web"),
    );
    expect(body.data.device_info).toMatchObject({ prompt: `${sshd.user}@web`, host: "web" });
  });

  test("does not send the target's password to a jump host", async () => {
    const before = jump.log().length;
    const login = connection("locked", {
      username: sshd.user,
      password: sshd.password,
      look_for_keys: false,
    });
    const job = await service.run({ ...request("locked"), connection_args: login });
    expect(job.result?.error).toMatchObject({
      type: "AuthenticationFailed",
      message: `Authentication failed for ${jump.user}@${jumpAddress}`,
    });
    expect(jump.log().slice(before)).not.toMatch(/password/i);
  });

  test("a jump host that rejects the login pauses its account instead of being tried per device", async () => {
    const guarded = await startService({
      dataDir: tempFolder(),
      env: { PATCHBAY_KEY_ROOTS: keyRoot, PATCHBAY_AUTH_FAILURES: "2" },
    });
    try {
      const before = jump.connections();
      const hosts = Array.from({ length: 6 }, (_, at) => `refused-${at}`);
      const jobs = await Promise.all(hosts.map((host) => guarded.run(request(host))));
      expect(jobs.map(({ result }) => result?.error?.type).sort()).toEqual([
        ...Array(4).fill("AuthBackoff"),
        ...Array(2).fill("AuthenticationFailed"),
      ]);
      expect(jump.connections() - before).toBe(2);
    } finally {
      await guarded.stop();
    }
  });

  test("does not read files outside the key folders", async () => {
    const job = await service.run(
      request("web", { connection_args: connection("web", { ssh_config_file: "/etc/ssh/ssh_config" }) }),
    );
    expect(job.result?.error).toMatchObject({ type: "Forbidden" });
  });

  let made = 0;
  function keyFor(hosts: string): string {
    const { stdout, stderr } = spawnSync(
      program,
      [...begin, "key", "add", `limited-${++made}`, "--scope", "operate", "--hosts", hosts],
      { encoding: "utf8", env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir } },
    );
    if (!stdout.startsWith("pb_")) throw new Error(stderr);
    return stdout.trim();
  }
  async function runAs(hosts: string, body: object): Promise<JobRecord | { status: number }> {
    const headers = { "X-API-KEY": keyFor(hosts) };
    const { status, body: answer } = await service.call<{ id: string }>(
      "POST",
      "/device/execute",
      body,
      headers,
    );
    return status === 201 ? service.ended(answer.data.id) : { status };
  }

  test.each([
    ["not even the name", "other"],
    ["the address, not the name", "127.0.0.1,127.0.0.2"],
  ])("rejects a key that has %s at submission", async (_name, hosts) => {
    const before = dialled();
    expect(await runAs(hosts, request("web"))).toEqual({ status: 403 });
    expect(dialled()).toEqual(before);
  });

  test.each([
    ["the name alone", "direct", "direct", "127.0.0.1"],
    ["the name alone, behind a hop", "web", "web", "127.0.0.1"],
    ["all but the host that it leads to", "web,127.0.0.2", "web", "127.0.0.1"],
    ["all but the hop", "web,127.0.0.1", "web", "127.0.0.2"],
    ["the name of the hop, not its address", "web,gate,127.0.0.1", "web", "127.0.0.2"],
  ])("a key that has %s dials nothing", async (_name, hosts, host, refused) => {
    const before = dialled();
    expect(await runAs(hosts, request(host))).toMatchObject({
      status: "failed",
      result: {
        error: { type: "Forbidden", message: `This API key or person may not reach the device ${refused}.` },
      },
    });
    const probe = await service.call("POST", "/device/test-connection", request(host), {
      "X-API-KEY": keyFor(hosts),
    });
    expect(JSON.stringify(probe.body)).toContain("may not reach");
    expect(dialled()).toEqual(before);
  });

  test("accepts a key that has all hosts of the route", async () => {
    expect(await runAs("web,127.0.0.1,127.0.0.2", request("web"))).toMatchObject(ran());
  });

  test("a session kept for another key does not bypass the check", async () => {
    const pinned = { ...request("direct"), options: { queue_strategy: "pinned" } };
    expect(await service.run(pinned)).toMatchObject(ran());
    const before = dialled();
    expect(await runAs("direct", pinned)).toMatchObject({ result: { error: { type: "Forbidden" } } });
    expect(dialled()).toEqual(before);
  });
});
