/** The cryptography provided to ssh2: correct primes and numbers, no weak groups, and only for ssh2. */
import crypto from "node:crypto";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { modpPrime } from "../../../src/runtime/native/modp.ts";
import { createKeyExchange, exactPem, polyfillCrypto } from "../../../src/runtime/native/ssh2-compat.ts";

/** SHA-256 of each prime in hexadecimal, as in OpenSSL 3. */
const primes = {
  modp2: "603e8d652764bfa377707d13f16ad17b8c4fddd3c1868413dc1c7ddbae4320d0",
  modp5: "a7c305a29783f69679719847445687fc14dc831724f3caf9b66de2953d9150e9",
  modp14: "e71e1291b2af378f8506df9d265b38d687f70a0585053c26b30d1e312df84c09",
  modp15: "30a45e27c3a0a6f934cd558e88e937625082b19bd435f74f04d7500e5032d88e",
  modp16: "233836aba654664fc65121b25f1760c0e72456e834bc42315fa21d38ade81cac",
  modp17: "b84b67a0c9b0d7870cedf59880bed18dff60d4e965fe0f82ee70618861cc0a07",
  modp18: "a408aa7fd5e69ae6886c3b3fd50051efc417d62cf224cebf8d8aeb49654185ed",
};
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(2, "0"), "hex");

test("data after the end of a private key is removed, and none of the key", () => {
  const { privateKey } = crypto.generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const body = privateKey.replace(/-----.*-----/g, "");
  const padded = Buffer.concat([Buffer.from(body, "base64"), Buffer.alloc(8, 8)]).toString("base64");
  const pem = (text: string) => `-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----\n`;
  expect(exactPem(pem(padded))).toBe(pem(body.replace(/\n/g, "")));
  for (const as of [privateKey, "", "text", pem("MA=="), pem("MIJ/")]) expect(exactPem(as)).toBe(as);
});

describe("Diffie-Hellman", () => {
  test.each(Object.entries(primes))("uses the standard prime of %s", (name, hash) => {
    expect(
      crypto
        .createHash("sha256")
        .update((modpPrime(name) ?? 0n).toString(16))
        .digest("hex"),
    ).toBe(hash);
  });

  test("rejects an unknown group", () => {
    expect(modpPrime("modp1")).toBeUndefined();
    expect(modpPrime("constructor")).toBeUndefined();
  });

  test.each(["modp2", "modp5", "modp14"])("agrees with OpenSSL on %s", (name) => {
    const prime = modpPrime(name) ?? 0n;
    const native = crypto.createDiffieHellman(bytesOf(prime), Buffer.from([2]));
    native.generateKeys();
    const ours = createKeyExchange(prime, 2n);
    // OpenSSL strips leading zeros from a shared secret.
    const expected = native.computeSecret(ours.getPublicKey());
    const got = ours.computeSecret(native.getPublicKey());
    expect(got.subarray(got.length - expected.length).equals(expected)).toBe(true);
    expect(ours.getPrime().equals(bytesOf(prime))).toBe(true);
    expect(ours.getGenerator()).toEqual(Buffer.from([2]));
  });

  test("gives both sides the same secret, a new one each time", () => {
    const prime = modpPrime("modp14") ?? 0n;
    const secrets = Array.from({ length: 20 }, () => {
      const [client, server] = [createKeyExchange(prime, 2n), createKeyExchange(prime, 2n)];
      const shared = client.computeSecret(server.generateKeys());
      expect(shared.equals(server.computeSecret(client.generateKeys()))).toBe(true);
      expect(shared).toHaveLength(256);
      return shared.toString("hex");
    });
    expect(new Set(secrets).size).toBe(20);
  });

  test("rejects weak public keys", () => {
    const prime = modpPrime("modp14") ?? 0n;
    const ours = createKeyExchange(prime, 2n);
    for (const weak of [0n, 1n, prime - 1n, prime, prime + 1n]) {
      expect(() => ours.computeSecret(bytesOf(weak))).toThrow("out of range");
    }
    expect(() => ours.computeSecret(new Uint8Array())).toThrow("out of range");
  });

  test.each([
    ["768 bits", (1n << 767n) + 1n, 2n],
    ["16384 bits", (1n << 16_383n) + 1n, 2n],
    ["an even modulus", 1n << 2047n, 2n],
    ["the generator 1", (1n << 2047n) + 1n, 1n],
    ["a generator of order two", (1n << 2047n) + 1n, 1n << 2047n],
  ])("rejects a server's group with %s", (_name, prime, generator) => {
    expect(() => createKeyExchange(prime, generator)).toThrow("refused");
  });
});

describe.skipIf(!process.versions.bun)("cryptography on Bun", () => {
  test("has the ChaCha20 of RFC 8439, section 2.4.2", () => {
    const takeBack = polyfillCrypto();
    try {
      const key = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
      const iv = Buffer.from("01000000000000000000004a00000000", "hex");
      const text =
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
      const cipher = crypto.createCipheriv("chacha20", key, iv).update(Buffer.from(text));
      expect(cipher.toString("hex")).toMatch(/^6e2e359a2568f98041ba0728dd0d6981.*8eedf2785e42874d$/);
      expect(crypto.createDecipheriv("chacha20", key, iv).update(cipher).toString()).toBe(text);
      // A view into another buffer, as ssh2 passes them.
      const shifted = Buffer.concat([Buffer.from([0]), key]).subarray(1);
      expect(crypto.createCipheriv("chacha20", shifted, iv).update(Buffer.from(text)).equals(cipher)).toBe(
        true,
      );
      const other = crypto.createCipheriv("aes-128-ctr", key.subarray(0, 16), iv);
      expect(other.update(Buffer.alloc(16))).toHaveLength(16);
    } finally {
      takeBack();
    }
  });

  test("is patched only while ssh2 is loaded", async () => {
    const before = { ...crypto };
    await import("../../../src/device/ssh/ssh2.ts");
    expect(crypto.getCiphers()).not.toContain("chacha20");
    for (const name of [
      "createDiffieHellman",
      "createDiffieHellmanGroup",
      "createCipheriv",
      "createDecipheriv",
    ] as const) {
      expect(crypto[name]).toBe(before[name]);
    }
  });
});
