/** Secrets that a version does not have: another program had masked them before the text was brought here. */
import { lostMarks } from "../../configtext/secrets/secrets.ts";
import type { Store, StoredConfigVersion } from "../../store/port.ts";
import { marksOf } from "../reading/texts.ts";

/** Named in a sentence. */
const mostNamed = 5;

/**
 * @param text masked, of the version
 * @param lines masked, that would be pushed
 * @returns why they do not restore it, with the lines that lack a secret; undefined: they have all of them
 */
export async function lackOf(
  store: Pick<Store, "history">,
  version: StoredConfigVersion,
  text: string,
  lines: readonly string[],
): Promise<string | undefined> {
  // Only imported versions were masked elsewhere.
  if (version.source !== "import") return undefined;
  const lost = [...lostMarks(text, await marksOf(store, version))];
  const lacking = lines
    .flatMap((line) => line.split("\n"))
    .filter((line) => lost.some((mark) => line.includes(mark)));
  if (lacking.length === 0) return undefined;
  const named = lacking.slice(0, mostNamed).map((line) => `"${line.trim().slice(0, 80)}"`);
  const more = lacking.length > mostNamed ? ` and ${lacking.length - mostNamed} more` : "";
  return `the version was imported without the secrets of ${lacking.length} of these lines, which have to be put in by hand: ${named.join(", ")}${more}`;
}
