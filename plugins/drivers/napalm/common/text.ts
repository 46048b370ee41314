/** Answers as text, taken apart by line and word. */
import { PluginError } from "patchbay/plugin";

/** What stands between blanks. */
export function wordsOf(line: string): string[] {
  const text = line.trim();
  return text === "" ? [] : text.split(/\s+/);
}

/** Lines without the line end, the last empty one left out. */
export function linesOf(text: string): string[] {
  // A text is several times as fast to split at as a pattern, and answers of terminals have no returns.
  const lines = text.includes("\r\n") ? text.split(/\r?\n/) : text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The first group of the first match. */
export function found(pattern: RegExp, text: string): string | undefined {
  return pattern.exec(text)?.[1];
}

export interface Section {
  /** The line that began it. */
  readonly head: string;
  readonly lines: string[];
}

/** Lines by the line that begins each section; what stands before the first one is left out. */
export function sectionsOf(text: string, begins: (line: string) => boolean): Section[] {
  const sections: Section[] = [];
  for (const line of linesOf(text)) {
    if (begins(line)) sections.push({ head: line, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** A device that said what nobody here can read: the line is named, nothing is guessed. */
export function unreadable(command: string, line: string): PluginError {
  return new PluginError(
    "ParseError",
    `${JSON.stringify(command)}: the device's answer has an unknown form at ${JSON.stringify(line.trim().slice(0, 200))}.`,
    { command },
  );
}

/** @throws PluginError ParseError where the value is missing */
export function needed<T>(value: T | undefined, command: string, line: string): T {
  if (value === undefined) throw unreadable(command, line);
  return value;
}
