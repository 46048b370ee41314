/** Kept sessions, jump hosts and connection tests of the paramiko driver, verified in the servers' logs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run as runProgram } from "../../../scripts/testbed/run.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { marker } from "../../device/ssh/support.ts";

const keyRoot = tempFolder();
const phrase = "canary-phrase-of-hop";

describe.skipIf(needs("openssh"))("paramiko", () => {
  let service: Service;
  let sshd: Sshd;
  let jump: Sshd;
  let tight: Sshd;
  let asking: Sshd;
  const servers = () => [sshd, jump, tight, asking];

  beforeAll(async () => {
    runProgram(["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", join(keyRoot, "hop")], {
      mustSucceed: true,
    });
    sshd = await startSshd({ authorizedKeys: [readFileSync(join(keyRoot, "hop.pub"), "utf8").trim()] });
    jump = await startSshd({
      user: ensureUser("patchbay-jump", { shell: "/bin/bash" }),
      config: ["AllowTcpForwarding yes"],
    });
    tight = await startSshd({ config: ["MaxSessions 1", "MaxStartups 2"] });
    asking = await startSshd({
      keyboardInteractive: true,
      password: false,
      config: ["AllowTcpForwarding yes"],
    });
    service = await startService({ env: { PATCHBAY_KEY_ROOTS: keyRoot, PATCHBAY_AUTH_FAILURES: "0" } });
  });
  afterAll(async () => {
    await service?.stop();
    await Promise.all(servers().map((server) => server?.stop()));
  });

  const login = (server: Sshd, more: object = {}) => ({
    host: server.host,
    port: server.port,
    username: server.user,
    password: server.password,
    look_for_keys: false,
    ...more,
  });
  const request = (connection_args: object, more: object = {}) => ({
    driver: "paramiko",
    connection_args,
    command: "id -un",
    ...more,
  });
  const pinned = (connection_args: object, more: object = {}) =>
    service.run(request(connection_args, { options: { queue_strategy: "pinned" }, ...more }));
  const hop = (server: Sshd) => ({ host: server.host, port: server.port, username: server.user });
  const begun = (server: Sshd) => server.log().split("Starting session: ").length - 1;

  describe("a kept session", () => {
    test("serves the next job, and only its commands run on the server", async () => {
      const [connections, commands] = [sshd.connections(), begun(sshd)];
      for (const command of ["echo 1", "echo 2", "echo 3"])
        expect(await pinned(login(sshd), { command })).toMatchObject({ status: "finished" });
      expect(sshd.connections() - connections).toBe(1);
      expect(begun(sshd) - commands).toBe(3);
    });

    test.each([
      ["a wrong password", { password: "not-it" }],
      ["no password, and a key that is not known", { password: null, look_for_keys: true }],
      ["another user", { username: "nobody" }],
    ])("is not used for %s", async (_name, more) => {
      await pinned(login(sshd));
      const [connections, commands] = [sshd.connections(), begun(sshd)];
      const job = await pinned(login(sshd, more));
      expect(job.result?.error).toMatchObject({ type: "AuthenticationFailed" });
      expect(sshd.connections() - connections).toBe(1);
      expect(begun(sshd)).toBe(commands);
    });

    test("is not shared across login methods, jump hosts, host key policies or drivers", async () => {
      const key = { password: null, pkey: readFileSync(join(keyRoot, "hop"), "utf8"), passphrase: phrase };
      const through = { proxy_host: [{ ...hop(tight), password: tight.password }] };
      await pinned(login(sshd));
      for (const more of [key, through, { host_key_policy: "reject" }]) {
        const before = sshd.connections();
        expect(await pinned(login(sshd, more))).toMatchObject({ status: "finished" });
        expect(sshd.connections() - before).toBe(1);
      }
      const before = sshd.connections();
      const netmiko = { ...login(sshd), device_type: "linux" };
      expect(await service.run({ ...request(netmiko), driver: "netmiko" })).toMatchObject({
        status: "finished",
      });
      expect(sshd.connections() - before).toBe(1);
    });

    test.each(["SIGKILL", "SIGSTOP"] as const)(
      "that was lost (%s) is detected before a command is sent and reopened once",
      async (signal) => {
        await pinned(login(sshd));
        const [connections, commands] = [sshd.connections(), begun(sshd)];
        sshd.killSessions(signal);
        expect(await pinned(login(sshd), { command: "echo once" })).toMatchObject({
          status: "finished",
          result: { retval: { "echo once": { output: "once\n" } } },
        });
        expect(sshd.connections() - connections).toBe(1);
        expect(begun(sshd) - commands).toBe(1);
      },
    );
  });

  test("serves eight jobs of three commands on a server that allows one session and two logins at once", async () => {
    const body = request(login(tight), { command: ["echo a", "echo b", "echo c"] });
    const jobs = await Promise.all(Array.from({ length: 8 }, () => service.run(body)));
    expect(jobs.map(({ status }) => status)).toEqual(Array(8).fill("finished"));
    for (const job of jobs)
      expect(job.result?.retval).toMatchObject({ "echo a": { output: "a\n" }, "echo c": { output: "c\n" } });
  });

  describe("through jump hosts", () => {
    const three = () => [
      { ...hop(jump), password: jump.password },
      { ...hop(asking), password: asking.password },
      { ...hop(sshd), key_filename: "hop", passphrase: phrase },
    ];
    const allClosed = () =>
      expect.poll(() => [jump, asking].map((server) => server.sessions().length)).toEqual([0, 0]);

    test("each with its own login: password, keyboard-interactive, key file with a passphrase", async () => {
      const job = await service.run(request(login(tight, { proxy_host: three() })));
      expect(job).toMatchObject({
        status: "finished",
        result: { retval: { "id -un": { output: `${tight.user}\n` } } },
      });
      await allClosed();
    });

    const free = { host: "127.0.0.1", port: 1 };
    test.each([
      ["refuses the login", { password: "not-it" }, "AuthenticationFailed"],
      ["does not listen", free, "ConnectionRefused"],
      ["has a host key that is not known", { host_key_policy: "reject", port: 0 }, "HostKeyMismatch"],
    ])("leaves nothing open if the target %s", async (_name, more, type) => {
      const unknown = "port" in more && more.port === 0 ? await startSshd() : undefined;
      const target =
        unknown === undefined ? login(sshd, more) : login(unknown, { host_key_policy: "reject" });
      const proxy_host = three().slice(0, 2);
      // The path to it is already known.
      const job = await service.run(request({ ...target, proxy_host }));
      expect(job.result?.error).toMatchObject({ type });
      await allClosed();
      await unknown?.stop();
    });

    test("leaves nothing open if a later hop rejects the login, and names that hop", async () => {
      const [first, second] = three();
      const proxy_host = [first, { ...second, password: "not-it" }];
      const job = await service.run(request(login(sshd, { proxy_host })));
      expect(job.result?.error).toMatchObject({
        type: "AuthenticationFailed",
        message: `Authentication failed for ${asking.user}@${asking.host}`,
      });
      await allClosed();
    });

    test("reports a hop lost during a command, with an unknown outcome", async () => {
      const work = marker();
      const proxy_host = three().slice(0, 2);
      const running = service.run(
        request(login(sshd, { proxy_host }), { command: ["echo before", work.command] }),
      );
      await work.seen();
      jump.killSessions();
      const job = await running;
      expect(job).toMatchObject({ status: "failed", result: { error: { type: "ConnectionLost" } } });
      expect(JSON.stringify(job)).toContain('"outcome":"unknown"');
      expect(JSON.stringify(job)).toContain("before\\n");
      await allClosed();
    });
  });

  test("a connection test reports the server and the algorithms", async () => {
    const { body } = await service.call("POST", "/device/test-connection", request(login(sshd)));
    const [key] = sshd.hostKeys;
    expect(body).toMatchObject({
      message: "Connection test completed",
      data: {
        success: true,
        device_info: {
          prompt: `${sshd.user}@${sshd.host}`,
          device_type: "linux",
          host: sshd.host,
          system_info: runProgram(["uname", "-a"]).stdout.trim(),
          host_key: `${key?.type} ${key?.fingerprint}`,
          host_key_algorithm: "ssh-ed25519",
          kex: "curve25519-sha256",
          cipher: "aes128-gcm@openssh.com",
        },
      },
    });
  });

  test.each([
    ["a closed port", { port: 1 }, "Connection refused by 127.0.0.1:1"],
    ["a wrong password", { password: "not-it" }, "Authentication failed for USER@127.0.0.1"],
  ])("a connection test reports %s", async (_name, more, text) => {
    const { body } = await service.call("POST", "/device/test-connection", request(login(sshd, more)));
    expect(body).toMatchObject({
      code: 200,
      message: "Connection test failed",
      data: { success: false, error_message: text.replace("USER", sshd.user) },
    });
  });
});
