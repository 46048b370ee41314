/** Takes what a caller sent out of a text for the log: the fault of a library may quote a password. */
import { maskSecrets, secret } from "../base/secret.ts";

/** A bulk of thousands, or a fault of megabytes, would make one line of the log dear. */
const mostTexts = 20_000;
const mostChars = 16_384;
/** What is cut before it is masked may end in half a password: so the end is dropped afterwards. */
const mostMasked = 4 * mostChars;

export function maskText(text: string, sent: readonly unknown[]): string {
  const texts = new Set<string>();
  for (const value of sent) collect(value, texts);
  // The longer first: a text that is part of another must not break it up before it is found.
  const ordered = [...texts].sort((a, b) => b.length - a.length);
  const hidden = ordered.flatMap((sentText) => [sentText, JSON.stringify(sentText).slice(1, -1)]).map(secret);
  return maskSecrets(text.slice(0, mostMasked), hidden).slice(0, mostChars);
}

function collect(value: unknown, into: Set<string>): void {
  if (into.size >= mostTexts) return;
  if (typeof value === "string") into.add(value);
  else if (typeof value === "number") into.add(String(value));
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) collect(member, into);
}
