/** Names of our configuration sessions on EOS; finds abandoned ones. */
import { randomBytes } from "node:crypto";
import type { Context } from "patchbay/plugin";

const prefix = "patchbay-";
/** Tolerance for clock differences. */
const graceMs = 60_000;
/** The latest end of the job, in seconds; the job; a part of its own. */
const form = /^patchbay-(?<end>[0-9a-z]{6,8})-(?:(?<job>[0-9a-z]{25})-)?[0-9a-f]{8}$/;

/** A unique name, by which the job is found that has left it. */
export function newSessionName(ctx: Context): string {
  const end = Math.ceil((Date.now() + ctx.remaining()) / 1000);
  const job = ctx.job === undefined ? [] : [nameOfJob(ctx.job.id)];
  return `${prefix}${[end.toString(36), ...job, randomBytes(4).toString("hex")].join("-")}`;
}

export const isOurs = (name: string): boolean => name.startsWith(prefix);

/**
 * Those of our sessions whose job has ended: its process was killed, or its connection lost, before an abort. Of a job that
 * this service does not know, one of another installation, its latest end decides.
 */
export async function abandonedOf(names: readonly string[], ctx: Context): Promise<string[]> {
  const jobs = new Map(names.map((name) => [name, jobOf(name)]));
  const asked = [...new Set(jobs.values())].filter((id) => id !== undefined);
  const ended = new Set(asked.length === 0 ? [] : await ctx.job?.ended(asked));
  return names.filter((name) => ended.has(jobs.get(name) ?? "") || isOver(name));
}

function isOver(name: string): boolean {
  const end = form.exec(name)?.groups?.end;
  return end !== undefined && Number.parseInt(end, 36) * 1000 + graceMs < Date.now();
}

/** An id in base 36: names are typed by people. */
const nameOfJob = (id: string) =>
  BigInt(`0x${id.replaceAll("-", "")}`)
    .toString(36)
    .padStart(25, "0");

function jobOf(name: string): string | undefined {
  const job = form.exec(name)?.groups?.job;
  if (job === undefined) return undefined;
  const number = [...job].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
  return number
    .toString(16)
    .padStart(32, "0")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
