/** Blocks of text in a configuration, such as a banner: which line opens one, and what ends it. */

/** As a platform declares it. */
export interface TextBlock {
  readonly start: RegExp;
  /** Absent: the block ends with the line that contains the first group of `start` again. */
  readonly end?: RegExp;
}

/** What ends a block. */
export interface Ending {
  /** As an error message names it. */
  readonly named: string;
  test(line: string): boolean;
}

/** Cisco style: a delimiter chosen by the user, or a line `EOF`. */
export const banners: readonly TextBlock[] = [
  { start: /^\s*banner\s+(?:motd|login|exec)\s*$/i, end: /^\s*EOF\s*$/ },
  {
    start: /^\s*banner\s+(?:(?:motd|login|exec|incoming|prompt-timeout|slip-ppp|config-save)\s+)?(\^C|\S)/i,
  },
];

/**
 * The end of the block that a line opens. Undefined if no pattern of the platform matches, or if the block ends with
 * the line itself.
 */
export function endingOf(line: string, blocks: readonly TextBlock[] | undefined): Ending | undefined {
  for (const { start, end } of blocks ?? banners) {
    const match = start.exec(line);
    if (match === null) continue;
    if (end !== undefined)
      return { named: `a line that matches ${end.source}`, test: (text) => end.test(text) };
    const delimiter = match[1];
    if (delimiter === undefined) return { named: "its end", test: () => false };
    const closes = (text: string) => text.includes(delimiter);
    return closes(line.slice(match.index + match[0].length)) ? undefined : containing(delimiter);
  }
  return undefined;
}

/** An ending with the line that contains the delimiter. */
export function containing(delimiter: string): Ending {
  return {
    named: `a line that contains ${JSON.stringify(delimiter)}`,
    test: (line) => line.includes(delimiter),
  };
}
