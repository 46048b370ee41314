/** A compiled template together with those it can reach, ready to render contexts. */

import type { TemplateLimits } from "../../../src/plugin/template.ts";
import { TemplateError } from "../../../src/plugin/template.ts";
import { PyDict } from "../python/dict.ts";
import { createJsonReader, parseJson } from "../python/json.ts";
import { createMeter } from "../python/limits.ts";
import type { Value } from "../python/values.ts";
import { createTemplateCompiler } from "./compile-template.ts";
import { allFilters } from "./filters/index.ts";
import { createGlobals } from "./globals.ts";
import { type Args, type Options, optionsOf } from "./options.ts";
import { newContext, Out, type Run, type Template } from "./runtime.ts";
import { allTests } from "./tests.ts";

export interface Environment {
  /** Renders with a context that is JSON text of an object. */
  render(contextJson: string): string;
}

export interface Surroundings {
  readonly limits: TemplateLimits;
  /** Text of a template that the request does not bring along. */
  readTemplate(name: string): string | undefined;
}

/** @throws TemplateError when the source does not compile. */
export function createEnvironment(
  source: string,
  args: Args,
  { limits, readTemplate }: Surroundings,
): Environment {
  const options: Options = optionsOf(args);
  const compiler = createTemplateCompiler(options, allFilters, allTests, limits.depth);
  const given = new Map(Object.entries(args.templates ?? {}));
  const name = args.name ?? undefined;
  const { globals = {} } = args;
  const own = Object.keys(globals).length === 0 ? undefined : JSON.stringify(globals);
  const readContext = createJsonReader();
  /** By name, with the text it was compiled from: a file may have changed since. */
  const compiled = new Map<string, { text: string; template: Template }>();
  const compileNamed = (wanted: string, text: string): Template => {
    const known = compiled.get(wanted);
    if (known?.text === text) return known.template;
    const template = inBounds(() => compiler.compile(text, wanted));
    compiled.set(wanted, { text, template });
    return template;
  };
  const main =
    name === undefined ? inBounds(() => compiler.compile(source, undefined)) : compileNamed(name, source);

  const shared = createGlobals();
  const withOwn = (json: string): Map<string, Value> => {
    const globals = new Map(shared);
    for (const [key, value] of variablesOf(parseJson(json)).entries()) globals.set(String(key), value);
    return globals;
  };

  const load = (wanted: string): Template => {
    const text = given.get(wanted) ?? (wanted === name ? source : readTemplate(wanted));
    if (text === undefined) throw new TemplateError("TemplateNotFound", `template '${wanted}' was not found`);
    return compileNamed(wanted, text);
  };
  const createRun = (): Run => ({
    meter: createMeter(limits),
    undefinedKind: options.undefined,
    autoescape: options.autoescape,
    newline: options.newline,
    filters: allFilters,
    tests: allTests,
    globals: own === undefined ? shared : withOwn(own),
    load,
    loaded: undefined,
    modules: undefined,
  });

  return {
    render(contextJson) {
      return inBounds(() => {
        const run = createRun();
        const out = new Out(limits.outputChars);
        main.render(newContext(run, main, variablesOf(readContext(contextJson))), out);
        return out.text;
      });
    },
  };
}

function variablesOf(context: Value): PyDict {
  if (context === null) return new PyDict();
  if (!(context instanceof PyDict)) {
    throw new TemplateError("TemplateRuntime", "the context must be an object whose keys are variable names");
  }
  return context;
}

/** A stack that overflows in spite of the counted depth is a limit like any other. */
function inBounds<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (error.message.includes("stack"))
      throw new TemplateError("TemplateLimit", "the template nests too deeply");
    if (error.message.includes("memory")) throw new TemplateError("TemplateLimit", "out of memory");
    throw error;
  }
}
