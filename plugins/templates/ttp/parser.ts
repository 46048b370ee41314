/** The parser: add templates, variables, lookups and inputs, then parse and get the results. */
import {
  attempt,
  defaultTemplateLimits,
  Meter,
  PyDict,
  TemplateError,
  type TemplateLimits,
  type Value,
} from "../python/index.ts";
import type { Environment } from "./environment.ts";
import { type LoadOptions, loadStructure } from "./loaders/load.ts";
import type { Interpreter, ModuleSource } from "./macro/contract.ts";
import { createLazyInterpreter } from "./macro/lazy.ts";
import { givenOutput, runOutput } from "./outputs/output.ts";
import { needsFunction } from "./parts.ts";
import type { Runtime } from "./run/runtime.ts";
import {
  outputView,
  parseTemplates,
  type RunningTemplate,
  startTemplate,
  structured,
} from "./run/session.ts";
import { createView } from "./run/view.ts";
import { createCallReader, type ReadCalls } from "./template/attributes.ts";
import { type Files, findFiles } from "./template/files.ts";
import { type Data, DEFAULT_INPUT, givenInput, mergeInputs } from "./template/input.ts";
import { loadTemplate, type Template } from "./template/template.ts";

export interface ParserOptions {
  readonly files: Files;
  readonly limits?: TemplateLimits | undefined;
  readonly vars?: PyDict | undefined;
  readonly basePath?: string | undefined;
  /** Converts digits in dynamic paths to int keys. */
  readonly keysToInt?: boolean | undefined;
  /** Logs messages caused by the data, and the output of macros. */
  readonly log?: ((message: string) => void) | undefined;
  /** Reports likely mistakes in the template. */
  readonly warn?: ((message: string) => void) | undefined;
  readonly now?: (() => Date) | undefined;
  /** Additional modules that macros can import. */
  readonly module?: ((name: string) => ModuleSource | undefined) | undefined;
  readonly renderJinja2?: ((source: string, data: Value, meter: Meter) => string) | undefined;
}

export interface InputOptions {
  readonly name?: string | undefined;
  /** A template's name, or `_all_`. */
  readonly template?: string | undefined;
  /** Groups that read the input. */
  readonly groups?: readonly string[] | undefined;
}

export interface ResultOptions {
  readonly structure?: string | undefined;
  readonly templates?: readonly string[] | undefined;
  /** Attributes of an output for the results. */
  readonly output?: PyDict | undefined;
}

export interface LookupOptions extends LoadOptions {
  readonly text?: string | undefined;
}

export interface Parser {
  addTemplate(text: string, name?: string, filters?: readonly string[]): void;
  addVars(vars: PyDict): void;
  addLookup(name: string, options: LookupOptions): void;
  /** Sets a table that is already a value. */
  setLookup(name: string, table: Value): void;
  addInput(data: string | Value, options?: InputOptions): void;
  /** Adds a file, or all files of a folder. */
  addFileInput(path: string, options?: InputOptions): boolean;
  /** Whether any input has text, from a template or from the caller. */
  hasData(): boolean;
  clearInput(template?: string): void;
  parse(): void;
  result(options?: ResultOptions): Value;
  clearResult(templates?: readonly string[]): void;
  /** Asks for the parts of the engine that such an output needs. */
  prepareOutput(output: PyDict): void;
  /** The parsed text of input tags besides data: template -> input -> parameters. */
  inputLoads(): PyDict;
  /** Returns a parser for the same templates without results, inputs and recorded values. */
  fresh(warn?: (message: string) => void): Parser;
}

export const ALL = "_all_";
export const ROOT = "_root_template_";

/** State that parsers of the same templates share. */
interface Loaded {
  readonly templates: readonly Template[];
  readonly interpreter: Interpreter;
}

