/** OpenSSH user certificates on a real sshd that trusts a CA but knows none of the keys. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../../scripts/testbed/catalogue.ts";
import { linuxUser, type Sshd, startSshd } from "../../../../scripts/testbed/openssh.ts";
import { run } from "../../../../scripts/testbed/run.ts";
import { secret } from "../../../../src/base/secrets/secret.ts";
import { doubtOf, parseCertificate } from "../../../../src/device/ssh/login/certificate.ts";
import type { PrivateKey } from "../../../../src/plugin/kit/ssh.ts";
import {
  failure,
  newSsh,
  scopeOf,
  targetOf,
  temporaryFolder,
  withConnection,
  withoutPassword,
} from "../support.ts";

const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
const keygen = (...args: string[]) => run(["ssh-keygen", "-q", ...args], { mustSucceed: true });

/** Signs the key in a file; returns the certificate line. */
function sign(name: string, as: string, ...options: string[]): string {
  writeFileSync(at(`${as}.pub`), readFileSync(at(`${name}.pub`)));
  keygen("-s", at("authority"), "-I", "branch office", ...options, at(`${as}.pub`));
  return readFileSync(at(`${as}-cert.pub`), "utf8");
}

const kinds: Record<string, string[]> = {
  "ssh-ed25519": ["-t", "ed25519"],
  "ssh-rsa": ["-t", "rsa", "-b", "2048"],
  "ecdsa-sha2-nistp256": ["-t", "ecdsa", "-b", "256"],
  "ecdsa-sha2-nistp384": ["-t", "ecdsa", "-b", "384"],
  "ecdsa-sha2-nistp521": ["-t", "ecdsa", "-b", "521"],
};

describe.skipIf(needs("openssh"))("a user certificate at a real sshd", () => {
  const { name: user } = linuxUser();
  let server: Sshd;
  beforeAll(async () => {
    keygen("-t", "ed25519", "-N", "", "-f", at("authority"));
    keygen("-t", "ed25519", "-N", "", "-f", at("stranger"));
    for (const [kind, args] of Object.entries(kinds)) keygen(...args, "-N", "", "-f", at(kind));
    server = await startSshd({ config: [`TrustedUserCAKeys ${at("authority.pub")}`] });
  });
  afterAll(() => server?.stop());

  const keyOf = (name: string, certificate?: string): PrivateKey => ({
    pem: secret(readFileSync(at(name), "utf8")),
    label: name,
    ...(certificate === undefined ? {} : { certificate }),
  });
  const target = (keys: readonly PrivateKey[]) => ({ ...withoutPassword(targetOf(server)), keys });
  const logIn = (...keys: PrivateKey[]) =>
    withConnection(target(keys), (connection, scope) => connection.exec("id -un", {}, scope));
  const refused = (...keys: PrivateKey[]) => failure(newSsh().connect(target(keys), scopeOf()));

  test.each(Object.keys(kinds))("is accepted: %s", async (kind) => {
    const certificate = sign(kind, `good-${kind}`, "-n", user, "-V", "+1h", "-z", "7");
    expect((await logIn(keyOf(kind, certificate))).stdout).toBe(`${user}\n`);
    await server.said(/Accepted certificate ID "branch office" \(serial 7\) signed by ED25519 CA/);
  });

  test("signed with RSA and valid forever is accepted", async () => {
    const certificate = sign("ssh-rsa", "ever", "-n", `other,${user}`, "-V", "always:forever");
    expect((await logIn(keyOf("ssh-rsa", certificate))).stdout).toBe(`${user}\n`);
    await server.said(/rsa-sha2-(256|512)|RSA-CERT/);
  });

  test("is required where the key alone is unknown, and the error mentions no certificate", async () => {
    const error = await refused(keyOf("ssh-ed25519"));
    expect(error.message).toBe(`Authentication failed for ${user}@127.0.0.1`);
  });

  test.each([
    [
      "expired",
      ["-V", "20200101:20200102", "-n", "USER"],
      /the certificate of ssh-ed25519 \(branch office\) expired at 2020-01-0\dT/,
    ],
    [
      "not yet valid",
      ["-V", "20990101:20990102", "-n", "USER"],
      / is not valid before 2098-12-31T|2099-01-01T/,
    ],
    [
      "issued for other users",
      ["-V", "+1h", "-n", "root,backup"],
      /\(branch office\) is for root, backup, not for /,
    ],
  ])("that is %s fails with that reason", async (name, options, text) => {
    const certificate = sign(
      "ssh-ed25519",
      name.replaceAll(" ", "-"),
      ...options.map((option) => option.replace("USER", user)),
    );
    const error = await refused(keyOf("ssh-ed25519", certificate));
    expect(error.kind).toBe("AuthenticationFailed");
    expect(error.message).toMatch(/^Authentication failed for [\w-]+@127\.0\.0\.1: /);
    expect(error.message).toMatch(text);
  });

  test("that is rejected does not keep the key itself from being tried", async () => {
    const certificate = sign("ssh-ed25519", "late", "-V", "20200101:20200102", "-n", user);
    const keyServer = await startSshd({
      authorizedKeys: [readFileSync(at("ssh-ed25519.pub"), "utf8").trim()],
    });
    try {
      const target = { ...withoutPassword(targetOf(keyServer)), keys: [keyOf("ssh-ed25519", certificate)] };
      const { stdout } = await withConnection(target, (connection, scope) =>
        connection.exec("id -un", {}, scope),
      );
      expect(stdout).toBe(`${user}\n`);
    } finally {
      await keyServer.stop();
    }
  });

  test.each([
    [
      "it belongs to another key",
      () => sign("stranger", "strange", "-n", user),
      "it was issued for another key",
    ],
    [
      "it is a host certificate",
      () => sign("ssh-ed25519", "host", "-h", "-n", "h"),
      "it is for a host, not for a user",
    ],
    [
      "it is a public key",
      () => readFileSync(at("stranger.pub"), "utf8"),
      "it is not an OpenSSH certificate",
    ],
    ["it is arbitrary text", () => "canary", "it is not an OpenSSH certificate"],
  ])("is not sent, and reported as unusable: %s", async (_name, make, why) => {
    const error = await refused(keyOf("ssh-ed25519", make()));
    expect(error.detail?.unusable).toEqual([
      expect.stringContaining(`The certificate of ssh-ed25519 cannot be used: ${why}`),
    ]);
  });

  test("truncated anywhere is reported as invalid, without a crash", () => {
    const [type, encoded = ""] = sign("ssh-ed25519", "cut", "-n", user).split(" ");
    const bytes = Buffer.from(encoded, "base64");
    expect(parseCertificate(`${type} ${encoded}`)).toMatchObject({
      keyId: "branch office",
      principals: [user],
    });
    for (let length = 0; length < 200; length++) {
      const found = parseCertificate(`${type} ${bytes.subarray(0, length).toString("base64")}`);
      expect(found === undefined || doubtOf(found, user) === undefined).toBe(true);
    }
  });
});
