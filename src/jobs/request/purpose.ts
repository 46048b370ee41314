/** The purpose of a bulk (label, ticket, tags, note), with secrets of all devices masked. */

import type { OperationOptions } from "../../api/jobs/request.ts";
import { maskUrls } from "../../base/net/url.ts";
import { createOutputMasker, secretsOfJson } from "../../base/secrets/mask.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";

export type Purpose = Pick<OperationOptions, "label" | "ticket" | "note" | "tags">;

/** Secrets searched per pass; each is searched in many encodings. */
const atOnce = 200;

export async function cleanedPurpose(options: Purpose, secrets: ReadonlySet<string>): Promise<Purpose> {
  let { label, ticket, note, tags } = options;
  const secretList = [...secrets];
  const isGiven = label || ticket || note || (tags && tags.length > 0);
  if (!isGiven) return {};
  for (let start = 0; start === 0 || start < secretList.length; start += atOnce) {
    if (start > 0) await yieldToEventLoop();
    const masker = createOutputMasker(secretList.slice(start, start + atOnce));
    const cleaned = (text: string) => maskUrls(masker.text(text));
    label = label && cleaned(label);
    ticket = ticket && cleaned(ticket);
    note = note && cleaned(note);
    tags = tags?.map(cleaned);
  }
  return { label, ticket, note, tags };
}

/** Finds secrets of an invalid request by field names, because no schema applies. */
export function secretsByName(
  connection: Readonly<Record<string, unknown>>,
  ...otherValues: unknown[]
): string[] {
  return secretsOfJson(JSON.stringify([connection, ...otherValues])).filter(
    (text) => text !== connection.username,
  );
}
