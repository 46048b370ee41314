/**
 * Provides ssh2 with cryptography that Bun 1.4.5 lacks, only while ssh2 is being loaded: fast Diffie-Hellman and
 * ChaCha20; on Deno, a sign function that accepts keys as ssh2 decrypts them.
 *
 * Bun checks a group's prime again on each construction (group14 blocks the event loop for 0.5 s, group18 for 30 s),
 * does not know group 1 and has no raw `chacha20` cipher. ssh2 takes its functions from `node:crypto` once, when it is
 * loaded. `src/device/ssh/ssh2.ts` is the only place that loads it, and removes the replacements right after.
 *
 * Security note: the exponentiation uses BigInt and is not constant-time. Exponents are ephemeral, one per key
 * exchange, so an observer gets a single noisy timing sample of each.
 */
import crypto from "node:crypto";
import process from "node:process";
import { chacha20 } from "@noble/ciphers/chacha.js";
import { deno } from "../deno.ts";
import { modpPrime } from "./modp.ts";

/** Smaller groups are broken, larger ones block the event loop for more than a tenth of a second. */
const groupBits = { min: 1024, max: 8192 } as const;

/** The part of node's DiffieHellman that ssh2 uses. */
export function createKeyExchange(prime: bigint, generator: bigint) {
  const length = (prime.toString(16).length + 1) >> 1;
  const bits = prime.toString(2).length;
  if (bits < groupBits.min || bits > groupBits.max || (prime & 1n) === 0n) {
    throw new Error(`Diffie-Hellman group of ${bits} bits refused`);
  }
  if (generator < 2n || generator > prime - 2n) throw new Error("Diffie-Hellman generator refused");
  let exponent: bigint | undefined;
  let publicKey: Buffer | undefined;
  const keys = () => {
    if (exponent === undefined || publicKey === undefined) {
      exponent = randomExponent(bits);
      publicKey = toBytes(power(generator, exponent, prime), length);
    }
    return { exponent, publicKey };
  };
  return {
    generateKeys: () => keys().publicKey,
    getPublicKey: () => keys().publicKey,
    getPrime: () => toBytes(prime, length),
    getGenerator: () => toBytes(generator, (generator.toString(16).length + 1) >> 1),
    computeSecret(otherPublicKey: Uint8Array): Buffer {
      const other = toNumber(otherPublicKey);
      if (other < 2n || other > prime - 2n) throw new Error("The peer's Diffie-Hellman key is out of range");
      return toBytes(power(other, keys().exponent, prime), length);
    },
  };
}

/** Twice the strength of the group (RFC 4253 section 6.2 of its time, NIST SP 800-57), top bit set. */
function randomExponent(groupSizeBits: number): bigint {
  const bytes = crypto.randomBytes(groupSizeBits <= 2048 ? 32 : groupSizeBits <= 3072 ? 40 : 64);
  return toNumber(bytes) | (1n << BigInt(bytes.length * 8 - 1));
}

/** base^exponent mod modulus, four bits of the exponent at a time: 2.7 ms for a whole group14 exchange. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const reduced = base % modulus;
  const table = [1n];
  for (let i = 1, last = 1n; i < 16; i++) {
    last = (last * reduced) % modulus;
    table.push(last);
  }
  let result = 1n;
  for (const digit of exponent.toString(16)) {
    for (let i = 0; i < 4; i++) result = (result * result) % modulus;
    result = (result * (table[Number.parseInt(digit, 16)] ?? 1n)) % modulus;
  }
  return result;
}

function toNumber(bytes: Uint8Array): bigint {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  return BigInt(`0x${hex === "" ? "0" : hex}`);
}

function toBytes(value: bigint, length: number): Buffer {
  return Buffer.from(value.toString(16).padStart(length * 2, "0"), "hex");
}

/** OpenSSL's `chacha20`: the iv is a 32-bit little-endian block counter and a 12-byte nonce. */
function createChaCha20(key: Uint8Array, iv: Uint8Array) {
  // noble reads 32-bit words, so both must be aligned to four bytes; copies are.
  const ownKey = Uint8Array.from(key);
  const nonce = Uint8Array.from(iv.subarray(4, 16));
  const counter = new DataView(iv.buffer, iv.byteOffset, 4).getUint32(0, true);
  const cipher = {
    update(data: Uint8Array): Buffer {
      const out = chacha20(ownKey, nonce, data, undefined, counter);
      return Buffer.from(out.buffer, out.byteOffset, out.byteLength);
    },
    final: () => Buffer.alloc(0),
    setAutoPadding: () => cipher,
  };
  return cipher;
}

