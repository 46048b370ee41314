/** Errors of unusable private keys: one sentence, without any part of the key. */
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { secret } from "../../../../src/base/secrets/secret.ts";
import { readPrivateKey } from "../../../../src/device/ssh/login/keys.ts";
import { makeKeyPair } from "../../../../src/testkit/simulator/hostkey.ts";

const encrypted = (type: "pkcs8" | "pkcs1") =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type, format: "pem", cipher: "aes-256-cbc", passphrase: "right" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
const openSsh = makeKeyPair({
  passphrase: "right",
  cipher: "aes256-ctr",
  rounds: 4,
});
const pkcs8 = encrypted("pkcs8");
const pem = encrypted("pkcs1");

function problem(text: string, passphrase?: string): string {
  const key = readPrivateKey({
    pem: secret(text),
    label: "pkey",
    ...(passphrase === undefined ? {} : { passphrase: secret(passphrase) }),
  });
  return "problem" in key ? key.problem : "";
}

/** The header alone identifies it; real ones are refused in auth.test.ts. */
const dsa = `-----BEGIN DSA PRIVATE KEY-----
MIIBuwIBAAKBgQDsaTestOnly
-----END DSA PRIVATE KEY-----`;

describe("an unusable private key", () => {
  const forms = { "PKCS#8": pkcs8.privateKey, PEM: pem.privateKey, OpenSSH: openSsh.private };
  test.each(Object.entries(forms))(
    "in the form %s is reported if its passphrase is missing or wrong",
    (_form, text) => {
      expect(problem(text, "right")).toBe("");
      expect(problem(text)).toBe("Private key pkey cannot be used: it is encrypted and needs its passphrase");
      expect(problem(text, "")).toContain("needs its passphrase");
      expect(problem(text, "wrong")).toBe("Private key pkey cannot be used: the passphrase is wrong");
    },
  );

  test.each([
    ["DSA", dsa, "DSA keys are not supported"],
    ["a public key", pkcs8.publicKey, "this is a public key"],
    ["a public key of OpenSSH", openSsh.public, "this is a public key"],
    ["arbitrary text", "hello", "does not hold a private key in PEM or OpenSSH form"],
    ["an empty string", "", "does not hold a private key in PEM or OpenSSH form"],
    ["a damaged PEM key", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----", "damaged"],
    ["a damaged PKCS#8", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "damaged"],
  ])("is reported: %s", (_name, text, said) => {
    expect(problem(text)).toContain(said);
  });

  test("of a type that SSH does not use is reported", () => {
    const x25519 = generateKeyPairSync("x25519")
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString();
    expect(problem(x25519)).toBe("Private key pkey cannot be used: keys of type x25519 are not supported");
  });

  test("is never quoted in the error, nor is its passphrase", () => {
    for (const text of [...Object.values(forms), dsa]) {
      const message = problem(text, "canary-passphrase");
      expect(message).not.toContain("canary");
      const lines = text.split("\n").slice(1, -1).filter(Boolean);
      for (const line of lines) expect(message).not.toContain(line.slice(0, 12));
    }
  });
});

describe("a private key in a file", () => {
  const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  const ways: Record<string, (text: string) => string> = {
    "text before it": (text) => `Bag Attributes\n    friendlyName: ops\n\n${text}`,
    "EC parameters before it": (text) => `${parameters}${text}`,
    "text after it": (text) => `${text}\n# of the office\n`,
    "its lines indented": (text) => text.replace(/^/gm, "    "),
    "trailing blanks": (text) => text.replaceAll("\n", " \n"),
    "Windows line ends": (text) => text.replaceAll("\n", "\r\n"),
  };
  const keys: [string, string][] = [
    ["OpenSSH", openSsh.private],
    ["PEM", pem.privateKey],
    ["PKCS#8", pkcs8.privateKey],
  ];
  test.each(Object.entries(ways))("is readable with %s", (_way, as) => {
    for (const [form, text] of keys) expect(problem(as(text), "right"), form).toBe("");
  });

  test("that is truncated is reported as damaged", () => {
    expect(problem(openSsh.private.slice(0, -40), "right")).not.toBe("");
  });
});
