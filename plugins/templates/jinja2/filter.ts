/** What a filter or a test is, and what it may use. */
import type { Meter } from "../python/limits.ts";
import type { Kwargs, Undefined, Value } from "../python/values.ts";

export interface FilterContext {
  readonly meter: Meter;
  readonly autoescape: boolean;
  readonly run: {
    readonly filters: FilterTable;
    readonly tests: TestTable;
    readonly newline: string;
    readonly undefinedKind: "Undefined" | "StrictUndefined" | "ChainableUndefined" | "DebugUndefined";
  };
  undefined(hint: string): Undefined;
}

export type Filter = (
  value: Value,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  context: FilterContext,
) => Value;
export type Test = (
  value: Value,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  context: FilterContext,
) => boolean;
export type FilterTable = ReadonlyMap<string, Filter>;
export type TestTable = ReadonlyMap<string, Test>;
