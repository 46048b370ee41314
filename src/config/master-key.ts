/** Parses master keys: 32 bytes as hex or base64, newest first. */
import { ServiceError } from "../base/errors.ts";

/** @throws ServiceError Validation that names the source and never quotes the key. */
export function parseMasterKeys(text: string, where: string): Uint8Array[] {
  return text
    .trim()
    .split(/[\s,]+/)
    .map((key) => decode(key, where));
}

export function isMasterKeys(text: string): boolean {
  return text
    .trim()
    .split(/[\s,]+/)
    .every((key) => bytesOf(key) !== undefined);
}

export const masterKeyRule = "must be 32 bytes as hex or base64";

function decode(text: string, where: string): Uint8Array {
  const bytes = bytesOf(text);
  if (bytes) return bytes;
  throw new ServiceError("Validation", `${where}: the master key ${masterKeyRule}.`);
}

function bytesOf(text: string): Uint8Array | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, "base64") : undefined;
}