export function createParser(options: ParserOptions, loaded?: Loaded): Parser {
  const { files, limits = defaultTemplateLimits, basePath = "", keysToInt = false } = options;
  const note = options.log ?? (() => undefined);
  const warn = options.warn ?? note;
  const now = options.now ?? (() => new Date());
  const meter = new Meter(limits);
  const vars = options.vars?.copy() ?? new PyDict();
  const templates: Template[] = [];
  const running: RunningTemplate[] = [];
  const interpreter =
    loaded?.interpreter ?? createLazyInterpreter({ log: note, now, module: options.module });
  const view = createView(() => rt);
  const extraNames = new Map<string, Value>([["_ttp_", view]]);
  const read = createCallReader(interpreter, meter);
  const readCalls: ReadCalls = (text) => {
    const calls = read(text);
    for (const { name } of calls) needsFunction(name);
    return calls;
  };
  const env: Environment = { interpreter, meter, files, readCalls, extraNames, now, warn };

  const rt: Runtime = {
    meter,
    warn,
    note,
    now,
    keysToInt,
    globals: new PyDict(),
    templates: running,
    renderJinja2(source, data) {
      if (options.renderJinja2 === undefined)
        throw new TemplateError(
          "TemplateRuntime",
          "ttp: there is no jinja2 engine to render the results with",
        );
      return options.renderJinja2(source, data, meter);
    },
    ownArguments: new Map(),
    macros: new Map(),
    template: undefined,
    vars: new PyDict(),
    lookups: new PyDict(),
    mainResults: null,
    dataText: "",
    dataName: "",
    results: undefined,
    output: undefined,
  };

  function start(template: Template): void {
    templates.push(template);
    running.push(startTemplate(template, extraNames, rt));
  }
  for (const template of loaded?.templates ?? []) start(template);

  const templatesNamed = (name: string) => running.filter((state) => name === ALL || state.name === name);

  function addData(
    data: readonly Data[],
    { name = DEFAULT_INPUT, template = ROOT, groups = ["all"] }: InputOptions,
  ): void {
    for (const state of templatesNamed(template)) {
      const input = givenInput(name, data, groups, state.template.groups);
      const existing = state.inputs.get(name);
      state.inputs.set(name, existing === undefined ? input : mergeInputs(existing, input));
    }
  }

  return {
    addTemplate(text, name = ROOT, filters = []) {
      const template = loadTemplate(text, { name, basePath, vars, filters }, env);
      for (const child of template.children.length > 0 ? template.children : [template]) start(child);
    },
    addVars(added) {
      for (const [key, value] of added.entries()) {
        vars.set(key, value);
        for (const state of running) state.vars.set(key, value);
      }
    },
    setLookup(name, table) {
      for (const state of running) state.lookups.set(name, table);
    },
    addLookup(name, { text = "", ...settings }) {
      this.setLookup(name, loadStructure(text, settings, env));
    },
    addInput(data, input = {}) {
      addData(
        [typeof data === "string" ? { kind: "text", text: data } : { kind: "structured", value: data }],
        input,
      );
    },
    addFileInput(path, input = {}) {
      const matches = findFiles(files, path);
      if (matches !== undefined) addData(matches, input);
      return matches !== undefined;
    },
    hasData: () => running.some((state) => [...state.inputs.values()].some(({ data }) => data.length > 0)),
    clearInput(template = ALL) {
      for (const state of templatesNamed(template)) state.inputs = new Map();
    },
    parse() {
      parseTemplates(running, rt);
    },
    result({ structure = "list", templates: names = [], output } = {}) {
      const chosen = names.length === 0 ? running : running.filter((state) => names.includes(state.name));
      if (output === undefined || output.size === 0)
        return structured(chosen, structure, (state) => state.results, rt);
      const customOutput = givenOutput(output, env);
      const through = (state: RunningTemplate): Value => {
        if (state.macros.size > 0) rt.macros = state.macros;
        return runOutput(customOutput, state.results, outputView(customOutput, undefined), rt);
      };
      return structured(chosen, structure, through, rt);
    },
    clearResult(names = []) {
      for (const state of running)
        if (names.length === 0 || names.includes(state.name))
          state.results = Array.isArray(state.results) ? [] : new PyDict();
    },
    prepareOutput(output) {
      attempt(
        () => givenOutput(output, { ...env, warn: () => undefined }),
        () => undefined,
      );
    },
    inputLoads() {
      return PyDict.from(
        running.map((state): [string, Value] => [
          state.name,
          PyDict.from([...state.inputs].map(([name, input]): [string, Value] => [name, input.parameters])),
        ]),
      );
    },
    fresh: (newWarn) =>
      createParser({ ...options, vars, warn: newWarn ?? options.warn }, { templates, interpreter }),
  };
}
