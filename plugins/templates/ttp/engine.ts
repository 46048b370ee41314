/** The TTP engine: compiles the caller's or a built-in template once; each run has its own state. */

import * as v from "valibot";
import type { Shelf } from "../jinja2/index.ts";
import {
  type CompiledTemplate,
  type EngineHost,
  fromPlain,
  hostOf,
  Meter,
  PyDict,
  type RunContext,
  silent,
  type TemplateEngine,
  TemplateError,
  toJson,
  toPlain,
  type Value,
  withTexts,
  writeJson,
} from "../python/index.ts";
import { type TtpArgs, ttpArgs } from "./args.ts";
import { libraryPath, readLibrary } from "./library.ts";
import { ALL, createParser, type Parser, type ParserOptions } from "./parser.ts";
import { parts, withParts } from "./parts.ts";
import { type Files, rememberedFiles } from "./template/files.ts";

const LIBRARY = "ttp";
const PREFIX = "ttp://";

export interface TtpEngine {
  /** Compiles a template and loads the parts of the engine that it needs. */
  compile(source: string, args?: unknown): Promise<CompiledTemplate>;
}

export function createEngine(given: Partial<EngineHost> = {}): TtpEngine {
  const engine = createLoadedEngine(given);
  return { compile: (source, args) => withParts(() => engine.compile(source, args)) };
}

/** The engine for where the parts that a template needs are loaded already. */
export function createLoadedEngine(given: Partial<EngineHost> = {}): TemplateEngine {
  const kit = hostOf(given);
  const library = kit.library(LIBRARY);
  const read = (path: string) =>
    path.startsWith(PREFIX) ? readLibrary(library, path.slice(PREFIX.length)) : kit.readTemplate(path);

  function builtin(args: TtpArgs, files: Files): string {
    const path = libraryPath({ ...args, ...args.ttp_template_args });
    if (path === undefined) {
      const message =
        "ttp: give a template, or platform and command (or get, misc, yang, path) of a built-in one";
      throw new TemplateError("TemplateNotFound", message);
    }
    const text = files.read(PREFIX + path);
    if (text !== undefined) return text;
    const hint = library.installed
      ? ""
      : "; no set of built-in templates is installed: run `patchbay templates install`, or give a template";
    throw new TemplateError("TemplateNotFound", `ttp: there is no built-in template '${path}'${hint}`);
  }

  let shelf: Shelf | undefined;
  const renderJinja2: ParserOptions["renderJinja2"] = (source, data, meter) => {
    const args = { trim_blocks: true, lstrip_blocks: true, extensions: [] };
    const { Environment, Shelf } = parts.jinja2.use;
    shelf ??= new Shelf();
    const environment = new Environment(source, args, kit, shelf);
    return environment.render(writeJson(PyDict.from([["_data_", withTexts(data, meter)]]), {}, meter));
  };

  function compile(source: string, rawArgs: unknown): CompiledTemplate {
    const args = v.parse(ttpArgs, rawArgs ?? {});
    const selection = { ...args, ...args.ttp_template_args };
    const fromLibrary = source.trim() === "";
    const { files, current } = rememberedFiles(read);
    const warnings: string[] = [];
    const parser = createParser({
      files,
      limits: kit.limits,
      vars: dictionary(args.vars),
      basePath: args.base_path,
      keysToInt: args.dynamic_path_key_to_int,
      log: (message) => kit.log.debug(`ttp: ${message}`),
      warn: (message) => warnings.push(message),
      module: (name) => (parts.setModules.isLoaded ? parts.setModules.use.setModule(name) : undefined),
      renderJinja2,
    });
    parser.addTemplate(fromLibrary ? builtin(args, files) : source);
    if (args.output !== undefined) parser.prepareOutput(dictionary(args.output));
    const getter =
      fromLibrary && selection.get !== undefined && selection.platform !== undefined
        ? getterInput(parser, selection.get, selection.platform)
        : undefined;
    // Callers cannot fix the templates of a set, so they get no warnings for them.
    const warn = (ctx: RunContext) => (fromLibrary ? () => undefined : ctx.warn);
    const resultsOf = (text: string, ctx: RunContext = silent) =>
      run(parser.fresh(warn(ctx)), text, args, getter);
    return {
      current,
      ...(fromLibrary ? {} : { warnings }),
      run: (text, ctx) => guarded(() => toPlain(resultsOf(text, ctx), new Meter(kit.limits))),
      runJson: (text, ctx) => guarded(() => toJson(resultsOf(text, ctx), new Meter(kit.limits))),
    };
  }

  return { compile: (source, args) => guarded(() => compile(source, args)) };
}

/** The template and input of a getter for a platform. */
interface GetterInput {
  readonly template: string;
  readonly name: string;
}

function getterInput(parser: Parser, get: string, platform: string): GetterInput {
  for (const [template, inputs] of parser.inputLoads().entries())
    for (const [name, parameters] of inputs instanceof PyDict ? inputs.entries() : []) {
      const platforms = parameters instanceof PyDict ? parameters.get("platform") : undefined;
      if (platforms === platform || (Array.isArray(platforms) && platforms.includes(platform)))
        return { template: String(template), name: String(name) };
    }
  throw new TemplateError(
    "TemplateNotFound",
    `ttp: the getter '${get}' has no template for the platform '${platform}'`,
  );
}

function run(parser: Parser, text: string, args: TtpArgs, getter: GetterInput | undefined): Value {
  for (const [name, table] of Object.entries(args.lookups ?? {})) parser.setLookup(name, fromPlain(table));
  // A template with its own text may run without any other input.
  if (text !== "" || !parser.hasData())
    parser.addInput(text, getter ?? { name: args.input, template: args.template_name ?? ALL });
  for (const { text: more, ...where } of args.inputs ?? [])
    parser.addInput(more, { ...where, template: where.template ?? ALL });
  parser.parse();
  const templates = getter === undefined ? args.templates : [getter.template];
  const result = parser.result({
    structure:
      getter !== undefined && args.structure === "dictionary"
        ? "dictionary"
        : (args.structure ?? "flat_list"),
    templates,
    output: args.output === undefined ? undefined : dictionary(args.output),
  });
  return getter !== undefined && result instanceof PyDict ? (result.get(getter.template) ?? null) : result;
}

function dictionary(values: Readonly<Record<string, unknown>> | undefined): PyDict {
  const converted = fromPlain(values ?? {});
  return converted instanceof PyDict ? converted : new PyDict();
}

/** A stack overflow that no limit prevented counts as a limit error. */
function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError)
      throw new TemplateError(
        "TemplateLimit",
        "The template recursed too deep or built something too large.",
      );
    throw error;
  }
}
