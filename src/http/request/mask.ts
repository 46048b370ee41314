/** Removes caller-supplied texts from log messages: a library's error may quote a password. */
import { maskSecrets, secret } from "../../base/secrets/secret.ts";

/** Bounds the cost of a log line for a bulk of thousands or an error of megabytes. */
const maxTexts = 20_000;
const maxChars = 16_384;
/** A cut before masking may leave half a password at the end, so the end is dropped afterwards. */
const maxMasked = 4 * maxChars;

export function maskText(text: string, sent: readonly unknown[]): string {
  const texts = new Set<string>();
  for (const value of sent) collect(value, texts);
  // Longer first: a text that is part of another must not break it up before it is found.
  const ordered = [...texts].sort((a, b) => b.length - a.length);
  const hidden = ordered.flatMap((sentText) => [sentText, JSON.stringify(sentText).slice(1, -1)]).map(secret);
  return maskSecrets(text.slice(0, maxMasked), hidden).slice(0, maxChars);
}

function collect(value: unknown, into: Set<string>): void {
  if (into.size >= maxTexts) return;
  if (typeof value === "string") into.add(value);
  else if (typeof value === "number") into.add(String(value));
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) collect(member, into);
}
