/** Transcripts: one file a command, which holds what the device answered. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const end = ".txt";

/** `show version` stands in `show_version.txt`; what is no letter, digit, blank, `-` or `.` is written as in a URL. */
export function transcriptFile(command: string): string {
  const name = encodeURIComponent(command).replaceAll("_", "%5F").replaceAll("%20", "_");
  return `${name.replaceAll("*", "%2A").replace(/^\./, "%2E")}${end}`;
}

function commandOf(file: string): string {
  const name = file.slice(0, -end.length).replaceAll("_", " ");
  try {
    return decodeURIComponent(name);
  } catch {
    // Written by hand, with a percent sign that means itself.
    return name;
  }
}

/** Command and text of each. */
export function readTranscripts(folder: string): [command: string, text: string][] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .map((name) => [commandOf(name), readFileSync(join(folder, name), "utf8")]);
}
