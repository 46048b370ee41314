/** Multi-line configuration blocks (banners): finds which lines belong to one. */
import type { PlatformPlugin } from "../plugin/platform.ts";

type Block = NonNullable<PlatformPlugin["blocks"]>[number];

/** Cisco style: a delimiter chosen by the user, or a line `EOF`. */
const banners: readonly Block[] = [
  { start: /^\s*banner\s+(?:motd|login|exec)\s*$/i, end: /^\s*EOF\s*$/ },
  {
    start: /^\s*banner\s+(?:(?:motd|login|exec|incoming|prompt-timeout|slip-ppp|config-save)\s+)?(\^C|\S)/i,
  },
];

/** Number of lines after `at` that belong to the block it opens; 0 if it opens none. */
export function blockLength(
  lines: readonly string[],
  at: number,
  blocks: readonly Block[] | undefined,
): number {
  const line = lines[at] ?? "";
  for (const { start, end } of blocks ?? banners) {
    const match = start.exec(line);
    if (match === null) continue;
    const delimiter = match[1];
    const closes = end
      ? (text: string) => end.test(text)
      : (text: string) => delimiter !== undefined && text.includes(delimiter);
    if (!end && closes(line.slice(match.index + match[0].length))) return 0;
    const last = lines.findIndex((text, index) => index > at && closes(text));
    return last < 0 ? 0 : last - at;
  }
  return 0;
}

/** For each line, whether it is text of a block: typed as it is, for the device reads it without its line editor. */
export function textsIn(lines: readonly string[], blocks: readonly Block[] | undefined): readonly boolean[] {
  let end = 0;
  return lines.map((_, at) => {
    if (at < end) return true;
    end = at + 1 + blockLength(lines, at, blocks);
    return false;
  });
}
