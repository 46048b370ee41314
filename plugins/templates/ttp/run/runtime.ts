/** Run-time state that a template's functions use: variables, lookups, results, macros. */

import type { Kwargs, Meter, PyDict, Value } from "../../python/index.ts";
import type { Arguments, Call } from "../template/attributes.ts";
import type { RecordState } from "./record.ts";

/** A template as seen by lookups of other templates. */
export interface TemplateView {
  readonly name: string;
  readonly vars: PyDict;
  results: Value;
}

/** The current output. */
export interface OutputView {
  readonly name: Value;
  readonly attributes: PyDict;
  /** The parsed text of its tag. */
  readonly load: Value;
  readonly template: TemplateView | undefined;
  /** Input -> indexes of its results, for a template with `per_input` results. */
  inputPlaces(): ReadonlyMap<string, readonly number[]> | undefined;
}

export interface Runtime {
  readonly meter: Meter;
  /** Recorded values of all inputs and templates. */
  readonly globals: PyDict;
  readonly templates: readonly TemplateView[];
  /** Reports a likely mistake in the template to the caller. */
  readonly warn: (message: string) => void;
  /** Logs messages caused by the data, and the output of macros. */
  readonly note: (message: string) => void;
  readonly now: () => Date;
  /** Converts digits in dynamic paths to int keys. */
  readonly keysToInt: boolean;
  /** Renders a Jinja2 template with the results as `_data_`. */
  readonly renderJinja2: (source: string, data: Value) => string;
  readonly ownArguments: Map<Call, Arguments>;
  macros: ReadonlyMap<string, Value>;
  template: TemplateView | undefined;
  /** Variables of the current input. */
  vars: PyDict;
  lookups: PyDict;
  mainResults: Value;
  dataText: Value;
  dataName: string;
  results: ResultsView | undefined;
  output: OutputView | undefined;
}

/** The results builder, as `itemize` and others see it. */
export interface ResultsView {
  readonly record: RecordState;
  readonly pathCache: Map<string, Value>;
  saveAt(path: readonly string[], data: Value): void;
}

export interface Outcome {
  readonly data: Value;
  /** false: drop the match or record; a dictionary: fields to add to the match. */
  readonly flag: boolean | null | PyDict;
}

/** A function of TTP: its data, arguments and run-time state. */
export type LanguageFunction<Result> = (
  data: Value,
  args: readonly Value[],
  kwargs: Kwargs,
  rt: Runtime,
) => Result;

export type DataFunction = LanguageFunction<Outcome>;

export const keep = (data: Value): Outcome => ({ data, flag: null });
export const decide = (data: Value, flag: boolean): Outcome => ({ data, flag });
