/** Runs a pattern: with a native RegExp if that is equivalent and safe, else with the backtracking matcher. */

import { findDivergence } from "./analyse/divergence.ts";
import { type Prefix, prefixOf } from "./analyse/prefix.ts";
import { findAmbiguity, longestNative, mayExplode } from "./analyse/risk.ts";
import { emptyComesLast, someNode } from "./analyse/shape.ts";
import type { ParsedPattern } from "./parse/ast.ts";
import { emitPattern, type Tier } from "./run/emit.ts";
import { createMachine, type Machine } from "./run/machine.ts";
import { type MatchMode, NativeForm } from "./run/native.ts";
import { buildProgram } from "./run/program.ts";
import { NativeMatch, OwnMatch, type RawMatch } from "./run/raw-match.ts";
import { maxLineLength, tierOfText } from "./text-facts.ts";

export interface MatcherOptions {
  /** Groups whose text is needed; all by default. */
  readonly observe?: ((group: number, name: string | undefined) => boolean) | undefined;
  /** Texts are single lines, without line feed and carriage return. */
  readonly singleLine?: boolean | undefined;
  /** Step limit of the backtracking matcher per call. */
  readonly steps?: number | undefined;
}

/** About two seconds. */
const defaultSteps = 100_000_000;

/** JavaScriptCore gives up after half a second or more; a call that took this long may have given up. */
const suspiciousMs = 100;
/** After two calls this slow, a pattern is left to the backtracking matcher, which memoizes failures. */
const slowMs = 20;
/**
 * Patterns with exponential backtracking fail fast natively on texts shorter than this (23 characters took 90
 * ms).
 */
const explosiveChars = 16;

/** A RegExp result: the text of the match and of its groups, by place. */
export interface Answer extends Array<string | undefined> {
  index: number;
}

/** Converts a `Found` to an `Answer`. */
export function answerOf(match: RawMatch, places: readonly number[], from = 0): Answer {
  const texts: (string | undefined)[] = [];
  places.forEach((place, group) => {
    if (place > 0 || group === 0) texts[place] = match.group(group) ?? undefined;
  });
  return Object.assign(texts, { index: match.start + from });
}

/** A class, not closures: every expression of every template has one. */
export class Matcher {
  private plan: Plan | undefined;
  private machine: Machine | undefined;
  private readonly forms: (NativeForm | undefined)[] = [undefined, undefined, undefined];
  private placesMade: readonly number[] | undefined;
  private prefixMade: Prefix | undefined;
  private limit: { readonly length: number; readonly withinLine: boolean } | undefined;
  private slowCalls = 0;
  private ownOnly = false;

  /** Texts up to this length never exceed the limit, whatever the ambiguity of the pattern. */
  private readonly harmless: number;

  constructor(
    private readonly parsed: ParsedPattern,
    private readonly options: MatcherOptions = {},
  ) {
    this.harmless = longestNative(parsed.variableParts);
  }

  /** An empty match at a position implies that no longer match begins there. */
  get emptyIsLast(): boolean {
    return this.parsed.root.low > 0 || emptyComesLast(this.parsed.root);
  }

  /** What a line must begin with; for patterns with `singleLine`. */
  get prefix(): Prefix {
    this.prefixMade ??= prefixOf(this.parsed.root);
    return this.prefixMade;
  }

  /** Group of the pattern -> index in the result of `matchStart`. */
  get places(): readonly number[] {
    if (this.placesMade === undefined) {
      const { needsOwn, ownGroups } = this.getPlan();
      const { groups } = this.parsed;
      this.placesMade =
        needsOwn || ownGroups ? Array.from({ length: groups + 1 }, (_, group) => group) : this.form(0).groups;
    }
    return this.placesMade;
  }

  find(text: string, from: number, mode: MatchMode): RawMatch | undefined {
    const plan = this.getPlan();
    if (this.ownOnly || this.isTooMuch(plan, text)) return this.findOwn(text, from, mode);
    const form = this.form(tierOfText(text));
    const regExp = form.regExp(mode, false);
    if (regExp === undefined) {
      this.ownOnly = true;
      return this.findOwn(text, from, mode);
    }
    const began = plan.timed ? performance.now() : 0;
    regExp.lastIndex = from;
    const answer = regExp.exec(text);
    const suspicious = plan.timed && this.wasSlow(began);
    if (answer === null) return suspicious ? this.findOwn(text, from, mode) : undefined;
    if (plan.ownGroups) return this.findOwn(text, answer.index, mode === "search" ? "match" : mode);
    return new NativeMatch(text, answer, form, mode);
  }

  /**
   * All matches from an offset on, for a pattern that begins with a line feed: a single global RegExp scans
   * the text. The texts of groups are at `places`.
   * @param begin the text with which every match begins.
   */
  all(text: string, from: number, begin: string): Answer[] {
    const plan = this.getPlan();
    const answers: Answer[] = [];
    const careful = this.ownOnly || plan.ownGroups || this.isTooMuch(plan, text);
    const regExp = careful ? undefined : this.form(tierOfText(text)).regExp("search", false);
    if (regExp === undefined) return this.allCarefully(text, from, begin, answers);
    regExp.lastIndex = from;
    if (!plan.timed) {
      for (let answer = regExp.exec(text); answer !== null; answer = regExp.exec(text)) answers.push(answer);
      return answers;
    }
    // Checks the clock once per 64 calls; if they were slow, the rest is matched position by position.
    let began = performance.now();
    let free = from;
    for (let calls = 1; ; calls++) {
      const answer = regExp.exec(text);
      if (answer !== null) {
        answers.push(answer);
        free = regExp.lastIndex;
      }
      if (answer !== null && (calls & 63) !== 0) continue;
      const now = performance.now();
      if (now - began > suspiciousMs) return this.allCarefully(text, free, begin, answers);
      if (answer === null) return answers;
      began = now;
    }
  }

