/** Each algorithm alone against a real sshd, in a plain run some: a login, and 300 KB each way, verified by hash. */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, type SshdOptions, startSshd } from "../../../scripts/testbed/openssh.ts";
import type { SshTarget } from "../../../src/plugin/kit/ssh.ts";
import { sampled } from "../../support/sampled.ts";
import { failure, newSsh, scopeOf, targetOf, temporaryFolder, withConnection } from "./support.ts";

const folder = temporaryFolder();
const bytes = randomBytes(300_000);
const sha256 = createHash("sha256").update(bytes).digest("hex");
const local = join(folder, "sent");
writeFileSync(local, bytes);

const kex = {
  modern: [
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
    "diffie-hellman-group14-sha256",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group18-sha512",
    "diffie-hellman-group-exchange-sha256",
  ],
  legacy: ["diffie-hellman-group14-sha1", "diffie-hellman-group-exchange-sha1", "diffie-hellman-group1-sha1"],
} as const;
const ciphers = {
  modern: [
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "aes128-ctr",
    "aes192-ctr",
    "aes256-ctr",
    "chacha20-poly1305@openssh.com",
  ],
  legacy: ["aes128-cbc", "aes192-cbc", "aes256-cbc", "3des-cbc"],
} as const;
const macs = {
  modern: [
    "hmac-sha2-256-etm@openssh.com",
    "hmac-sha2-512-etm@openssh.com",
    "hmac-sha1-etm@openssh.com",
    "hmac-sha2-256",
    "hmac-sha2-512",
    "hmac-sha1",
  ],
  legacy: ["hmac-sha1-96", "hmac-md5", "hmac-md5-96"],
} as const;
const hostKeys: Record<SshTarget["profile"], [kind: string, algorithm: string][]> = {
  modern: [
    ["ed25519", "ssh-ed25519"],
    ["ecdsa-256", "ecdsa-sha2-nistp256"],
    ["ecdsa-384", "ecdsa-sha2-nistp384"],
    ["ecdsa-521", "ecdsa-sha2-nistp521"],
    ["rsa-2048", "rsa-sha2-256"],
    ["rsa-2048", "rsa-sha2-512"],
  ],
  legacy: [
    ["rsa-2048", "ssh-rsa"],
    ["rsa-1024", "ssh-rsa"],
  ],
};

/** sshd refuses RSA keys under 2048 bits unless configured to accept them. */
const weakKeys = ["RequiredRSASize 1024"];

