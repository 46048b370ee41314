/** A compiled template with the templates it can load, ready to render. */
import {
  type EngineHost,
  Meter,
  PyDict,
  parseJson,
  readJson,
  TemplateError,
  type Value,
} from "../python/index.ts";
import type { Args } from "./args.ts";
import { compileTemplate } from "./compile/template.ts";
import type { Language } from "./compile/unit.ts";
import { allFilters, allTests, ansibleFilters } from "./filters/index.ts";
import { optionsOf, withHeader } from "./options.ts";
import { ansibleGlobals, globals as plainGlobals } from "./run/globals.ts";
import { newContext, Out, type Run, type Template } from "./run/runtime.ts";
import type { Shelf } from "./shelf.ts";

/** Access to templates that are not part of the request. */
type Surroundings = Pick<EngineHost, "limits" | "readTemplate">;

/** The template of a request, and the loader for those it includes. */
export class Environment {
  private readonly language: Language;
  private readonly languageNumber: number;
  /** Template sources of the request, by name. */
  private readonly templates: Readonly<Record<string, string>>;
  /** Compiled templates of the request, including the main one if it has a name. */
  private readonly compiledTemplates = new Map<string, Template>();
  /** The request's globals, as JSON text. */
  private readonly ownGlobals: string;
  private readonly main: Template;
  readonly warnings: readonly string[];
  /** Ansible restores the newlines at the end of the main template, and only there. */
  private readonly endNewlines: number;

  /** @throws TemplateError if the source does not compile. */
  constructor(
    given: string,
    asked: Args,
    private readonly surroundings: Surroundings,
    private readonly shelf: Shelf,
  ) {
    const { source, args, warnings } = withHeader(given, asked);
    this.warnings = warnings;
    const options = optionsOf(args);
    const filters = options.ansible ? ansibleFilters : allFilters;
    this.language = { options, filters, tests: allTests, maxDepth: surroundings.limits.depth };
    this.ownGlobals = JSON.stringify(args.globals ?? {});
    this.languageNumber = shelf.language(options);
    const { name, templates = {} } = args;
    this.templates = templates;
    this.main = this.compile(source, name ?? undefined);
    this.endNewlines = options.ansible ? newlinesAtEnd(given) : 0;
    if (typeof name === "string" && (ownText(templates, name) ?? source) === source)
      this.compiledTemplates.set(name, this.main);
  }

  /** Renders with a context given as a JSON object. */
  render(contextJson: string, warn: (message: string) => void = () => undefined): string {
    const out = new Out(this.surroundings.limits.outputChars);
    try {
      const variables = variablesOf(readJson(contextJson, this.shelf.keys));
      this.main.render(newContext(this.newRun(warn), this.main, variables), out);
    } catch (error) {
      throw bounded(error);
    }
    const missing = this.endNewlines - newlinesAtEnd(out.text);
    return missing > 0 ? out.text + this.language.options.newline.repeat(missing) : out.text;
  }

  /** @throws TemplateError `TemplateNotFound`. */
  load(name: string): Template {
    const cached = this.compiledTemplates.get(name);
    if (cached !== undefined) return cached;
    const brought = ownText(this.templates, name);
    if (brought !== undefined) {
      const template = this.compile(brought, name);
      this.compiledTemplates.set(name, template);
      return template;
    }
    const text = this.surroundings.readTemplate(name);
    if (text === undefined) throw new TemplateError("TemplateNotFound", `template '${name}' was not found`);
    return this.shelf.template(this.languageNumber, name, text, () => this.compile(text, name));
  }

  private newRun(warn: Run["warn"]): Run {
    const { options, filters, tests } = this.language;
    return {
      meter: new Meter(this.surroundings.limits),
      undefinedKind: options.undefined,
      autoescape: options.autoescape,
      newline: options.newline,
      filters,
      tests,
      globals: withOwn(this.ownGlobals, options.ansible ? ansibleGlobals : plainGlobals),
      library: this,
      warn,
      warned: new Set(),
      loaded: undefined,
      modules: undefined,
    };
  }

  private compile(text: string, name: string | undefined): Template {
    try {
      return compileTemplate(text, name, this.language);
    } catch (error) {
      throw bounded(error);
    }
  }
}

function ownText(templates: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(templates, name) ? templates[name] : undefined;
}

/** Parses the request's globals anew for each render, because a render may modify them. */
function withOwn(json: string, shared: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  if (json === "{}") return shared;
  const globals = new Map(shared);
  for (const [key, value] of variablesOf(parseJson(json)).entries()) globals.set(String(key), value);
  return globals;
}

function variablesOf(context: Value): PyDict {
  if (context === null) return new PyDict();
  if (context instanceof PyDict) return context;
  throw new TemplateError("TemplateRuntime", "the context must be an object whose keys are variable names");
}

/** Converts stack overflow and out-of-memory errors, which the depth limit did not prevent, to limit errors. */
function bounded(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  if (error.message.includes("stack"))
    return new TemplateError("TemplateLimit", "the template nests too deeply");
  if (error.message.includes("memory")) return new TemplateError("TemplateLimit", "out of memory");
  return error;
}

function newlinesAtEnd(text: string): number {
  let count = 0;
  while (text.at(-1 - count) === "\n") count++;
  return count;
}
