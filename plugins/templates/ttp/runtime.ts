/** What the functions of a template reach while it runs: variables, look-ups, results, macros. */
import type { PyDict } from "../python/dict.ts";
import type { Meter } from "../python/limits.ts";
import type { Kwargs, Value } from "../python/values.ts";
import type { Arguments, Call } from "./attributes.ts";
import type { RecordState } from "./record.ts";

/** A template as lookups of other templates see it. */
export interface TemplateView {
  readonly name: string;
  readonly vars: PyDict;
  results: Value;
}

/** The output that runs. */
export interface OutputView {
  readonly name: Value;
  readonly attributes: PyDict;
  /** What the text of its tag gave. */
  readonly load: Value;
  readonly template: TemplateView | undefined;
  /** Input -> places of its results, of a template with `per_input` results. */
  inputPlaces(): ReadonlyMap<string, readonly number[]> | undefined;
}

export interface Runtime {
  readonly meter: Meter;
  /** Recorded values, over all inputs and templates. */
  readonly globals: PyDict;
  readonly templates: readonly TemplateView[];
  /** What looks like a mistake of the template: told to the caller. */
  readonly warn: (message: string) => void;
  /** What the data brings with it, and what macros print: for the log. */
  readonly note: (message: string) => void;
  readonly now: () => Date;
  /** Digits in dynamic paths become int keys. */
  readonly keysToInt: boolean;
  /** Renders a jinja2 text with the results as `_data_`. */
  readonly renderJinja2: (source: string, data: Value) => string;
  readonly ownArguments: Map<Call, Arguments>;
  macros: ReadonlyMap<string, Value>;
  template: TemplateView | undefined;
  /** Of the input that is parsed. */
  vars: PyDict;
  lookups: PyDict;
  mainResults: Value;
  dataText: Value;
  dataName: string;
  results: ResultsView | undefined;
  output: OutputView | undefined;
}

/** The machine that makes results, as `itemize` and others see it. */
export interface ResultsView {
  readonly record: RecordState;
  readonly pathCache: Map<string, Value>;
  saveAt(path: readonly string[], data: Value): void;
}

export interface Outcome {
  readonly data: Value;
  /** false: the match or the record is dropped; a dictionary: fields to add to the match. */
  readonly flag: boolean | null | PyDict;
}

/** A function of the language: what it is given behind the data, and what it reaches. */
export type LanguageFunction<Result> = (
  data: Value,
  args: readonly Value[],
  kwargs: Kwargs,
  rt: Runtime,
) => Result;

export type DataFunction = LanguageFunction<Outcome>;

export const keep = (data: Value): Outcome => ({ data, flag: null });
export const decide = (data: Value, flag: boolean): Outcome => ({ data, flag });