  private allCarefully(text: string, from: number, begin: string, answers: Answer[]): Answer[] {
    const { places } = this;
    for (let at = text.indexOf(begin, from); at >= 0; ) {
      const match = this.find(text, at, "match");
      if (match !== undefined) answers.push(answerOf(match, places));
      at = text.indexOf(begin, match?.end ?? at + 1);
    }
    return answers;
  }

  /** A non-empty match at `from`. */
  findLonger(text: string, from: number): RawMatch | undefined {
    const machine = this.getMachine();
    machine.begin(text, tierOfText(text) === 2);
    const spans = machine.matchAt(from, "advance");
    machine.end();
    return spans === undefined ? undefined : new OwnMatch(text, spans);
  }

  /**
   * Matches at the start of the text; returns the group texts, undefined for groups that did not participate.
   * @param beganMs `performance.now()` shortly before the call, shared by callers that try many patterns.
   */
  matchStart(text: string, tier: Tier, beganMs: number): readonly (string | undefined)[] | undefined {
    const plan = this.getPlan();
    if (this.ownOnly || this.isTooMuch(plan, text)) return this.startOwn(text);
    const regExp = this.form(tier).anchored();
    if (regExp === undefined) return this.startOwn(text);
    const answer = regExp.exec(text);
    if (answer === null) return plan.timed && this.wasSlow(beganMs) ? this.startOwn(text) : undefined;
    return plan.ownGroups ? this.startOwn(text) : answer;
  }

  /** Whether a native match of this text may backtrack for too long. */
  private isTooMuch(plan: Plan, text: string): boolean {
    const { length } = text;
    if (plan.explosive && length > explosiveChars) return true;
    if (length <= this.harmless) return false;
    if (this.limit === undefined) {
      const { degree, withinLine } = findAmbiguity(this.parsed.root);
      this.limit = { length: longestNative(degree), withinLine };
    }
    if (length <= this.limit.length) return false;
    return !this.limit.withinLine || maxLineLength(text) > this.limit.length;
  }

  /** Whether the native engine may have given up. */
  private wasSlow(began: number): boolean {
    const took = performance.now() - began;
    if (took < slowMs) return false;
    this.slowCalls += 1;
    if (this.slowCalls > 1) this.ownOnly = true;
    return took > suspiciousMs;
  }

  private getPlan(): Plan {
    if (this.plan === undefined) {
      const { observe } = this.options;
      const names = new Map<number, string>();
      if (observe !== undefined) for (const [name, group] of this.parsed.groupIndex) names.set(group, name);
      this.plan = makePlan(this.parsed, (group) => observe?.(group, names.get(group)) ?? true);
      this.ownOnly = this.plan.needsOwn;
    }
    return this.plan;
  }

  private form(tier: Tier): NativeForm {
    let form = this.forms[tier];
    if (form === undefined) {
      const { keep } = this.getPlan();
      const { root, groups } = this.parsed;
      const { singleLine = false } = this.options;
      form = new NativeForm(emitPattern(root, groups, { tier, keep, singleLine }));
      this.forms[tier] = form;
    }
    return form;
  }

  private getMachine(): Machine {
    const { root, groups } = this.parsed;
    this.machine ??= createMachine(buildProgram(root, groups), this.options.steps ?? defaultSteps);
    return this.machine;
  }

  private findOwn(text: string, from: number, mode: MatchMode): RawMatch | undefined {
    const machine = this.getMachine();
    machine.begin(text, tierOfText(text) === 2);
    const goal = mode === "full" ? "whole" : "any";
    let spans = machine.matchAt(from, goal);
    if (mode === "search") {
      for (let start = from; spans === undefined && start < text.length; ) {
        start = machine.after(start);
        spans = machine.matchAt(start, goal);
      }
    }
    machine.end();
    return spans === undefined ? undefined : new OwnMatch(text, spans);
  }

  /** Group texts at the indexes of the native RegExp. */
  private startOwn(text: string): readonly (string | undefined)[] | undefined {
    const match = this.findOwn(text, 0, "match");
    return match === undefined ? undefined : answerOf(match, this.places);
  }
}

/** How to run a pattern, determined on first use. */
interface Plan {
  /** Only the backtracking matcher finds the correct match. */
  readonly needsOwn: boolean;
  /** The RegExp finds the same match but not the same text of the requested groups. */
  readonly ownGroups: boolean;
  keep(group: number): boolean;
  /** The native engine may give up and report no match. */
  readonly timed: boolean;
  /** Backtracking may be exponential in the length of the text. */
  readonly explosive: boolean;
}

function makePlan(parsed: ParsedPattern, observe: (group: number) => boolean): Plan {
  const { root, unusual } = parsed;
  const timed = parsed.groupLoops > 0 || parsed.variableParts > 4;
  if (!unusual) return { needsOwn: false, ownGroups: false, keep: observe, timed, explosive: false };
  const divergence = findDivergence(root);
  const referenced = new Set<number>();
  someNode(root, (node) => {
    if (node.kind === "reference" || node.kind === "condition") referenced.add(node.group);
    return false;
  });
  const ownGroups = [...divergence.groups].some(observe);
  return {
    needsOwn: divergence.match,
    ownGroups,
    keep: (group) => referenced.has(group) || (observe(group) && !ownGroups),
    timed,
    explosive: parsed.groupLoops > 0 && mayExplode(root),
  };
}
