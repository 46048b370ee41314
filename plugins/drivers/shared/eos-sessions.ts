/** Names of the configuration sessions that we make on EOS: whose they are, and which were left behind. */
import { randomBytes } from "node:crypto";
import type { Context } from "patchbay/plugin";

const prefix = "patchbay-";
/** Clocks differ. */
const graceMs = 60_000;

/** No two are alike, and each tells until when its job may have lasted. */
export function newSessionName(ctx: Context): string {
  const end = Math.ceil((Date.now() + ctx.remaining()) / 1000);
  return `${prefix}${end.toString(36)}-${randomBytes(4).toString("hex")}`;
}

export const isOurs = (name: string): boolean => name.startsWith(prefix);

/** One of ours whose job has ended long ago: its connection was lost before it could be aborted. */
export function wasLeftBehind(name: string): boolean {
  const end = /^patchbay-([0-9a-z]{6,8})-[0-9a-f]{8}$/.exec(name)?.[1];
  return end !== undefined && Number.parseInt(end, 36) * 1000 + graceMs < Date.now();
}
