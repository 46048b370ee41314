/**
 * Plans the layout of a record by the sequence of lines that matched. Records of a text are similar, so the
 * key order is computed once per sequence of lines and each record is then built in one step.
 */
import { PyDict, type Value } from "../../python/index.ts";
import type { Line } from "../template/group.ts";
import { planOf, type Result } from "./line-plan.ts";

/** Limits of lines per record and of plans; records beyond them are built line by line. */
const MAX_LINES = 32;
const MAX_PLANS = 1000;

/** Values of a line, in the order of its plan. */
export type Values = Exclude<Result, PyDict | false>;

/** The source of a key's value: the number of its line, and the index in that line's values. */
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
    private readonly budget: { remaining: number },
  ) {}

  /** @param empty whether to discard the line's values. */
  static of(line: Line, empty: boolean): RecordPlan {
    return new RecordPlan(empty ? [] : sourcesOf(line, 0), 1, { remaining: MAX_PLANS });
  }

  /** Adds a line: its keys come first, but existing values are kept. */
  with(line: Line): RecordPlan | undefined {
    if (this.lastLine === line) return this.lastPlan;
    let plan = this.steps.get(line);
    if (plan === undefined) {
      if (this.lines >= MAX_LINES || this.budget.remaining-- <= 0) return undefined;
      const lineSources = sourcesOf(line, this.lines);
      const before = new Map(this.sources.map((source) => [source.name, source]));
      const names = new Set(lineSources.map(({ name }) => name));
      const sources = lineSources.map((source) => before.get(source.name) ?? source);
      sources.push(...this.sources.filter(({ name }) => !names.has(name)));
      plan = new RecordPlan(sources, this.lines + 1, this.budget);
      this.steps.set(line, plan);
    }
    this.lastLine = line;
    this.lastPlan = plan;
    return plan;
  }

  /** @param defaults of keys that no line set; always the same for records of a plan. */
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

/** The values of a line as a new dictionary. */
export function asDict(line: Line, result: PyDict | Values): PyDict {
  if (result instanceof PyDict) return result;
  const { names, places } = planOf(line);
  return PyDict.from(names.map((name, i): [string, Value] => [name, result[places[i] ?? 0] ?? null]));
}
