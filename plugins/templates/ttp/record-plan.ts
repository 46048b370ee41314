/**
 * Keys of a record and where their values stand, by the lines that matched one after the other. Records of a text
 * are alike: the order of their keys is found out once for each row of lines, and each record is then built at once.
 */
import { PyDict } from "../python/dict.ts";
import type { Value } from "../python/values.ts";
import type { Line } from "./group.ts";
import { planOf, type Result } from "./line-plan.ts";

/** Lines of a record, and rows of lines in all: what is longer, or too different, is put together line by line. */
const MAX_LINES = 32;
const MAX_PLANS = 1000;

/** Values of a line, in the places of its plan. */
export type Values = Exclude<Result, PyDict | false>;

/** Where a key's value stands: the number of its line, and the place in that line's values. */
interface Source {
  readonly name: string;
  readonly line: number;
  readonly place: number;
}

export class RecordPlan {
  private lastLine: Line | undefined;
  private lastPlan: RecordPlan | undefined;
  private readonly steps = new Map<Line, RecordPlan>();
  private bare: PyDict | undefined;
  private filled: PyDict | undefined;
  private added: Value[] = [];

  private constructor(
    private readonly sources: readonly Source[],
    private readonly lines: number,
    private readonly budget: { left: number },
  ) {}

  /** @param empty nothing of the line's values is kept. */
  static of(line: Line, empty: boolean): RecordPlan {
    return new RecordPlan(empty ? [] : sourcesOf(line, 0), 1, { left: MAX_PLANS });
  }

  /** Another line: its keys come first, but values that are there already stay. */
  with(line: Line): RecordPlan | undefined {
    if (this.lastLine === line) return this.lastPlan;
    let plan = this.steps.get(line);
    if (plan === undefined) {
      if (this.lines >= MAX_LINES || this.budget.left-- <= 0) return undefined;
      const own = sourcesOf(line, this.lines);
      const before = new Map(this.sources.map((one) => [one.name, one]));
      const names = new Set(own.map(({ name }) => name));
      const sources = own.map((one) => before.get(one.name) ?? one);
      sources.push(...this.sources.filter(({ name }) => !names.has(name)));
      plan = new RecordPlan(sources, this.lines + 1, this.budget);
      this.steps.set(line, plan);
    }
    this.lastLine = line;
    this.lastPlan = plan;
    return plan;
  }

  /** @param defaults of keys that no line gave: for records of one plan always the same. */
  build(lines: readonly Values[], defaults: ReadonlyMap<string, Value>): PyDict {
    const { sources } = this;
    const values: Value[] = [];
    for (const { line, place } of sources) values.push(lines[line]?.[place] ?? null);
    if (defaults.size === 0) {
      this.bare ??= PyDict.from(sources.map(({ name }): [string, null] => [name, null]));
      return this.bare.withValues(values);
    }
    if (this.filled === undefined) {
      this.filled = PyDict.from(sources.map(({ name }): [string, null] => [name, null]));
      for (const [name, value] of defaults) {
        if (this.filled.has(name)) continue;
        this.filled.set(name, value);
        this.added.push(value);
      }
    }
    for (const value of this.added) values.push(value);
    return this.filled.withValues(values);
  }
}

function sourcesOf(line: Line, number: number): Source[] {
  const { names, places } = planOf(line);
  return names.map((name, i) => ({ name, line: number, place: places[i] ?? 0 }));
}

/** What a line gave, as a dictionary of its own. */
export function asDict(line: Line, result: PyDict | Values): PyDict {
  if (result instanceof PyDict) return result;
  const { names, places } = planOf(line);
  return PyDict.from(names.map((name, i): [string, Value] => [name, result[places[i] ?? 0] ?? null]));
}