/** Whether ssh2 can use a cipher here; it refuses to connect if an unsupported one is offered. */
export function canUseCipher(name: string): boolean {
  if (process.versions.bun) return true;
  const plain = name.replace("@openssh.com", "");
  const known = plain === "chacha20-poly1305" ? "chacha20" : plain === "3des-cbc" ? "des-ede3-cbc" : plain;
  return crypto.getCiphers().includes(known.replace(/^aes(\d+)-/, "aes-$1-"));
}

/**
 * A PEM private key without trailing bytes. ssh2 leaves the cipher's padding behind a decrypted key; OpenSSL ignores
 * it, Deno rejects the key.
 */
export function exactPem(pem: string): string {
  const [, label = "", body = ""] = /^-----BEGIN ([A-Z ]+)-----([\s\S]+?)-----END/.exec(pem) ?? [];
  const bytes = Buffer.from(body, "base64");
  const long = bytes[1] ?? 0;
  const lengthBytes = long > 0x80 ? long - 0x80 : 0;
  if (lengthBytes > 4 || bytes.length < 2 + lengthBytes) return pem;
  const length = lengthBytes === 0 ? long : bytes.readUIntBE(2, lengthBytes);
  const end = 2 + lengthBytes + length;
  if (bytes[0] !== 0x30 || end >= bytes.length) return pem;
  return `-----BEGIN ${label}-----\n${bytes.subarray(0, end).toString("base64")}\n-----END ${label}-----\n`;
}

/** On Deno: strips the padding before signing. */
function polyfillSign(): () => void {
  const { sign } = crypto;
  Object.assign(crypto, {
    sign: (algorithm: string | null, data: Uint8Array, key: string) => sign(algorithm, data, exactPem(key)),
  });
  return () => void Object.assign(crypto, { sign });
}

/** Whether ssh2 can compress here: it uses internals of node's zlib that Deno does not have. */
export const canCompress = deno === undefined;

/** Installs the replacements in `node:crypto`; returns a function that removes them. */
export function polyfillCrypto(): () => void {
  if (deno !== undefined) return polyfillSign();
  if (!process.versions.bun) return () => {};
  const { createDiffieHellman, createDiffieHellmanGroup, createCipheriv, createDecipheriv, getCiphers } =
    crypto;
  const withChaCha20 =
    (original: (...args: unknown[]) => unknown) =>
    (name: string, key: Uint8Array, iv: Uint8Array, options?: object) =>
      name === "chacha20" ? createChaCha20(key, iv) : original(name, key, iv, options);
  Object.assign(crypto, {
    createDiffieHellman: (prime: Uint8Array, generator: Uint8Array) =>
      createKeyExchange(toNumber(prime), toNumber(generator)),
    createDiffieHellmanGroup: (name: string) => {
      const prime = modpPrime(name);
      if (prime === undefined) throw new Error(`Unknown Diffie-Hellman group ${name}`);
      return createKeyExchange(prime, 2n);
    },
    createCipheriv: withChaCha20(createCipheriv as (...args: unknown[]) => unknown),
    createDecipheriv: withChaCha20(createDecipheriv as (...args: unknown[]) => unknown),
    getCiphers: () => [...getCiphers(), "chacha20"],
  });
  return () => {
    Object.assign(crypto, {
      createDiffieHellman,
      createDiffieHellmanGroup,
      createCipheriv,
      createDecipheriv,
      getCiphers,
    });
  };
}
