/** The stored request of a change, and how it is shown. */
import * as v from "valibot";
import { type ChangeRequest, changeRequest } from "../api/change.ts";
import { createMasker, secretsOfJson } from "../base/secrets/mask.ts";
import { maskDifference } from "../configtext/mask-difference.ts";
import { fingerprintWith } from "../configtext/secrets.ts";
import type { Running } from "../plugin/platform.ts";

export const unreadable = "its request cannot be opened: it is damaged, or of another version";

/** @returns undefined if it is damaged or of another version */
export function readRequest(text: string | undefined): ChangeRequest | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), changeRequest), text);
  return read.success ? read.output : undefined;
}

/** Lines with each secret as its mark, as in the history. */
export function shownLines(lines: string, rules: Running | undefined, markKey: string): string {
  return maskDifference(lines, rules, fingerprintWith(markKey));
}

const anyMembers = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));

/** Without the lines, which are shown by group, and with what has the name of a secret masked wherever it stands. */
export function shownRequest({ config, ...rest }: ChangeRequest): Record<string, unknown> {
  const isContext = typeof config === "object" && !Array.isArray(config);
  const json = JSON.stringify({ ...rest, ...(isContext ? { config } : {}) });
  return v.parse(anyMembers, createMasker(secretsOfJson(json)).text(json));
}
