/** Makes API keys. */
import { randomBytes } from "node:crypto";

/** 256 random bits. */
export function makeApiKey(): string {
  return `pb_${randomBytes(32).toString("base64url")}`;
}
