/** known_hosts written by OpenSSH's own tools take precedence over learned keys. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../../scripts/testbed/openssh.ts";
import { run } from "../../../../scripts/testbed/run.ts";
import { fitsPatterns } from "../../../../src/base/net/ssh-patterns.ts";
import { createSsh } from "../../../../src/device/ssh/connect.ts";
import { readKnownHosts, withKnownHosts } from "../../../../src/device/ssh/login/known-hosts.ts";
import type { HostKeyPolicy } from "../../../../src/plugin/kit/ssh.ts";
import { failure, memoryOfHostKeys, scopeOf, targetOf, temporaryFolder, withConnection } from "../support.ts";

const file = join(temporaryFolder(), "known_hosts");

describe.skipIf(needs("openssh"))("a known_hosts file", () => {
  let server: Sshd;
  let key: string;
  let other: string;
  beforeAll(async () => {
    server = await startSshd();
    const scanned = run(["ssh-keyscan", "-t", "ed25519", "-p", String(server.port), server.host], {
      mustSucceed: true,
    }).stdout;
    key =
      scanned
        .split("\n")
        .find((line) => !line.startsWith("#"))
        ?.split(" ")
        .slice(1)
        .join(" ") ?? "";
    const stranger = join(temporaryFolder(), "stranger");
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", stranger], { mustSucceed: true });
    other = readFileSync(`${stranger}.pub`, "utf8").split(" ").slice(0, 2).join(" ");
  });
  afterAll(() => server?.stop());

  /** Logs in with the operator's file; `learnt` holds the store's keys. */
  async function login(text: string, policy: HostKeyPolicy = "reject", learnt = memoryOfHostKeys()) {
    writeFileSync(file, text);
    const ssh = createSsh({ hostKeys: withKnownHosts(learnt, [file]) });
    return withConnection(targetOf(server, { hostKeyPolicy: policy }), async (c) => c.hostKey, ssh);
  }
  const name = () => `[${server.host}]:${server.port}`;

  test.each([
    ["its port", () => name()],
    ["in a list of hosts", () => `other.example,${name()},10.0.0.1`],
    ["by wildcard", () => `[127.0.0.?]:*`],
    ["after comments and blanks", () => `# comment\n\n\t ${name()}`],
  ])("matches a host: %s", async (_name, names) => {
    expect((await login(`${names()} ${key}\n`)).fingerprint).toBe(server.hostKeys[0]?.fingerprint);
  });

  test("matches a host by its hash, as ssh-keygen -H writes it", async () => {
    writeFileSync(file, `${name()} ${key}\n`);
    run(["ssh-keygen", "-q", "-H", "-f", file]);
    const hashed = readFileSync(file, "utf8");
    expect(hashed).toMatch(/^\|1\|/);
    expect((await login(hashed)).fingerprint).toBe(server.hostKeys[0]?.fingerprint);
  });

  test.each([
    ["another port", () => `[127.0.0.1]:1 ${key}`],
    ["an entry without the port", () => `127.0.0.1 ${key}`],
    ["a negated pattern", () => `[127.0.0.*]:*,!${name()} ${key}`],
    ["an unknown marker", () => `@trusted ${name()} ${key}`],
    ["an incomplete line", () => `${name()} ssh-ed25519`],
  ])("does not match a host: %s", async (_name, line) => {
    expect((await failure(login(line()))).message).toContain(`Host key of ${server.host} is not known`);
  });

  test("with another key for the host overrides learnt keys, and nothing is learnt", async () => {
    const learnt = memoryOfHostKeys();
    for (const hostKey of server.hostKeys) learnt.learn(server.host, server.port, hostKey, []);
    const error = await failure(login(`${name()} ${other}`, "auto_add", learnt));
    expect(error.message).toContain(`Host key of ${server.host} does not match the known one`);
    const empty = memoryOfHostKeys();
    await login(`${name()} ${key}`, "auto_add", empty);
    expect(empty.all.size).toBe(0);
  });

  test.each(["auto_add", "warning", "reject"] as const)(
    "with a revoked key rejects the host under %s",
    async (policy) => {
      const learnt = memoryOfHostKeys();
      for (const hostKey of server.hostKeys) learnt.learn(server.host, server.port, hostKey, []);
      const before = server.log().length;
      const error = await failure(login(`${name()} ${key}\n@revoked * ${key}`, policy, learnt));
      expect(error.kind).toBe("HostKeyMismatch");
      expect(error.message).toContain(
        `Host key of ${server.host} is revoked in known_hosts (ssh-ed25519 SHA256:`,
      );
      expect(server.log().slice(before)).not.toMatch(/password/i);
    },
  );

  test("with only a certificate authority rejects the host with a reason, or warns", async () => {
    const line = `@cert-authority [127.*]:* ${other}`;
    const error = await failure(login(line, "auto_add"));
    expect(error.message).toContain("host certificates are not supported: add its key");
    expect((await login(line, "warning")).warning).toContain("@cert-authority");
    expect((await login(`${line}\n${name()} ${key}`)).warning).toBeUndefined();
  });

  test("is read again when it changes; if it is missing, all logins fail", async () => {
    const ssh = createSsh({ hostKeys: withKnownHosts(memoryOfHostKeys(), [file]) });
    const connect = () => withConnection(targetOf(server), async (c) => c.hostKey.fingerprint, ssh);
    writeFileSync(file, `${name()} ${key}\n`);
    await connect();
    writeFileSync(file, `${name()} ${other}\n\n`);
    expect((await failure(connect())).kind).toBe("HostKeyMismatch");
    rmSync(file);
    const error = await failure(ssh.connect(targetOf(server), scopeOf()));
    expect(error).toMatchObject({ kind: "DriverError", detail: { outcome: "none" } });
    expect(error.message).toContain(`PATCHBAY_KNOWN_HOSTS: ${file} cannot be read`);
  });
});

test("known_hosts patterns support stars, question marks and negation, in linear time", () => {
  expect(fitsPatterns("web1.branch", ["web?.*"])).toBe(true);
  expect(fitsPatterns("web1.branch", ["*", "!*.branch"])).toBe(false);
  expect(fitsPatterns("web1", ["!web2"])).toBe(false);
  expect(fitsPatterns("a".repeat(5000), [`${"*a".repeat(500)}b`])).toBe(false);
});

test("a known_hosts name without a port means port 22, in any case", () => {
  const { plain } = readKnownHosts("Web1.Branch ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==\n");
  expect([...plain.keys()]).toEqual(["web1.branch"]);
});
