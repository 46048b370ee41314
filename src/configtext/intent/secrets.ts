/** The text of an intent with its secrets as marks, as the history writes those of a configuration. */
import type { Running } from "../../plugin/platform.ts";
import { type MaskedSecret, maskSecrets } from "../secrets/secrets.ts";
import { withoutSecrets } from "./compare.ts";

export interface MaskedIntent {
  readonly text: string;
  readonly secrets: readonly MaskedSecret[];
  /** Lines, as `withoutSecrets`, with a secret that is salted, or that the system encrypts anew at each show. */
  readonly salted: ReadonlySet<string>;
}

const saltedForm = /^["']?\$[\w-]{1,12}\$/;
const lineEnd = /\r?\n/;

export function maskedIntent(
  text: string,
  rules: Pick<Running, "secrets" | "shape"> | undefined,
  fingerprint: (secret: string) => string,
): MaskedIntent {
  const given = text.split(lineEnd).map((line) => line.trimEnd());
  const { lines, comparable, secrets } = maskSecrets(given, rules, fingerprint);
  const salted = new Set<string>();
  const note = (line: string | undefined) =>
    void salted.add(withoutSecrets((line ?? "").trim()).replaceAll(/\s+/g, " "));
  let offset = 0;
  let next = 0;
  for (const [at, line] of lines.entries()) {
    const end = offset + line.length;
    for (let secret = secrets[next]; secret !== undefined && secret[0] <= end; secret = secrets[++next])
      if (saltedForm.test(secret[2])) note(line);
    if (comparable[at]?.includes("<secret>") === true) note(line);
    offset = end + 1;
  }
  return { text: lines.join("\n"), secrets, salted };
}

/** Secrets by their marks. */
export function markedSecrets(
  secrets: readonly MaskedSecret[],
  marks: (secret: string) => string,
): (readonly [mark: string, secret: string])[] {
  return secrets.map(([, , secret]) => [marks(secret), secret]);
}

/** @returns undefined: two secrets have the same mark, or a mark is of none of them */
export function openMarks(
  lines: readonly string[],
  known: readonly (readonly [mark: string, secret: string])[],
) {
  const originals = new Map<string, string>();
  for (const [mark, secret] of known) {
    if ((originals.get(mark) ?? secret) !== secret) return undefined;
    originals.set(mark, secret);
  }
  let isWhole = true;
  const opened = lines.map((line) =>
    line.replaceAll(/<secret ([0-9a-f]+)>/g, (whole, mark: string) => {
      const secret = originals.get(mark);
      isWhole &&= secret !== undefined;
      return secret ?? whole;
    }),
  );
  return isWhole ? opened.flatMap((line) => line.split("\n")) : undefined;
}
