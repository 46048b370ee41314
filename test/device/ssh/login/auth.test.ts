/**
 * Authentication with a real sshd: password, keyboard-interactive, keys of all types and formats, multiple
 * factors, an agent.
 */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../../scripts/testbed/openssh.ts";
import { run } from "../../../../scripts/testbed/run.ts";
import { secret } from "../../../../src/base/secrets/secret.ts";
import { createSsh } from "../../../../src/device/ssh/connect.ts";
import type { PrivateKey } from "../../../../src/plugin/kit/ssh.ts";
import {
  failure,
  memoryOfHostKeys,
  newSsh,
  scopeOf,
  targetOf,
  temporaryFolder,
  withConnection,
  withoutPassword,
} from "../support.ts";

const folder = temporaryFolder();
const phrase = "correct horse";

/** ssh-keygen type and format, or an openssl command that converts another key. */
const forms: Record<string, (path: string) => void> = {
  "RSA, OpenSSH": (path) => keygen(path, "rsa", []),
  "RSA, PEM": (path) => keygen(path, "rsa", ["-m", "PEM"]),
  "RSA, PEM, encrypted": (path) => keygen(path, "rsa", ["-m", "PEM"], phrase),
  "RSA, PKCS#8": (path) => keygen(path, "rsa", ["-m", "PKCS8"]),
  "RSA, PKCS#8, encrypted": (path) => keygen(path, "rsa", ["-m", "PKCS8"], phrase),
  "RSA, PKCS#8, encrypted with 3DES": (path) => pkcs8(path, "rsa", ["-v1", "PBE-SHA1-3DES"]),
  "RSA, OpenSSH, encrypted": (path) => keygen(path, "rsa", [], phrase),
  "ECDSA 256, OpenSSH": (path) => keygen(path, "ecdsa", ["-b", "256"]),
  "ECDSA 384, PEM, encrypted": (path) => keygen(path, "ecdsa", ["-b", "384", "-m", "PEM"], phrase),
  "ECDSA 521, PKCS#8": (path) => keygen(path, "ecdsa", ["-b", "521", "-m", "PKCS8"]),
  "ECDSA 256, PKCS#8, encrypted": (path) => keygen(path, "ecdsa", ["-b", "256", "-m", "PKCS8"], phrase),
  "Ed25519, OpenSSH": (path) => keygen(path, "ed25519", []),
  "Ed25519, OpenSSH, encrypted": (path) => keygen(path, "ed25519", [], phrase),
  "Ed25519, OpenSSH, encrypted with AES-GCM": (path) =>
    keygen(path, "ed25519", ["-Z", "aes256-gcm@openssh.com"], phrase),
  "Ed25519, OpenSSH, encrypted with AES-CBC": (path) => keygen(path, "ed25519", ["-Z", "aes256-cbc"], phrase),
  "Ed25519, PKCS#8": (path) => ed25519Pkcs8(path),
  "Ed25519, PKCS#8, encrypted": (path) => ed25519Pkcs8(path, ["-v2", "aes-256-cbc"]),
};

/** Larger RSA keys are tried in matrix.test.ts; they take three times as long to make. */
function keygen(path: string, type: string, options: string[], passphrase = ""): void {
  const into = [...options, "-N", passphrase, "-f", path];
  if (type !== "rsa") {
    run(["ssh-keygen", "-q", "-t", type, ...into], { mustSucceed: true });
    return;
  }
  // The same key in every form, so that a form shows how it is read, and no other key: to make one takes a tenth of a
  // second or several.
  const [plain, open] = [join(folder, "rsa"), join(folder, "rsa.pub")];
  if (!existsSync(plain))
    run(["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", plain], { mustSucceed: true });
  copyFileSync(plain, path);
  copyFileSync(open, `${path}.pub`);
  run(["ssh-keygen", "-q", "-p", "-P", "", ...into], { mustSucceed: true });
}

function pkcs8(path: string, type: string, encryption: string[]): void {
  const plain = `${path}.plain`;
  keygen(plain, type, ["-m", "PKCS8"]);
  encrypt(plain, path, encryption);
  run(["cp", `${plain}.pub`, `${path}.pub`], { mustSucceed: true });
}

function encrypt(from: string, to: string, encryption: string[]): void {
  const output = ["-out", to, "-passout", `pass:${phrase}`];
  run(["openssl", "pkcs8", "-topk8", "-in", from, ...encryption, ...output], { mustSucceed: true });
}

