/** Configuration lines that open a block of text (banners): which lines belong to it. */
import type { PlatformPlugin } from "../plugin/platform.ts";

type Block = NonNullable<PlatformPlugin["blocks"]>[number];

/** As Cisco and those after it: a delimiter of the user's choice, or a line `EOF`. */
const banners: readonly Block[] = [
  { start: /^\s*banner\s+(?:motd|login|exec)\s*$/i, end: /^\s*EOF\s*$/ },
  {
    start: /^\s*banner\s+(?:(?:motd|login|exec|incoming|prompt-timeout|slip-ppp|config-save)\s+)?(\^C|\S)/i,
  },
];

/** How many of the lines behind the one at `at` belong to the text it opens; 0 where it opens none. */
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
