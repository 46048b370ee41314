/** Authentication with the paramiko driver: key types, passphrases, jump hosts with their own logins. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run as runProgram } from "../../../scripts/testbed/run.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const passphrase = "canary-passphrase-9";
/** Name: arguments of ssh-keygen. */
const kinds: Record<string, string[]> = {
  "rsa-openssh": ["-t", "rsa", "-b", "2048", "-N", ""],
  "rsa-pem": ["-t", "rsa", "-b", "2048", "-m", "PEM", "-N", ""],
  "rsa-pem-encrypted": ["-t", "rsa", "-b", "2048", "-m", "PEM", "-N", passphrase],
  "rsa-pkcs8-encrypted": ["-t", "rsa", "-b", "2048", "-m", "PKCS8", "-N", passphrase],
  ed25519: ["-t", "ed25519", "-N", ""],
  "ed25519-encrypted": ["-t", "ed25519", "-N", passphrase],
  ecdsa: ["-t", "ecdsa", "-b", "384", "-N", ""],
  "ecdsa-pkcs8": ["-t", "ecdsa", "-b", "256", "-m", "PKCS8", "-N", ""],
};

describe.skipIf(needs("openssh"))("paramiko", () => {
  const keys = tempFolder();
  const keyRoot = join(keys, "allowed");
  let service: Service;
  let sshd: Sshd;
  let jump: Sshd;
  const keyOf = (kind: string) => readFileSync(join(keyRoot, kind), "utf8");

  beforeAll(async () => {
    mkdirSync(keyRoot);
    for (const [kind, args] of Object.entries(kinds))
      runProgram(["ssh-keygen", "-q", ...args, "-f", join(keyRoot, kind)], { mustSucceed: true });
    const authorizedKeys = Object.keys(kinds).map((kind) =>
      readFileSync(join(keyRoot, `${kind}.pub`), "utf8").trim(),
    );
    sshd = await startSshd({ authorizedKeys });
    jump = await startSshd({
      user: ensureUser("patchbay-jump", { shell: "/bin/bash" }),
      config: ["AllowTcpForwarding yes"],
    });
    service = await startService({ env: { PATCHBAY_KEY_ROOTS: keyRoot, PATCHBAY_AUTH_FAILURES: "0" } });
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([sshd.stop(), jump.stop()]);
  });

  const target = () => ({ host: sshd.host, port: sshd.port, username: sshd.user });
  const run = (connection_args: object) =>
    service.run({ driver: "paramiko", connection_args, command: "id -un" });
  const ran = (user: string) => ({
    status: "finished",
    result: { retval: { "id -un": { output: `${user}\n` } } },
  });

  test.each(Object.keys(kinds))("with a key in the request: %s", async (kind) => {
    const phrase = kind.includes("encrypted") ? { passphrase } : {};
    expect(await run({ ...target(), pkey: keyOf(kind), ...phrase })).toMatchObject(ran(sshd.user));
  });

  test("with a key file below the key folders, and none elsewhere", async () => {
    expect(await run({ ...target(), key_filename: join(keyRoot, "ed25519") })).toMatchObject(ran(sshd.user));
    const outside = await run({ ...target(), key_filename: "/etc/ssh/ssh_host_ed25519_key" });
    expect(outside).toMatchObject({ status: "failed", result: { error: { type: "Forbidden" } } });
  });

  test("with keys discovered by OpenSSH's names, if the request asks for them", async () => {
    copyFileSync(join(keyRoot, "ed25519"), join(keyRoot, "id_ed25519"));
    expect(await run({ ...target(), look_for_keys: true })).toMatchObject(ran(sshd.user));
  });

  test.each([
    ["a wrong passphrase", { passphrase: "not-the-phrase" }],
    ["none", {}],
  ])("explains why %s is unusable and shows no key", async (_name, more) => {
    const job = await run({ ...target(), pkey: keyOf("ed25519-encrypted"), ...more });
    expect(job.result?.error).toMatchObject({
      type: "AuthenticationFailed",
      message: expect.stringContaining("pkey"),
    });
    expect(JSON.stringify(job)).not.toContain("PRIVATE KEY");
  });

  test("rejects a request without a login method before creating a job", async () => {
    const answer = await service.call("POST", "/device/execute", {
      driver: "paramiko",
      connection_args: target(),
      command: "id",
    });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain("connection_args.password");
  });

  test("through a jump host with another user and login method", async () => {
    const job = await run({
      ...target(),
      pkey: keyOf("ed25519"),
      proxy_host: jump.host,
      proxy_port: jump.port,
      proxy_username: jump.user,
      proxy_password: jump.password,
    });
    expect(job).toMatchObject(ran(sshd.user));
    expect(jump.connections()).toBe(1);
  });

  test("through two jump hosts, each with its own login", async () => {
    const job = await run({
      ...target(),
      password: sshd.password,
      proxy_host: [
        { host: jump.host, port: jump.port, username: jump.user, password: jump.password },
        { host: sshd.host, port: sshd.port, username: sshd.user, pkey: keyOf("rsa-pem") },
      ],
    });
    expect(job).toMatchObject(ran(sshd.user));
  });

  test("a target that rejects the login leaves nothing open on the jump host", async () => {
    const job = await run({
      ...target(),
      password: "not-it",
      look_for_keys: false,
      proxy_host: [{ host: jump.host, port: jump.port, username: jump.user, password: jump.password }],
    });
    expect(job.result?.error).toMatchObject({ type: "AuthenticationFailed" });
    await expect.poll(() => jump.sessions().length).toBe(0);
  });

  test("names the field of a jump host that the key may not reach", async () => {
    const answer = await service.call("POST", "/device/execute", {
      driver: "paramiko",
      connection_args: {
        ...target(),
        password: "x",
        proxy_host: [{ host: "bad host", username: "u", password: "p" }],
      },
      command: "id",
    });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain("proxy_host");
  });
});
