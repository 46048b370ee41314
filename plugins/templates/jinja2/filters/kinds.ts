/** Types of filters and tests, and the context they run in. */

import type { Kwargs, Meter, Undefined, UndefinedKind, Value } from "../../python/index.ts";
export interface FilterContext {
  readonly meter: Meter;
  readonly autoescape: boolean;
  readonly run: {
    readonly filters: FilterTable;
    readonly tests: TestTable;
    readonly newline: string;
    readonly undefinedKind: UndefinedKind;
  };
  undefined(hint: string): Undefined;
}

export type Apply<Result extends Value> = (
  value: Value,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  context: FilterContext,
) => Result;
export type Filter = Apply<Value>;
export type Test = Apply<boolean>;
export type FilterTable = ReadonlyMap<string, Filter>;
export type TestTable = ReadonlyMap<string, Test>;
