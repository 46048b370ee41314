/** A chain of texts: the hash of each covers the one before, so that none can be changed, moved or left out. */
import { createHash, createHmac, type KeyObject } from "node:crypto";

/** What stands before the first: 32 bytes of zero, in hex, as all links. */
export const chainStart = "0".repeat(64);

/** SHA-256 of the link before and the text: anybody can check it. */
export function hashLink(before: string, text: string): string {
  return createHash("sha256").update(before, "hex").update(text, "utf8").digest("hex");
}

/** HMAC-SHA-256 of the link before and the text: only who has the key can make it. */
export function macLink(key: KeyObject, before: string, text: string): string {
  return createHmac("sha256", key).update(before, "hex").update(text, "utf8").digest("hex");
}
