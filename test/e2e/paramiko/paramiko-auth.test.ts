/** The order of authentication methods, from the log of a real sshd; certificates, PAM prompts, known_hosts. */
import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run as runProgram } from "../../../scripts/testbed/run.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const authority = tempFolder();
const keyRoot = tempFolder();
const keygen = (...args: string[]) => runProgram(["ssh-keygen", "-q", ...args], { mustSucceed: true });
const make = (path: string, ...args: string[]) => keygen("-t", "ed25519", ...args, "-N", "", "-f", path);
const read = (name: string) => readFileSync(join(keyRoot, name), "utf8");

describe.skipIf(needs("openssh"))("paramiko logs in", () => {
  let service: Service;
  let sshd: Sshd;
  let asking: Sshd;
  let agent: ChildProcess;

  beforeAll(async () => {
    make(join(authority, "ca"));
    for (const name of ["given", "named", "id_found", "certified"]) make(join(keyRoot, name));
    mkdirSync(join(authority, "agent"));
    const socket = join(authority, "agent", "socket");
    agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
    while (!existsSync(socket)) await pause(10);
    make(join(authority, "held"));
    runProgram(["env", `SSH_AUTH_SOCK=${socket}`, "ssh-add", "-q", join(authority, "held")], {
      mustSucceed: true,
    });
    sshd = await startSshd({
      config: [`TrustedUserCAKeys ${join(authority, "ca.pub")}`, "MaxAuthTries 20", "LogLevel DEBUG2"],
    });
    asking = await startSshd({ keyboardInteractive: true, password: false });
    const known = join(authority, "known_hosts");
    const { stdout } = runProgram(["ssh-keyscan", "-t", "ed25519", "-p", String(asking.port), asking.host]);
    writeFileSync(
      known,
      `@revoked * ${stdout
        .split("\n")
        .find((line) => /^\[/.test(line))
        ?.replace(/^\S+ /, "")}\n`,
    );
    service = await startService({
      env: {
        PATCHBAY_KEY_ROOTS: keyRoot,
        PATCHBAY_AUTH_FAILURES: "0",
        PATCHBAY_AGENT_SOCKET: socket,
        PATCHBAY_KNOWN_HOSTS: known,
      },
    });
  });
  afterAll(async () => {
    await service?.stop();
    agent?.kill();
    await Promise.all([sshd?.stop(), asking?.stop()]);
  });

  const target = () => ({ host: sshd.host, port: sshd.port, username: sshd.user });
  const run = (connection_args: object, command = "id -un") =>
    service.run({ driver: "paramiko", connection_args, command });
  const fingerprint = (path: string) =>
    runProgram(["ssh-keygen", "-l", "-f", path], { mustSucceed: true }).stdout.split(" ")[1] ?? "";

  test("in the order pkey, key file, agent, discovered keys, password", async () => {
    const before = sshd.log().length;
    const job = await run({
      ...target(),
      pkey: read("given"),
      key_filename: "named",
      allow_agent: true,
      look_for_keys: true,
      password: sshd.password,
    });
    expect(job).toMatchObject({ status: "finished" });
    const accepted = `Accepted password for ${sshd.user}`;
    // The server logs independently of its response.
    await expect.poll(() => sshd.log().slice(before)).toContain(accepted);
    const log = sshd.log().slice(before);
    const files = [
      join(keyRoot, "given"),
      join(keyRoot, "named"),
      join(authority, "held"),
      join(keyRoot, "id_found"),
    ];
    const marks = [...files.map(fingerprint), accepted];
    const places = marks.map((mark) => log.indexOf(mark));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test("with a named key only, unless discovery is requested as well", async () => {
    const before = sshd.log().length;
    const job = await run({ ...target(), pkey: read("given"), password: sshd.password });
    expect(job).toMatchObject({ status: "finished" });
    expect(sshd.log().slice(before)).not.toContain(fingerprint(join(keyRoot, "id_found")));
  });

  /** Signs the key in a file; the certificate is stored next to it. */
  function certify(name: string, ...options: string[]): string {
    keygen("-s", join(authority, "ca"), "-I", "office", ...options, join(keyRoot, `${name}.pub`));
    return read(`${name}-cert.pub`);
  }

  test("with the certificate beside a key file", async () => {
    certify("certified", "-n", sshd.user, "-V", "+1h");
    const before = sshd.log().length;
    expect(await run({ ...target(), key_filename: "certified" })).toMatchObject({ status: "finished" });
    await expect.poll(() => sshd.log().slice(before)).toContain('Accepted certificate ID "office"');
  });

  test("with a certificate from the request, and a different one on a jump host", async () => {
    const certificate = certify("given", "-n", sshd.user, "-V", "+1h");
    const hop = { ...target(), key_filename: "certified" };
    const job = await run({ ...target(), pkey: read("given"), certificate, proxy_host: [hop] });
    expect(job).toMatchObject({ status: "finished" });
    const wrong = await service.call("POST", "/device/execute", {
      driver: "paramiko",
      connection_args: { ...target(), pkey: read("given"), certificate: "no certificate\nat all" },
      command: "id",
    });
    expect(wrong.status).toBe(422);
    expect(JSON.stringify(wrong.body)).toContain("connection_args.certificate");
  });

  test.each([
    ["expired", ["-V", "20200101:20200102"], "expired at 2020-01-0"],
    ["for somebody else", ["-V", "+1h", "-n", "backup"], "(office) is for backup, not for "],
  ])("and reports an %s certificate in the job and the connection test", async (_name, options, text) => {
    copyFileSync(join(keyRoot, "certified"), join(keyRoot, "bad"));
    copyFileSync(join(keyRoot, "certified.pub"), join(keyRoot, "bad.pub"));
    certify("bad", ...options);
    const job = await run({ ...target(), key_filename: "bad" });
    expect(job.result?.error).toMatchObject({ type: "AuthenticationFailed" });
    expect(job.result?.error?.message).toContain(text);
    const probe = await service.call<{ error_message: string }>("POST", "/device/test-connection", {
      driver: "paramiko",
      connection_args: { ...target(), key_filename: "bad" },
    });
    expect(probe.body).toMatchObject({ code: 200, message: "Connection test failed" });
    expect(probe.body.data.error_message).toContain(`Authentication failed for ${sshd.user}@127.0.0.1: `);
  });

  test("and rejects a DSA key with a sentence before dialling", async () => {
    const path = join(authority, "dsa");
    keygen("-t", "dsa", "-N", "", "-f", path);
    const before = sshd.connections();
    const job = await run({ ...target(), pkey: readFileSync(path, "utf8"), look_for_keys: false });
    expect(job.result?.error).toMatchObject({
      type: "AuthenticationFailed",
      message: "Private key pkey cannot be used: DSA keys are not supported",
    });
    expect(sshd.connections()).toBe(before);
  });

  test("nowhere if known_hosts revokes the host key, whatever the policy", async () => {
    const login = { host: asking.host, port: asking.port, username: asking.user, password: asking.password };
    for (const host_key_policy of ["auto_add", "warning"]) {
      const job = await run({ ...login, host_key_policy });
      expect(job.result?.error).toMatchObject({
        type: "HostKeyMismatch",
        message: expect.stringContaining("is revoked in known_hosts"),
      });
    }
  });

  test("and reports a changed host key in the job and the connection test", async () => {
    const login = { host: asking.host, port: asking.port, username: asking.user, password: asking.password };
    const other = read("given.pub").split(" ").slice(0, 2).join(" ");
    writeFileSync(join(authority, "known_hosts"), `[${asking.host}]:${asking.port} ${other}\n`);
    const before = asking.log().length;
    const text = `Host key of ${asking.host} does not match the known one`;
    const job = await run(login);
    expect(job.result?.error).toMatchObject({
      type: "HostKeyMismatch",
      message: expect.stringContaining(text),
    });
    const { body } = await service.call("POST", "/device/test-connection", {
      driver: "paramiko",
      connection_args: login,
    });
    expect(body.data).toMatchObject({ success: false, error_message: text });
    expect(asking.log().slice(before)).not.toMatch(/password|keyboard/);
  });

  test("by answering PAM's prompts with the password, only once if it is wrong", async () => {
    writeFileSync(join(authority, "known_hosts"), "");
    const login = { host: asking.host, port: asking.port, username: asking.user };
    const job = await run({ ...login, password: asking.password });
    expect(job.result?.retval).toMatchObject({ "id -un": { output: `${asking.user}\n` } });
    await asking.said(/Accepted keyboard-interactive\/pam/);
    const before = asking.log().length;
    const failed = await run({ ...login, password: "not-it", look_for_keys: false });
    expect(failed.result?.error).toMatchObject({
      type: "AuthenticationFailed",
      message: `Authentication failed for ${asking.user}@${asking.host}`,
    });
    const failures = () => asking.log().slice(before).split("Failed keyboard-interactive/pam for").length;
    await expect.poll(failures).toBe(2);
  });
});
