/** What a platform says of its configurations as text, in a form that also crosses processes. */
import { boundedPattern } from "../base/regex/pattern.ts";
import type { AccessWords } from "../configlines/lockout.ts";
import type { LineRule, Pattern, TreeRules } from "../configtree/rules.ts";
import type { PlatformPlugin, SecretPlace } from "../plugin/platform.ts";
import type { TwinMode, TwinRules } from "../twin/twin.ts";

export type TextRules = TreeRules<RegExp, RegExp>;

/** What a platform declares. */
export function platformRules({ running, blocks }: Pick<PlatformPlugin, "running" | "blocks">): TextRules {
  return { ...running, blocks };
}

/**
 * The same for lines that somebody wrote, which say less than a configuration about where a section begins.
 * @param part `set`: the commands that set a configuration
 */
export function writtenRules(platform: PlatformPlugin | undefined, part?: "running" | "set"): TextRules {
  if (platform === undefined) return {};
  const { sections = platform.simulated?.modes?.map(({ line }) => line), ...rules } = platformRules(platform);
  return part === "set" ? { ...rules, shape: "set" } : { ...rules, sections };
}

/** Lines that open sections, of a platform that says where, or only which. */
export function modesOf(platform: PlatformPlugin | undefined): readonly TextMode[] {
  return platform?.simulated?.modes ?? platform?.running?.sections?.map((line) => ({ line })) ?? [];
}

interface TextMode<P = RegExp> {
  readonly line: P;
  readonly within?: P | undefined;
}

export type PlainMode = TextMode<PlainPattern>;

export const plainModes = (modes: readonly TextMode[]): PlainMode[] =>
  modes.map(({ line, within }) => ({ line: plain(line), within: within && plain(within) }));

/** The modes with expressions whose time is bounded. */
export const twinModes = (modes: readonly PlainMode[]): TwinMode[] =>
  modes.map((mode) => ({
    line: bounded(pattern(mode.line)),
    within: mode.within && bounded(pattern(mode.within)),
  }));

/** What a twin is made from. */
export function twinRules(rules: TextRules, modes: readonly TextMode[]): TwinRules {
  return { rules: treeRules(rules), modes: twinModes(plainModes(modes)) };
}

/** The rules with expressions whose time is bounded. */
export function treeRules(rules: TextRules): TreeRules {
  return mapped(rules, bounded, stateless);
}

/** Whether a line, without its line end, matches one of the patterns; undefined if there are none. */
export function matchesAny(patterns: readonly RegExp[] | undefined): ((line: string) => boolean) | undefined {
  if (patterns === undefined || patterns.length === 0) return undefined;
  const all = patterns.map(bounded);
  return (line) => all.some((pattern) => pattern.test(line));
}

const bounded = (pattern: RegExp): Pattern => boundedPattern(stateless(pattern));

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

type PlainBlocks = readonly { readonly start: PlainPattern; readonly end?: PlainPattern }[] | undefined;

/** Rules as plain data. */
export interface PlainRules extends Omit<TreeRules<PlainPattern, PlainPattern>, "blocks" | "texts"> {
  readonly blocks?: PlainBlocks;
  readonly texts?: PlainBlocks;
}

const plain = ({ source, flags }: RegExp): PlainPattern => ({ source, flags });
const pattern = ({ source, flags }: PlainPattern) => new RegExp(source, flags);

/** A place of secrets as plain data. */
export interface PlainSecretPlace extends Pick<SecretPlace, "reencrypted"> {
  readonly pattern: PlainPattern;
  readonly within?: PlainPattern | undefined;
  readonly until?: PlainPattern | undefined;
}

export function plainSecretPlaces(places: readonly SecretPlace[]): PlainSecretPlace[] {
  return places.map((place) => ({
    reencrypted: place.reencrypted,
    pattern: plain(place.pattern),
    within: place.within && plain(place.within),
    until: place.until && plain(place.until),
  }));
}

export function secretPlacesOf(places: readonly PlainSecretPlace[]): SecretPlace[] {
  return places.map((place) => ({
    reencrypted: place.reencrypted,
    pattern: pattern(place.pattern),
    within: place.within && pattern(place.within),
    until: place.until && pattern(place.until),
  }));
}

/** Only what rules are: a platform declares more beside them. */
export function plainRules({ blocks, texts, ...rules }: TextRules): PlainRules {
  const all = (given: TextRules["blocks"]) =>
    given?.map(({ start, end }) => ({
      start: plain(start),
      ...(end === undefined ? {} : { end: plain(end) }),
    }));
  return { ...mapped(rules, plain, plain), blocks: all(blocks), texts: all(texts) };
}

export function rulesOf({ blocks, texts, ...rules }: PlainRules): TextRules {
  const all = (given: PlainBlocks) =>
    given?.map(({ start, end }) => ({
      start: pattern(start),
      ...(end === undefined ? {} : { end: pattern(end) }),
    }));
  return { ...mapped(rules, pattern, pattern), blocks: all(blocks), texts: all(texts) };
}

export type PlainAccess = AccessWords<PlainPattern>;

export const plainAccess = (words: AccessWords): PlainAccess => mappedAccess(words, plain);

export const accessOf = (words: PlainAccess): AccessWords => mappedAccess(words, pattern);

function mappedAccess<P, Q>(words: AccessWords<P>, change: (matched: P) => Q): AccessWords<Q> {
  const { interfaces, vlanInterface, loginLists, listEntries, termParts, sets, isOpen, routes, cuts } = words;
  const list = (patterns: readonly P[]) => patterns.map(change);
  return {
    interfaces: list(interfaces),
    vlanInterface: vlanInterface && change(vlanInterface),
    loginLists: list(loginLists),
    listEntries: list(listEntries),
    termParts: termParts && list(termParts),
    sets: sets && list(sets),
    isOpen,
    routes: list(routes),
    cuts: cuts.map((cut) => ({ ...cut, line: change(cut.line) })),
  };
}

function mapped<P, L, Q, M>(
  rules: TreeRules<P, L>,
  change: (tested: P) => Q,
  changeLine: (matched: L) => M,
): TreeRules<Q, M> {
  const { shape, comment, divider, blocks, texts, negate, leave, paths, menus } = rules;
  const list = (patterns: readonly P[] | undefined) => patterns?.map(change);
  return {
    ...{ shape, comment, divider, blocks, texts, negate, leave },
    paths: paths && {
      names: list(paths.names),
      singles: list(paths.singles),
      ordered: list(paths.ordered),
      chains: list(paths.chains),
      presence: list(paths.presence),
    },
    menus: menus && {
      keys: menus.keys?.map((one) => ({ ...one, menu: change(one.menu) })),
      ordered: list(menus.ordered),
      fixed: list(menus.fixed),
      defaults: menus.defaults?.map((one) => ({ ...one, menu: change(one.menu) })),
      named: list(menus.named),
      references: menus.references,
    },
    ignore: list(rules.ignore),
    unordered: list(rules.unordered),
    ordered: list(rules.ordered),
    negated: list(rules.negated),
    permanent: list(rules.permanent),
    sections: list(rules.sections),
    vanishing: list(rules.vanishing),
    lines: rules.lines?.map(
      (rule): LineRule<M> => ({
        ...rule,
        line: changeLine(rule.line),
        within: rule.within === undefined ? undefined : changeLine(rule.within),
      }),
    ),
  };
}
