/** A compiled rule: its matcher, and the mapping of groups to values. */
import { Matcher } from "../python/text.ts";
import { neededText } from "./needed-text.ts";
import type { Action, Rule } from "./rule.ts";

export interface Assignment {
  readonly column: number;
  /** Index of the group in the matcher's result. */
  readonly place: number;
}

/** A class with lazy fields: a rule that never matches does not build them. */
export class ReadyRule {
  readonly line: number;
  readonly action: Action;
  readonly matcher: Matcher;
  /** Lines without this text cannot match. */
  readonly needs: string | undefined;
  private cachedAssignments: readonly Assignment[] | undefined;

  constructor(
    private readonly rule: Rule,
    readonly state: string,
    private readonly columnOf: ReadonlyMap<string, number>,
  ) {
    this.line = rule.line;
    this.action = rule.action;
    this.needs = neededText(rule.pattern.root);
    this.matcher = new Matcher(rule.pattern, {
      observe: (_, name) => name !== undefined && columnOf.has(name),
      singleLine: true,
    });
  }

  get assigns(): readonly Assignment[] {
    if (this.cachedAssignments === undefined) {
      const assignments: Assignment[] = [];
      for (const [name, group] of this.rule.pattern.groupIndex) {
        const column = this.columnOf.get(name);
        if (column !== undefined) assignments.push({ column, place: this.matcher.places[group] ?? 0 });
      }
      this.cachedAssignments = assignments;
    }
    return this.cachedAssignments;
  }
}