/** ssh-keygen neither writes nor reads PKCS#8 of this type, so Node derives the public key. */
function ed25519Pkcs8(path: string, encryption?: string[]): void {
  const plain = `${path}.plain`;
  run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", plain], { mustSucceed: true });
  const der = run(["openssl", "pkey", "-in", plain, "-pubout", "-outform", "PEM"], {
    mustSucceed: true,
  }).stdout;
  const point = Buffer.from(der.replace(/-----[^-]+-----|\s/g, ""), "base64").subarray(-32);
  const blob = Buffer.concat([wireString("ssh-ed25519"), wireString(point)]);
  run(["sh", "-c", `echo "ssh-ed25519 ${blob.toString("base64")}" > ${path}.pub`], { mustSucceed: true });
  if (encryption) encrypt(plain, path, encryption);
  else run(["cp", plain, path], { mustSucceed: true });
}

function wireString(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const names = Object.keys(forms);
const fileOf = (name: string) => join(folder, name.replaceAll(/\W+/g, "-"));
const publicKey = (name: string) => readFileSync(`${fileOf(name)}.pub`, "utf8").trim();

function keyOf(name: string, passphrase = name.includes("encrypted") ? phrase : undefined): PrivateKey {
  const pem = secret(readFileSync(fileOf(name), "utf8"));
  return passphrase === undefined
    ? { pem, label: name }
    : { pem, label: name, passphrase: secret(passphrase) };
}

describe.skipIf(needs("openssh"))("a login at a real sshd", () => {
  let server: Sshd;
  beforeAll(async () => {
    for (const name of names) {
      forms[name]?.(fileOf(name));
      expect(existsSync(fileOf(name))).toBe(true);
    }
    server = await startSshd({
      authorizedKeys: names.map(publicKey),
      config: ["PubkeyAcceptedAlgorithms +ssh-rsa"],
    });
  });
  afterAll(() => server?.stop());

  const loginWith = (changes: Parameters<typeof targetOf>[1], at = server) =>
    withConnection(targetOf(at, changes), (connection, scope) => connection.exec("id -un", {}, scope));
  const logKeys = (keys: readonly PrivateKey[], at = server) =>
    withConnection({ ...withoutPassword(targetOf(at)), keys }, (connection, scope) =>
      connection.exec("id -un", {}, scope),
    );

  test("with a password succeeds without first asking for the methods", async () => {
    expect((await loginWith({})).stdout).toBe(`${server.user}\n`);
    expect(server.log()).not.toContain("Failed none");
  });

  test.each(names)("with a key succeeds: %s", async (name) => {
    expect((await logKeys([keyOf(name)])).stdout).toBe(`${server.user}\n`);
  });

  test("accepts a key with Windows line ends and surrounding blanks", async () => {
    const { pem } = keyOf("Ed25519, OpenSSH");
    const text = `\r\n  ${pem.reveal().replaceAll("\n", "\r\n")}\r\n`;
    expect((await logKeys([{ pem: secret(text), label: "pkey" }])).stdout).toBe(`${server.user}\n`);
  });

  test("tries the next key after an unknown and an unreadable one", async () => {
    const stranger = join(folder, "stranger");
    keygen(stranger, "ed25519", []);
    const keys = [
      { pem: secret(readFileSync(stranger, "utf8")), label: "stranger" },
      { pem: secret("not a key"), label: "broken" },
      keyOf("RSA, PEM"),
    ];
    expect((await logKeys(keys)).stdout).toBe(`${server.user}\n`);
    const error = await failure(logKeys(keys.slice(0, 2)));
    expect(error.kind).toBe("AuthenticationFailed");
    expect(error.detail?.tried).toEqual(["publickey"]);
    expect(error.detail?.unusable).toEqual([expect.stringContaining("Private key broken cannot be used")]);
  });

  test("tries the password before too many found keys exhaust the server's limit", async () => {
    const keys = Array.from({ length: 8 }, (_, at) => {
      keygen(join(folder, `found-${at}`), "ed25519", []);
      const pem = secret(readFileSync(join(folder, `found-${at}`), "utf8"));
      return { pem, label: `found-${at}`, found: true };
    });
    expect((await loginWith({ keys, keysFirst: true })).stdout).toBe(`${server.user}\n`);
  });

  test("tries a key after a wrong password", async () => {
    const changes = { password: secret("wrong"), keys: [keyOf("Ed25519, OpenSSH")] };
    expect((await loginWith(changes)).stdout).toBe(`${server.user}\n`);
  });

  test("tries a wrong password once, and its error names only user and host", async () => {
    const before = server.log().split("Failed password").length;
    const error = await failure(
      newSsh().connect(targetOf(server, { password: secret("wrong-canary") }), scopeOf()),
    );
    expect(error.kind).toBe("AuthenticationFailed");
    expect(error.message).toBe(`Authentication failed for ${server.user}@${server.host}`);
    expect(JSON.stringify(error.detail)).not.toContain("canary");
    // The server logs independently of its response.
    await expect.poll(() => server.log().split("Failed password").length).toBe(before + 1);
  });

  test.each(["PEM", "RFC4716"])("fails before connecting if the key is a DSA key (%s)", async (form) => {
    const path = join(folder, `dsa-${form}`);
    keygen(path, "dsa", ["-m", form]);
    const before = server.connections();
    const error = await failure(logKeys([{ pem: secret(readFileSync(path, "utf8")), label: "pkey" }]));
    expect(error.kind).toBe("AuthenticationFailed");
    expect(error.message).toBe("Private key pkey cannot be used: DSA keys are not supported");
    expect(server.connections()).toBe(before);
  });

  test("of an unknown user fails like one with a wrong password", async () => {
    const error = await failure(newSsh().connect(targetOf(server, { username: "nobody-here" }), scopeOf()));
    expect(error.kind).toBe("AuthenticationFailed");
    expect(error.message).toBe(`Authentication failed for nobody-here@${server.host}`);
  });

  test("without any credentials fails", async () => {
    const error = await failure(newSsh().connect(withoutPassword(targetOf(server)), scopeOf()));
    expect(error.kind).toBe("AuthenticationFailed");
  });

  test("answers keyboard-interactive prompts with the password if the password method is off", async () => {
    const asking = await startSshd({ keyboardInteractive: true, password: false });
    try {
      expect((await loginWith({}, asking)).stdout).toBe(`${asking.user}\n`);
      const error = await failure(
        newSsh().connect(targetOf(asking, { password: secret("wrong") }), scopeOf()),
      );
      expect(error.kind).toBe("AuthenticationFailed");
      expect(error.detail?.tried).toEqual(["password", "keyboard-interactive"]);
    } finally {
      await asking.stop();
    }
  });

  test.each(["publickey,password", "password,publickey"])(
    "passes two-factor authentication in the order %s",
    async (methods) => {
      const name = "Ed25519, OpenSSH";
      const strict = await startSshd({
        authorizedKeys: [publicKey(name)],
        config: [`AuthenticationMethods ${methods}`],
      });
      try {
        expect((await loginWith({ keys: [keyOf(name)] }, strict)).stdout).toBe(`${strict.user}\n`);
      } finally {
        await strict.stop();
      }
    },
  );

  test("with an RSA key succeeds at a server that accepts only SHA-2 signatures", async () => {
    const strict = await startSshd({
      authorizedKeys: [publicKey("RSA, PKCS#8")],
      pubkeyAlgorithms: "rsa-sha2-512,rsa-sha2-256",
    });
    try {
      expect((await logKeys([keyOf("RSA, PKCS#8")], strict)).stdout).toBe(`${strict.user}\n`);
    } finally {
      await strict.stop();
    }
  });

  test("uses an agent only if the operator configured its socket", async () => {
    const socket = join(folder, "agent");
    const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
    try {
      while (!existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 10));
      run(["env", `SSH_AUTH_SOCK=${socket}`, "ssh-add", "-q", fileOf("ECDSA 256, OpenSSH")], {
        mustSucceed: true,
      });
      const target = { ...withoutPassword(targetOf(server)), agent: true };
      const ssh = createSsh({ hostKeys: memoryOfHostKeys(), agentSocket: socket });
      const { stdout } = await withConnection(
        target,
        (connection, scope) => connection.exec("id -un", {}, scope),
        ssh,
      );
      expect(stdout).toBe(`${server.user}\n`);
      const error = await failure(newSsh().connect(target, scopeOf()));
      expect(error.kind).toBe("AuthenticationFailed");
      expect(error.message).toBe("There is no agent: PATCHBAY_AGENT_SOCKET is not set");
    } finally {
      agent.kill();
    }
  });
});
