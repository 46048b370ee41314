/** Caches parsed keys: decrypting one with a passphrase blocks the thread for 0.3 s. */
import { createHmac, randomBytes } from "node:crypto";
import type { PrivateKey } from "../../../plugin/kit/ssh.ts";
import type { ParsedKey } from "../ssh2.ts";
import { readPrivateKey, type UnusableKey } from "./keys.ts";

export type KeyReader = (key: PrivateKey) => ParsedKey | UnusableKey;

const keptAtMost = 64;

/** The cache is keyed by an HMAC under a random key, so that it reveals nothing about passphrases. */
export function createKeyReader(): KeyReader {
  const digestKey = randomBytes(32);
  const cache = new Map<string, ParsedKey>();
  return (key) => {
    const { pem, passphrase } = key;
    const parts = JSON.stringify([pem.reveal(), passphrase?.reveal() ?? null]);
    const digest = createHmac("sha256", digestKey).update(parts).digest("base64");
    const cached = cache.get(digest);
    if (cached) return cached;
    const read = readPrivateKey(key);
    if ("problem" in read) return read;
    const oldest = cache.keys().next().value;
    if (cache.size >= keptAtMost && oldest !== undefined) cache.delete(oldest);
    cache.set(digest, read);
    return read;
  };
}
