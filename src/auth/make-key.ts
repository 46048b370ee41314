/** Generates API keys and login session tokens. */
import { randomBytes } from "node:crypto";

/** 256 random bits. */
export function makeApiKey(): string {
  return `pb_${randomBytes(32).toString("base64url")}`;
}

/** 256 random bits. */
export function makeSessionToken(): string {
  return `pbs_${randomBytes(32).toString("base64url")}`;
}
