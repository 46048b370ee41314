/** A compiled template together with those it can reach, ready to render contexts. */

import type { TemplateLimits } from "patchbay/plugin";
import { TemplateError } from "patchbay/plugin";
import { PyDict } from "../python/dict.ts";
import { parseJson, readJson, SharedKeys } from "../python/json.ts";
import { createMeter } from "../python/limits.ts";
import type { Value } from "../python/values.ts";
import { createTemplateCompiler, type TemplateCompiler } from "./compile-template.ts";
import type { FilterTable } from "./filter.ts";
import { allFilters, allTests, ansibleFilters } from "./filters/index.ts";
import { globals as shared } from "./globals.ts";
import { type Args, type Options, optionsOf } from "./options.ts";
import { newContext, Out, type Run, type Template } from "./runtime.ts";

export interface Surroundings {
  readonly limits: TemplateLimits;
  /** Text of a template that the request does not bring along. */
  readTemplate(name: string): string | undefined;
}

/** @throws TemplateError when the source does not compile. */
export function createEnvironment(source: string, args: Args, surroundings: Surroundings): Environment {
  return new Environment(source, args, surroundings);
}

export class Environment {
  private readonly main: Template;
  private readonly keys = new SharedKeys();
  private readonly library: Library;

  constructor(source: string, args: Args, surroundings: Surroundings) {
    this.library = new Library(source, args, surroundings);
    this.main = this.library.main();
  }

  /** Renders with a context that is JSON text of an object. */
  render(contextJson: string, warn: (message: string) => void = () => undefined): string {
    const { library } = this;
    const out = new Out(library.limits.outputChars);
    try {
      const variables = variablesOf(readJson(contextJson, this.keys));
      this.main.render(newContext(library.newRun(warn), this.main, variables), out);
    } catch (error) {
      throw bounded(error);
    }
    return out.text;
  }
}

/** The templates of a request: those it brings along, and those that can be read. */
class Library {
  readonly limits: TemplateLimits;
  private readonly options: Options;
  private readonly filters: FilterTable;
  private readonly compiler: TemplateCompiler;
  private readonly given: ReadonlyMap<string, string>;
  private readonly name: string | undefined;
  /** JSON text of the globals that a request brings along. */
  private readonly own: string | undefined;
  /** By name, with the text it was compiled from: a file may have changed since. */
  private readonly compiled = new Map<string, { text: string; template: Template }>();

  constructor(
    private readonly source: string,
    args: Args,
    private readonly surroundings: Surroundings,
  ) {
    this.limits = surroundings.limits;
    this.options = optionsOf(args);
    this.filters = args.ansible === true ? ansibleFilters : allFilters;
    this.compiler = createTemplateCompiler(this.options, this.filters, allTests, this.limits.depth);
    this.given = new Map(Object.entries(args.templates ?? {}));
    this.name = args.name ?? undefined;
    const { globals = {} } = args;
    this.own = Object.keys(globals).length === 0 ? undefined : JSON.stringify(globals);
  }

  main(): Template {
    return this.name === undefined
      ? this.compile(this.source, undefined)
      : this.compileNamed(this.name, this.source);
  }

  newRun(warn: Run["warn"]): Run {
    const { options } = this;
    return {
      meter: createMeter(this.limits),
      undefinedKind: options.undefined,
      autoescape: options.autoescape,
      newline: options.newline,
      filters: this.filters,
      tests: allTests,
      globals: this.own === undefined ? shared : withOwn(this.own),
      library: this,
      warn,
      told: new Set(),
      loaded: undefined,
      modules: undefined,
    };
  }

  /** @throws TemplateError `TemplateNotFound`. */
  load(wanted: string): Template {
    const text =
      this.given.get(wanted) ?? (wanted === this.name ? this.source : this.surroundings.readTemplate(wanted));
    if (text === undefined) throw new TemplateError("TemplateNotFound", `template '${wanted}' was not found`);
    return this.compileNamed(wanted, text);
  }

  private compileNamed(wanted: string, text: string): Template {
    const known = this.compiled.get(wanted);
    if (known?.text === text) return known.template;
    const template = this.compile(text, wanted);
    this.compiled.set(wanted, { text, template });
    return template;
  }

  private compile(text: string, name: string | undefined): Template {
    try {
      return this.compiler.compile(text, name);
    } catch (error) {
      throw bounded(error);
    }
  }
}

function withOwn(json: string): Map<string, Value> {
  const globals = new Map(shared);
  for (const [key, value] of variablesOf(parseJson(json)).entries()) globals.set(String(key), value);
  return globals;
}

function variablesOf(context: Value): PyDict {
  if (context === null) return new PyDict();
  if (!(context instanceof PyDict)) {
    throw new TemplateError("TemplateRuntime", "the context must be an object whose keys are variable names");
  }
  return context;
}

/** A stack that overflows in spite of the counted depth is a limit like any other. */
function bounded(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  if (error.message.includes("stack"))
    return new TemplateError("TemplateLimit", "the template nests too deeply");
  if (error.message.includes("memory")) return new TemplateError("TemplateLimit", "out of memory");
  return error;
}
