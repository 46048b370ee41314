/** What a platform says of its configurations as text, in a form that also crosses processes. */
import { boundedPattern } from "../base/regex/pattern.ts";
import type { TextBlock } from "../base/text/text-blocks.ts";
import type { PlatformPlugin, Running } from "../plugin/platform.ts";

export interface TextRules extends Pick<Running, "shape" | "unordered" | "ordered" | "comment" | "ignore"> {
  /** Lines that open a text, such as a banner. Default: the banners of Cisco. */
  readonly blocks?: readonly TextBlock[] | undefined;
}

/** What a platform declares. */
export function platformRules({ running, blocks }: Pick<PlatformPlugin, "running" | "blocks">): TextRules {
  return { ...running, blocks };
}

/** Whether a line, without its line end, matches one of the patterns; undefined if there are none. */
export function matchesAny(patterns: readonly RegExp[] | undefined): ((line: string) => boolean) | undefined {
  if (patterns === undefined || patterns.length === 0) return undefined;
  const bounded = patterns.map((pattern) => boundedPattern(stateless(pattern)));
  return (line) => bounded.some((pattern) => pattern.test(line));
}

/** With `g` or `y` an expression would go on where it matched last. */
function stateless({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replaceAll(/[gy]/g, ""));
}

interface PlainPattern {
  readonly source: string;
  readonly flags: string;
}

/** Rules as plain data. */
export interface PlainRules {
  readonly shape?: TextRules["shape"];
  readonly comment?: string | undefined;
  readonly unordered?: readonly PlainPattern[] | undefined;
  readonly ordered?: readonly PlainPattern[] | undefined;
  readonly ignore?: readonly PlainPattern[] | undefined;
  readonly blocks?: readonly { readonly start: PlainPattern; readonly end?: PlainPattern }[] | undefined;
}

const plain = ({ source, flags }: RegExp): PlainPattern => ({ source, flags });
const pattern = ({ source, flags }: PlainPattern) => new RegExp(source, flags);

export function plainRules({ shape, comment, unordered, ordered, ignore, blocks }: TextRules): PlainRules {
  return {
    shape,
    comment,
    unordered: unordered?.map(plain),
    ordered: ordered?.map(plain),
    ignore: ignore?.map(plain),
    blocks: blocks?.map(({ start, end }) => ({
      start: plain(start),
      ...(end === undefined ? {} : { end: plain(end) }),
    })),
  };
}

export function rulesOf({ shape, comment, unordered, ordered, ignore, blocks }: PlainRules): TextRules {
  return {
    shape,
    comment,
    unordered: unordered?.map(pattern),
    ordered: ordered?.map(pattern),
    ignore: ignore?.map(pattern),
    blocks: blocks?.map(({ start, end }) => ({
      start: pattern(start),
      ...(end === undefined ? {} : { end: pattern(end) }),
    })),
  };
}