async function withServer<T>(options: SshdOptions, work: (server: Sshd) => Promise<T>): Promise<T> {
  const server = await startSshd(options);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Logs in and transfers the bytes both ways. */
function moves(options: SshdOptions, profile: SshTarget["profile"]): Promise<void> {
  return withServer(options, async (server) => {
    await withConnection(targetOf(server, { profile }), async (connection, scope) => {
      const remotePath = join(server.folder, "file");
      const back = join(folder, "received");
      expect(server.hostKeys.map((key) => key.fingerprint)).toContain(connection.hostKey.fingerprint);
      expect((await connection.upload({ localPath: local, remotePath }, scope)).sha256).toBe(sha256);
      const { stdout } = await connection.exec(`sha256sum ${remotePath}`, {}, scope);
      expect(stdout.slice(0, 64)).toBe(sha256);
      expect((await connection.download({ localPath: back, remotePath }, scope)).sha256).toBe(sha256);
      expect(createHash("sha256").update(readFileSync(back)).digest("hex")).toBe(sha256);
    });
  });
}

describe.skipIf(needs("openssh"))("a handshake with a real sshd", () => {
  describe.each(["modern", "legacy"] as const)("in profile %s", (profile) => {
    const most = profile === "modern" ? 3 : 2;
    const some = <T>(all: readonly T[]) => sampled(all, most, () => "an algorithm");
    test.each(some(kex[profile]))("uses key exchange %s", (name) => moves({ kex: name }, profile));
    test.each(some(ciphers[profile]))("uses cipher %s", (name) => moves({ ciphers: name }, profile));
    test.each(some(macs[profile]))("uses MAC %s", (name) =>
      moves({ ciphers: "aes128-ctr", macs: name }, profile),
    );
    test.each(some(hostKeys[profile]))("uses a %s host key as %s", (kind, hostKeyAlgorithms) =>
      moves({ hostKeys: [kind], hostKeyAlgorithms, config: weakKeys }, profile),
    );
  });

  const pairs = ["aes128-cbc", "3des-cbc"].flatMap((cipher) =>
    ["hmac-sha1", "hmac-md5", "hmac-sha2-256"].map((mac) => ({ cipher, mac })),
  );
  test.each(sampled(pairs, 2, ({ cipher }) => cipher))("uses $cipher with $mac", ({ cipher, mac }) =>
    moves({ ciphers: cipher, macs: mac }, "legacy"),
  );

  test("succeeds at a server that offers only group1, 3des, md5 and ssh-rsa", () =>
    moves(
      {
        kex: "diffie-hellman-group1-sha1",
        ciphers: "3des-cbc",
        macs: "hmac-md5",
        hostKeys: ["rsa-1024"],
        hostKeyAlgorithms: "ssh-rsa",
        config: weakKeys,
      },
      "legacy",
    ));

  test.each(["zlib@openssh.com", "none"])(
    "succeeds with compression requested if the server offers %s",
    (method) =>
      withServer({ config: [`Compression ${method === "none" ? "no" : "delayed"}`] }, async (server) => {
        await withConnection(targetOf(server, { compress: true }), async (connection, scope) => {
          const { stdout } = await connection.exec("head -c 300000 /dev/zero | base64", {}, scope);
          expect(stdout.replaceAll("\n", "")).toBe("A".repeat(400_000));
        });
      }),
  );

  const renewing = [
    ["aes128-gcm@openssh.com", "hmac-sha2-256"],
    ["aes256-ctr", "hmac-sha2-256-etm@openssh.com"],
    ["aes128-cbc", "hmac-sha1"],
    ["3des-cbc", "hmac-md5"],
    ["chacha20-poly1305@openssh.com", "hmac-sha2-256"],
  ] as const;
  test.each(sampled(renewing, 2, () => "a cipher"))(
    "renews the session keys every megabyte with %s",
    (cipher, mac) =>
      withServer(
        { ciphers: cipher, macs: mac, rekeyLimit: "1M", config: ["LogLevel DEBUG1"] },
        async (server) => {
          const big = join(folder, "big");
          const content = randomBytes(3_000_000);
          writeFileSync(big, content);
          const hash = createHash("sha256").update(content).digest("hex");
          await withConnection(targetOf(server, { profile: "legacy" }), async (connection, scope) => {
            const remotePath = join(server.folder, "big");
            expect((await connection.upload({ localPath: big, remotePath }, scope)).sha256).toBe(hash);
            const back = join(folder, "big-back");
            expect((await connection.download({ localPath: back, remotePath }, scope)).sha256).toBe(hash);
          });
          await expect.poll(() => server.log().split("SSH2_MSG_NEWKEYS received").length).toBeGreaterThan(5);
        },
      ),
  );

  describe("that finds no common algorithm", () => {
    const refuse = async (options: SshdOptions, profile: SshTarget["profile"]) => {
      const server = await startSshd(options);
      try {
        return await failure(newSsh().connect(targetOf(server, { profile }), scopeOf()));
      } finally {
        await server.stop();
      }
    };
    test.each([
      [{ kex: "diffie-hellman-group1-sha1" }, "key exchange", "diffie-hellman-group1-sha1"],
      [{ ciphers: "3des-cbc" }, "cipher", "3des-cbc"],
      [{ ciphers: "aes128-ctr", macs: "hmac-md5" }, "MAC", "hmac-md5"],
      [{ hostKeys: ["rsa-2048"], hostKeyAlgorithms: "ssh-rsa" }, "host key", "ssh-rsa"],
    ])("names the old algorithm and the legacy profile: %j", async (options, category, offered) => {
      const error = await refuse(options, "modern");
      expect(error.kind).toBe("DriverError");
      expect(error.message).toContain(
        `has no ${category} algorithm in common with this service: it offers ${offered}`,
      );
      expect(error.message).toContain('ssh_profile "legacy"');
      expect(error.detail?.offered).toContain(offered);
    });

    test.each([
      [{ kex: "sntrup761x25519-sha512@openssh.com" }, "key exchange"],
      [{ ciphers: "aes128-ctr", macs: "umac-64@openssh.com" }, "MAC"],
    ])("does not suggest the legacy profile if it would not help: %j", async (options, category) => {
      const error = await refuse(options, "modern");
      expect(error.message).toContain(`has no ${category} algorithm`);
      expect(error.message).not.toContain("legacy");
    });

    test.each(["modern", "legacy"] as const)("rejects a DSA host key in profile %s", async (profile) => {
      const error = await refuse({ hostKeys: ["dsa"], hostKeyAlgorithms: "ssh-dss" }, profile);
      expect(error.message).toContain("it offers ssh-dss");
      expect(error.message).not.toContain('ssh_profile "legacy"');
    });
  });
});
