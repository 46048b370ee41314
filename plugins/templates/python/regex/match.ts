/** A match with the interface of Python's `re.Match`; positions are UTF-16 code units. */
import { PatternError } from "./parse/errors.ts";
import { parseReplacement } from "./parse/replacement.ts";
import type { RawMatch } from "./run/raw-match.ts";

/** The pattern's data that a match needs. */
export interface MatchedPattern {
  readonly pattern: string;
  readonly groups: number;
  readonly groupIndex: ReadonlyMap<string, number>;
}

/** A class, not closures: a search in a large text makes one for each match. */
export class PythonMatch {
  constructor(
    readonly string: string,
    readonly re: MatchedPattern,
    private readonly match: RawMatch,
  ) {}

  /** By number or name; 0 or omitted: the whole match; null if the group did not participate. */
  group(group: number | string = 0): string | null {
    return this.match.group(this.index(group));
  }

  groups(absent: string | null = null): (string | null)[] {
    return Array.from({ length: this.re.groups }, (_, group) => this.match.group(group + 1) ?? absent);
  }

  /** In group order. */
  groupdict(absent: string | null = null): Map<string, string | null> {
    const dict = new Map<string, string | null>();
    for (const [name, group] of this.re.groupIndex) dict.set(name, this.match.group(group) ?? absent);
    return dict;
  }

  span(group: number | string = 0): readonly [number, number] {
    return this.match.span(this.index(group));
  }

  start(group?: number | string): number {
    return this.span(group)[0];
  }

  end(group?: number | string): number {
    return this.span(group)[1];
  }

  expand(template: string): string {
    let text = "";
    for (const part of parseReplacement(template, this.re.groups, this.re.groupIndex)) {
      text += typeof part === "string" ? part : (this.match.group(part) ?? "");
    }
    return text;
  }

  private index(group: number | string): number {
    const number = typeof group === "number" ? group : (this.re.groupIndex.get(group) ?? -1);
    if (!(number >= 0 && number <= this.re.groups)) throw new PatternError("no such group");
    return number;
  }
}
