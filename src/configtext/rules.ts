/** What a platform says of its configurations as text, in a form that also crosses processes. */
import { boundedPattern } from "../base/regex/pattern.ts";
import type { TextBlock } from "../base/text/text-blocks.ts";
import type { PlatformPlugin, Running } from "../plugin/platform.ts";

/** Lists of patterns of a platform. */
const lists = ["unordered", "ordered", "ignore", "negated", "replaced", "permanent"] as const;
type List = (typeof lists)[number];

export interface TextRules extends Pick<Running, "shape" | "comment" | List> {
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

/** For a single line each, which is short: a platform's, compiled by its first use. */
const lineForms = new WeakMap<RegExp, RegExp>();

/** The same expression for one line: without state, and `^` and `$` mean the whole of it. */
export function linePattern(given: RegExp): RegExp {
  const known = lineForms.get(given);
  if (known !== undefined) return known;
  const made = new RegExp(given.source, given.flags.replace(/[gym]/g, ""));
  lineForms.set(given, made);
  return made;
}

interface PlainPattern {
  readonly source: string;
  readonly flags: string;
}

/** Rules as plain data. */
export interface PlainRules extends Readonly<Partial<Record<List, readonly PlainPattern[] | undefined>>> {
  readonly shape?: TextRules["shape"];
  readonly comment?: string | undefined;
  readonly blocks?: readonly { readonly start: PlainPattern; readonly end?: PlainPattern }[] | undefined;
}

const plain = ({ source, flags }: RegExp): PlainPattern => ({ source, flags });
const pattern = ({ source, flags }: PlainPattern) => new RegExp(source, flags);

export function plainRules({ shape, comment, blocks, ...given }: TextRules): PlainRules {
  return {
    ...mapLists(given, plain),
    shape,
    comment,
    blocks: blocks?.map(({ start, end }) => ({
      start: plain(start),
      ...(end === undefined ? {} : { end: plain(end) }),
    })),
  };
}

export function rulesOf({ shape, comment, blocks, ...given }: PlainRules): TextRules {
  return {
    ...mapLists(given, pattern),
    shape,
    comment,
    blocks: blocks?.map(({ start, end }) => ({
      start: pattern(start),
      ...(end === undefined ? {} : { end: pattern(end) }),
    })),
  };
}

function mapLists<From, To>(
  given: Partial<Record<List, readonly From[] | undefined>>,
  change: (one: From) => To,
): Partial<Record<List, To[]>> {
  const changed: Partial<Record<List, To[]>> = {};
  for (const name of lists) {
    const patterns = given[name];
    if (patterns !== undefined) changed[name] = patterns.map(change);
  }
  return changed;
}
