/** The licences of all parts of the compiled program, one record each: its build writes them as one text. */
import type { LicenceRecord } from "../model/setting.ts";

/** As `scripts/build/licences.ts` puts it between two parts. */
const line = `\n\n${"=".repeat(78)}\n`;

let parts: readonly LicenceRecord[] | undefined;

/** @returns none beside the source, where the packages have them. */
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
