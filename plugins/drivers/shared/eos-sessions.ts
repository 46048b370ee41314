/** Names of our configuration sessions on EOS; detects abandoned ones. */
import { randomBytes } from "node:crypto";
import type { Context } from "patchbay/plugin";

const prefix = "patchbay-";
/** Tolerance for clock differences. */
const graceMs = 60_000;

/** A unique name that encodes the latest end of its job. */
export function newSessionName(ctx: Context): string {
  const end = Math.ceil((Date.now() + ctx.remaining()) / 1000);
  return `${prefix}${end.toString(36)}-${randomBytes(4).toString("hex")}`;
}

export const isOurs = (name: string): boolean => name.startsWith(prefix);

/** Whether it is one of ours whose job has ended: the connection was lost before an abort. */
export function wasLeftBehind(name: string): boolean {
  const end = /^patchbay-([0-9a-z]{6,8})-[0-9a-f]{8}$/.exec(name)?.[1];
  return end !== undefined && Number.parseInt(end, 36) * 1000 + graceMs < Date.now();
}
