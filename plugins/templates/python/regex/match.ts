/** A match as Python's `re.Match` shows it; positions are code units of the JavaScript string. */
import { PatternError } from "./errors.ts";
import type { Found } from "./found.ts";
import { parseReplacement } from "./replacement.ts";

/** What a match knows of the pattern that found it. */
export interface MatchedPattern {
  readonly pattern: string;
  readonly groups: number;
  readonly groupIndex: ReadonlyMap<string, number>;
}

/** A class, not closures: a search through a large text makes one for each match. */
export class PythonMatch {
  constructor(
    readonly string: string,
    readonly re: MatchedPattern,
    private readonly found: Found,
  ) {}

  /** Number or name; 0 or nothing: the whole match; null where the group took no part. */
  group(group: number | string = 0): string | null {
    return this.found.group(this.index(group));
  }

  groups(absent: string | null = null): (string | null)[] {
    return Array.from({ length: this.re.groups }, (_, group) => this.found.group(group + 1) ?? absent);
  }

  /** In the order of the groups. */
  groupdict(absent: string | null = null): Map<string, string | null> {
    const dict = new Map<string, string | null>();
    for (const [name, group] of this.re.groupIndex) dict.set(name, this.found.group(group) ?? absent);
    return dict;
  }

  span(group: number | string = 0): readonly [number, number] {
    return this.found.span(this.index(group));
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
      text += typeof part === "string" ? part : (this.found.group(part) ?? "");
    }
    return text;
  }

  private index(group: number | string): number {
    const number = typeof group === "number" ? group : (this.re.groupIndex.get(group) ?? -1);
    if (!(number >= 0 && number <= this.re.groups)) throw new PatternError("no such group");
    return number;
  }
}
