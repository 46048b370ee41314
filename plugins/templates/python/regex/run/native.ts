/** RegExp objects of a pattern for one tier of texts, each created on first use. */
import type { Emitted } from "./emit.ts";

export type MatchMode = "match" | "search" | "full";

/** Null: JavaScript's engine refused it. */
type CompiledForms = Partial<Record<MatchMode, RegExp | null>>;

/** A class, not closures: every expression of every running template has one. */
export class NativeForm {
  readonly groups: readonly number[];
  private readonly source: string;
  private readonly flags: string;
  private readonly plain: CompiledForms = {};
  private readonly located: CompiledForms = {};
  private start: RegExp | undefined;
  private startMade = false;

  constructor({ source, flags, groups }: Emitted) {
    this.groups = groups;
    this.source = source;
    this.flags = flags;
  }

  /** Undefined: the engine refuses the expression as too large; the backtracking matcher must run it. */
  regExp(mode: MatchMode, located: boolean): RegExp | undefined {
    const compiled = located ? this.located : this.plain;
    let regExp = compiled[mode];
    if (regExp === undefined) {
      const source = mode === "full" ? `(?:${this.source})$` : this.source;
      regExp = tryRegExp(source, (mode === "search" ? "g" : "y") + (located ? "d" : "") + this.flags) ?? null;
      compiled[mode] = regExp;
    }
    return regExp ?? undefined;
  }

  /** Anchored at the start of the text; keeps no state between calls. */
  anchored(): RegExp | undefined {
    if (!this.startMade) {
      this.startMade = true;
      const anchored = this.source.startsWith("^") && !this.source.includes("|");
      this.start = tryRegExp(anchored ? this.source : `^(?:${this.source})`, this.flags);
    }
    return this.start;
  }
}

function tryRegExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
