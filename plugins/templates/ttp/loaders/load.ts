/** Parses the text of a tag in the format of its `load` attribute: python, yaml, json, ini, csv or text. */
import { PyDict, PyError, parseJson, strip, TemplateError, type Value } from "../../python/index.ts";
import type { Environment } from "../environment.ts";
import { parts } from "../parts.ts";
import { findFiles } from "../template/files.ts";
import { loadCsv } from "./csv.ts";
import { loadIni } from "./ini.ts";

export interface LoadOptions {
  readonly load?: string | undefined;
  readonly include?: string | undefined;
  readonly key?: string | undefined;
}

/** Parses the text of a tag by its attributes. */
export function loadTag(text: string, attributes: ReadonlyMap<string, string>, env: Environment): Value {
  const [load, include, key] = ["load", "include", "key"].map((name) => attributes.get(name));
  return loadStructure(text, { load, include, key }, env);
}

/** `null`: empty, or unreadable (which is only a warning). */
export function loadStructure(text: string, options: LoadOptions, env: Environment): Value {
  const { include, load = "python", key } = options;
  const loader = load.toLowerCase();
  if (text === "" && include === undefined) return null;
  if (loader === "text") return text;
  const texts = included(include, env);
  if (loader === "ini") return loadIni([...texts, text], env.warn);
  const content = [text, ...texts].join("\n");
  switch (loader) {
    case "python":
      return loadPython(content, env);
    case "yaml":
      return guarded(() => parts.yaml.use.loadYaml(content, env.meter), new PyDict(), "YAML", env);
    case "json":
      return guarded(() => parseJson(content), null, "JSON", env);
    case "csv":
      return loadCsv(content, key);
  }
  throw new PyError(
    "KeyError",
    `unknown loader '${loader}'; known are python, yaml, json, ini, csv and text`,
  );
}

function included(path: string | undefined, { files }: Environment): string[] {
  if (path === undefined) return [];
  // As in TTP, a path that does not exist is used as text.
  return findFiles(files, path)?.map((file) => file.text) ?? [path];
}

function guarded(read: () => Value, instead: Value, format: string, { warn }: Environment): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TemplateError) || error.kind === "TemplateLimit") throw error;
    warn(`can't read ${format}: ${error.message}`);
    return instead;
  }
}

/** The names that Python code binds, or the value of a single expression. */
function loadPython(text: string, { interpreter, extraNames, meter, warn }: Environment): Value {
  if (strip(text) === "") return new PyDict();
  try {
    const names = interpreter.compile(text).run(extraNames, meter);
    if (names.size > 0) return PyDict.from(names);
    return interpreter.evaluate(text, () => undefined, meter);
  } catch (error) {
    if (!(error instanceof TemplateError) || error.kind !== "TemplateSyntax") throw error;
    warn(`can't read Python: ${error.message}`);
    return null;
  }
}
