/** Runs a pattern: natively where that is the same and safe, else in the own matcher. */
import type { ParsedPattern } from "./ast.ts";
import { type CharSets, createCharSets } from "./charset.ts";
import { findDivergence } from "./divergence.ts";
import type { Tier } from "./emit.ts";
import { createMachine, type Machine } from "./machine.ts";
import { createNativeForms, type How } from "./native.ts";
import { findPrefix, type Prefix } from "./prefix.ts";
import { buildProgram } from "./program.ts";
import { isRisky } from "./risk.ts";
import { emptyComesLast, isNullable, someNode } from "./shape.ts";

export interface MatcherOptions {
  /** Groups whose text is asked for; by default all. */
  readonly observe?: ((group: number, name: string | undefined) => boolean) | undefined;
  /** Texts never hold a line feed. */
  readonly singleLine?: boolean | undefined;
  /** Steps of the own matcher in one call. */
  readonly steps?: number | undefined;
}

/** Where a match lies; texts of groups come from the RegExp's answer or from positions. */
export interface Found {
  readonly start: number;
  readonly end: number;
  group(index: number): string | null;
  /** Code units; -1, -1 where the group took no part. */
  span(index: number): readonly [number, number];
}

export interface Matcher {
  find(text: string, from: number, how: How): Found | undefined;
  /** Another match than the empty one at `from`. */
  findLonger(text: string, from: number): Found | undefined;
  /** A match at the start of the text: texts of the groups, undefined where one took no part. */
  matchStart(text: string, tier: Tier): readonly (string | undefined)[] | undefined;
  /** Group of the pattern -> place in the answer of `matchStart`. */
  readonly places: readonly number[];
  /** What a line must begin with; for patterns with `singleLine`. */
  prefix(): Prefix;
  /** An empty match at a place means that there is no longer one. */
  readonly emptyIsLast: boolean;
}

/** About two seconds. */
const defaultSteps = 100_000_000;

/** A native call that took longer may have been cut off by the engine's own limit. */
const suspiciousMs = 100;

/** Answers from tables only, so one serves all. */
const sharedSets: CharSets = createCharSets();

export function tierOf(text: string): Tier {
  if (!/[^\0-\x7f]/.test(text)) return 0;
  return /[\ud800-\udfff]/.test(text) ? 2 : 1;
}

export function createMatcher(parsed: ParsedPattern, options: MatcherOptions = {}): Matcher {
  const { root, groups } = parsed;
  const names = new Map([...parsed.groupIndex].map(([name, group]) => [group, name]));
  const observe = (group: number) => options.observe?.(group, names.get(group)) ?? true;
  const divergence = findDivergence(root);
  const risky = isRisky(root);
  const referenced = new Set<number>();
  someNode(root, (node) => {
    if (node.kind === "reference" || node.kind === "condition") referenced.add(node.group);
    return false;
  });
  const groupsDiffer = [...divergence.groups].some(observe);
  const native = createNativeForms(root, groups, sharedSets, {
    keep: (group) => referenced.has(group) || (observe(group) && !groupsDiffer),
    singleLine: options.singleLine ?? false,
  });
  let machineOnly = divergence.match;
  let machine: Machine | undefined;
  let lastText = "";
  let lastTier: Tier = 0;
  let places: readonly number[] | undefined;

  function tierFor(text: string): Tier {
    if (text.length < 256) return tierOf(text);
    if (text !== lastText) {
      lastText = text;
      lastTier = tierOf(text);
    }
    return lastTier;
  }

  function getMachine(): Machine {
    machine ??= createMachine(buildProgram(root, groups, sharedSets), options.steps ?? defaultSteps);
    return machine;
  }

  function findOwn(text: string, from: number, how: How): Found | undefined {
    const own = getMachine();
    own.begin(text);
    for (let start = from; start <= text.length; start = own.after(start)) {
      const spans = own.matchAt(start, how === "full" ? "whole" : "any");
      if (spans !== undefined) return ownMatch(text, spans);
      if (how !== "search") return undefined;
    }
    return undefined;
  }

  function find(text: string, from: number, how: How): Found | undefined {
    if (machineOnly) return findOwn(text, from, how);
    const form = native(tierFor(text));
    const regExp = form.regExp(how);
    if (regExp === undefined) {
      machineOnly = true;
      return findOwn(text, from, how);
    }
    const began = risky ? performance.now() : 0;
    regExp.lastIndex = from;
    const answer = regExp.exec(text);
    if (risky && performance.now() - began > suspiciousMs) {
      machineOnly = true;
      if (answer === null) return findOwn(text, from, how);
    }
    if (answer === null) return undefined;
    const start = answer.index;
    if (groupsDiffer) return findOwn(text, start, how === "search" ? "match" : how);
    return nativeMatch(text, answer, form.groups, () => {
      const located = form.located(how);
      if (located === undefined) return undefined;
      located.lastIndex = start;
      return located.exec(text) ?? undefined;
    });
  }

  /** Group texts in the places in which the native expression has them. */
  function startOwn(text: string): readonly (string | undefined)[] | undefined {
    const found = findOwn(text, 0, "match");
    if (found === undefined) return undefined;
    const texts: (string | undefined)[] = [];
    matcher.places.forEach((place, group) => {
      if (place > 0 || group === 0) texts[place] = found.group(group) ?? undefined;
    });
    return texts;
  }

  const matcher: Matcher = {
    find,
    findLonger(text, from) {
      const own = getMachine();
      own.begin(text);
      const spans = own.matchAt(from, "advance");
      return spans === undefined ? undefined : ownMatch(text, spans);
    },
    matchStart(text, tier) {
      const regExp = machineOnly ? undefined : native(tier).anchored();
      if (regExp === undefined) return startOwn(text);
      const began = risky ? performance.now() : 0;
      const answer = regExp.exec(text);
      if (risky && performance.now() - began > suspiciousMs) machineOnly = true;
      if (answer === null) return machineOnly ? startOwn(text) : undefined;
      return groupsDiffer ? startOwn(text) : answer;
    },
    get places() {
      places ??= groupsDiffer || divergence.match ? identity(groups) : native(0).groups;
      return places;
    },
    prefix: () => findPrefix(root, sharedSets),
    emptyIsLast: !isNullable(root) || emptyComesLast(root),
  };
  return matcher;
}

const identity = (groups: number) => Array.from({ length: groups + 1 }, (_, group) => group);

function ownMatch(text: string, spans: Int32Array): Found {
  const span = (index: number): readonly [number, number] => {
    const end = spans[2 * index + 1] ?? -1;
    return end < 0 ? [-1, -1] : [spans[2 * index] ?? -1, end];
  };
  return {
    start: spans[0] ?? 0,
    end: spans[1] ?? 0,
    span,
    group(index) {
      const [start, end] = span(index);
      return end < 0 ? null : text.slice(start, end);
    },
  };
}

function nativeMatch(
  text: string,
  answer: RegExpExecArray,
  groups: readonly number[],
  locate: () => RegExpExecArray | undefined,
): Found {
  const start = answer.index;
  const end = start + answer[0].length;
  let located: RegExpExecArray | undefined;
  return {
    start,
    end,
    group(index) {
      if (index === 0) return text.slice(start, end);
      const place = groups[index] ?? 0;
      return place === 0 ? null : (answer[place] ?? null);
    },
    span(index) {
      if (index === 0) return [start, end];
      const place = groups[index] ?? 0;
      if (place === 0 || answer[place] === undefined) return [-1, -1];
      located ??= locate();
      return located?.indices?.[place] ?? [-1, -1];
    },
  };
}
