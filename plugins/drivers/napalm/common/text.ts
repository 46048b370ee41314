/** Splits text output into lines, words and sections. */
import { PluginError } from "patchbay/plugin";

/** Words separated by blanks. */
export function wordsOf(line: string): string[] {
  const text = line.trim();
  return text === "" ? [] : text.split(/\s+/);
}

/** Lines without line ends, without a trailing empty one. */
export function linesOf(text: string): string[] {
  // Splitting at a string is several times faster than at a pattern, and terminal output has no carriage returns.
  const lines = text.includes("\r\n") ? text.split(/\r?\n/) : text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The first group of the first match. */
export function firstGroup(pattern: RegExp, text: string): string | undefined {
  return pattern.exec(text)?.[1];
}

export interface Section {
  /** The first line of the section. */
  readonly head: string;
  readonly lines: string[];
}

/** Groups lines into sections by their first line; drops lines before the first section. */
export function sectionsOf(text: string, begins: (line: string) => boolean): Section[] {
  const sections: Section[] = [];
  for (const line of linesOf(text)) {
    if (begins(line)) sections.push({ head: line, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** Error for output that cannot be parsed: names the line instead of guessing. */
export function unreadable(command: string, line: string): PluginError {
  return new PluginError(
    "ParseError",
    `${JSON.stringify(command)}: the device's output could not be parsed at ${JSON.stringify(line.trim().slice(0, 200))}.`,
    { command },
  );
}

/** @throws PluginError ParseError if the value is missing */
export function needed<T>(value: T | undefined, command: string, line: string): T {
  if (value === undefined) throw unreadable(command, line);
  return value;
}
