/** Transcripts: one file per command with the device's answer. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const end = ".txt";

/**
 * `show version` is in `show_version.txt`. Characters other than letters, digits, blanks, `-` and `.` are
 * percent-encoded.
 */
export function transcriptFile(command: string): string {
  const name = encodeURIComponent(command).replaceAll("_", "%5F").replaceAll("%20", "_");
  return `${name.replaceAll("*", "%2A").replace(/^\./, "%2E")}${end}`;
}

function commandOf(file: string): string {
  const name = file.slice(0, -end.length).replaceAll("_", " ");
  try {
    return decodeURIComponent(name);
  } catch {
    // Hand-written file name with a literal percent sign.
    return name;
  }
}

/** Command and answer of each file. */
export function readTranscripts(folder: string): [command: string, text: string][] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .map((name) => [commandOf(name), readFileSync(join(folder, name), "utf8")]);
}
