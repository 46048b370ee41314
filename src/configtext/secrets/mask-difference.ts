/** Masks the secrets in a difference, or in the dialogue of a push, by the places that they have in a configuration. */
import type { Running } from "../../plugin/platform.ts";
import { maskSecrets } from "./secrets.ts";

/** What stands in front of a line of a configuration: the sign of a difference, or a prompt. */
const head = /^(?:[-+!~](?=[\t ]|[^-+\s])|[^\s#>]{1,100}(?:\([^()\n]{1,60}\))?[#>])/;

/** @param fingerprint becomes part of the marks */
export function maskDifference(
  text: string,
  rules: Running | undefined,
  fingerprint: (secret: string) => string,
): string {
  const whole = text.split("\n");
  const heads = whole.map((line) => head.exec(line)?.[0] ?? "");
  const bodies = whole.map((line, at) => line.slice(heads[at]?.length ?? 0));
  const { lines, secrets } = maskSecrets(bodies, rules, fingerprint);
  const originals = new Map(secrets.map(([at, , original]) => [at, original]));
  const shown: string[] = [];
  let [line, offset] = [0, 0];
  for (const masked of lines) {
    shown.push((heads[line] ?? "") + masked);
    // A secret of several lines has one mark.
    line += masked.startsWith("<secret ") ? (originals.get(offset)?.split("\n").length ?? 1) : 1;
    offset += masked.length + 1;
  }
  return shown.join("\n");
}
