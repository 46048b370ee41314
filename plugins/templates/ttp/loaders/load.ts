/** Loads the text of a tag as what its `load` attribute says: python, yaml, json, ini, csv or text. */
import { TemplateError } from "patchbay/plugin";
import { strip } from "../../python/blanks.ts";
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { parseJson } from "../../python/json.ts";
import type { Meter } from "../../python/limits.ts";
import type { Value } from "../../python/values.ts";
import { loadYaml } from "../../python/yaml-read.ts";
import { type Files, findFiles } from "../files.ts";
import type { Interpreter } from "../macro/interpreter.ts";
import { loadCsv } from "./csv.ts";
import { loadIni } from "./ini.ts";

export interface LoadContext {
  readonly interpreter: Interpreter;
  readonly meter: Meter;
  readonly files: Files;
  readonly warn: (message: string) => void;
  /** `_ttp_` of Python texts. */
  readonly given: ReadonlyMap<string, Value>;
}

export interface LoadOptions {
  readonly load?: string | undefined;
  readonly include?: string | undefined;
  readonly key?: string | undefined;
}

/** `null`: there is nothing, or it can't be read (which is only a warning). */
export function loadStructure(text: string, options: LoadOptions, context: LoadContext): Value {
  const { include } = options;
  const loader = (options.load ?? "python").toLowerCase();
  if (text === "" && include === undefined) return null;
  if (loader === "ini") return loadIni([...included(include, context), text], context.warn);
  const whole = loader === "text" ? text : [text, ...included(include, context)].join("\n");
  switch (loader) {
    case "text":
      return text;
    case "python":
      return loadPython(whole, context);
    case "yaml":
      return guarded(() => loadYaml(whole, context.meter), new PyDict(), "YAML", context);
    case "json":
      return guarded(() => parseJson(whole), null, "JSON", context);
    case "csv":
      return loadCsv(whole, options.key);
  }
  throw new PyError(
    "KeyError",
    `unknown loader '${loader}'; known are python, yaml, json, ini, csv and text`,
  );
}

function included(path: string | undefined, { files }: LoadContext): string[] {
  if (path === undefined) return [];
  // What is no file is text itself: that is the language.
  return findFiles(files, path)?.map((one) => one.text) ?? [path];
}

function guarded(read: () => Value, instead: Value, what: string, { warn }: LoadContext): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TemplateError) || error.kind === "TemplateLimit") throw error;
    warn(`can't read ${what}: ${error.message}`);
    return instead;
  }
}

/** The names that a Python text binds, or the value of one expression. */
export function loadPython(text: string, { interpreter, given, meter, warn }: LoadContext): Value {
  if (strip(text) === "") return new PyDict();
  try {
    const names = interpreter.compile(text).run(given, meter);
    if (names.size > 0) return PyDict.from(names);
    return interpreter.evaluate(text, () => undefined, meter);
  } catch (error) {
    if (!(error instanceof TemplateError) || error.kind !== "TemplateSyntax") throw error;
    warn(`can't read Python: ${error.message}`);
    return null;
  }
}
