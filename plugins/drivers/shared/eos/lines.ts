/** Splits a configuration into commands; a multi-line command is one entry with its input. */
import type { EapiCommand } from "./eapi.ts";

export interface Entry {
  /** The original line, for error messages. */
  readonly line: string;
  /** Starts at 1. */
  readonly number: number;
  readonly command: EapiCommand;
}

/** These read input up to a line `EOF`; the certificate and key of a session are two such inputs. */
const readsOn =
  /^\s*(?:banner\s+(?:login|motd|exec)|comment|protocol https certificate|hardware certificate|code|match input.*)\s*$/;

export function entriesOf(text: string): Entry[] {
  const lines = text.split(/\r\n|\n|\r/);
  const entries: Entry[] = [];
  const lastEnd = lines.lastIndexOf("EOF");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const number = at + 1;
    // Searches only while an `EOF` lies ahead; otherwise many unterminated banners would cost quadratic time.
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

/** `!!` comments are kept with their section; lines with a single `!` are ignored. */
const isComment = (line: string) => line.trim().startsWith("!!");
const isEmpty = (line: string) => line.trim() === "" || line.trim().startsWith("!");

function lastOfComment(lines: readonly string[], from: number): number {
  let last = from;
  while (isComment(lines[last + 1] ?? "")) last++;
  return last;
}
