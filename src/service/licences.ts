/** The licences of all parts of the compiled program; parses the single text that the build writes. */
import type { LicenceRecord } from "../api/admin/setting.ts";

/** The separator written by `scripts/build/licences.ts`. */
const line = `\n\n${"=".repeat(78)}\n`;

let parts: readonly LicenceRecord[] | undefined;

/** @returns an empty list from source, where each package has its own. */
export async function licenceParts(): Promise<readonly LicenceRecord[]> {
  parts ??= licencesOf((await import("./appliance/licence-text.ts")).licenceText ?? "");
  return parts;
}

export function licencesOf(whole: string): readonly LicenceRecord[] {
  if (whole === "") return [];
  return whole.split(line).map((part) => {
    const end = part.indexOf("\n");
    return end < 0 ? { title: part, text: "" } : { title: part.slice(0, end), text: part.slice(end).trim() };
  });
}
