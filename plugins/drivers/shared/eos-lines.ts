/** A configuration as a list of commands: what reads several lines is one command with its input. */
import type { EapiCommand } from "./eapi.ts";

export interface Entry {
  /** As it was given: names the line in an error. */
  readonly line: string;
  /** From 1. */
  readonly number: number;
  readonly command: EapiCommand;
}

/** These read on until a line `EOF`; the certificate and the key of a session are two such inputs. */
const readsOn =
  /^\s*(?:banner\s+(?:login|motd|exec)|comment|protocol https certificate|hardware certificate|code|match input.*)\s*$/;

export function entriesOf(text: string): Entry[] {
  const lines = text.split(/\r\n|\n|\r/);
  const entries: Entry[] = [];
  const lastEnd = lines.lastIndexOf("EOF");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const number = at + 1;
    // Looked for only where there is one: of a hundred thousand banners none may have its end.
    const end = at < lastEnd && readsOn.test(line) ? lines.indexOf("EOF", at + 1) : -1;
    if (end >= 0) {
      entries.push({
        line,
        number,
        command: { cmd: line.trim(), input: lines.slice(at + 1, end).join("\n") },
      });
      at = end;
    } else if (isComment(line)) {
      const last = lastOfComment(lines, at);
      const input = lines.slice(at, last + 1).map((line) => line.trim().replace(/^!! ?/, ""));
      entries.push({ line, number, command: { cmd: "comment", input: input.join("\n") } });
      at = last;
    } else if (!isEmpty(line)) entries.push({ line, number, command: line.trim() });
  }
  return entries;
}

/** `!!` is kept with the part of the configuration that it stands in; a single `!` is nothing. */
const isComment = (line: string) => line.trim().startsWith("!!");
const isEmpty = (line: string) => line.trim() === "" || line.trim().startsWith("!");

function lastOfComment(lines: readonly string[], from: number): number {
  let last = from;
  while (isComment(lines[last + 1] ?? "")) last++;
  return last;
}
