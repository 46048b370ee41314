/** The RegExp objects of one pattern for one tier of texts, each made when it is first asked for. */
import type { Emitted } from "./emit.ts";

export type How = "match" | "search" | "full";

/** Null: refused. */
type Made = Partial<Record<How, RegExp | null>>;

/** A class, not closures: one is made for every expression of every template that runs. */
export class NativeForm {
  readonly groups: readonly number[];
  private readonly source: string;
  private readonly flags: string;
  private readonly plain: Made = {};
  private readonly located: Made = {};
  private start: RegExp | undefined;
  private startMade = false;

  constructor({ source, flags, groups }: Emitted) {
    this.groups = groups;
    this.source = source;
    this.flags = flags;
  }

  /** Undefined: the engine refuses the expression (too large), the own matcher must do it. */
  regExp(how: How, located: boolean): RegExp | undefined {
    const made = located ? this.located : this.plain;
    let regExp = made[how];
    if (regExp === undefined) {
      const source = how === "full" ? `(?:${this.source})$` : this.source;
      regExp = tryRegExp(source, (how === "search" ? "g" : "y") + (located ? "d" : "") + this.flags) ?? null;
      made[how] = regExp;
    }
    return regExp ?? undefined;
  }

  /** Anchored at the start of the text, without state between calls. */
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
