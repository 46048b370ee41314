/** Runs the cases of the built-in templates through the engine, as the service does. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as v from "valibot";
import { ttpArgs } from "../../../plugins/templates/ttp/args.ts";
import { quietContext } from "../../../src/plugin/quiet-context.ts";
import {
  defaultTemplateLimits,
  type TemplateEngine,
  type TemplateKit,
  type TemplateLibrary,
} from "../../../src/plugin/template-engine.ts";
import { type BuiltinCase, CORPUS } from "./corpus.ts";

const folder = `${CORPUS}ttp_templates`;
const silent = () => undefined;

/** A library backed by the corpus's template set. */
export const corpusLibrary: TemplateLibrary = {
  installed: true,
  list: () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1))
      .sort(),
  read: (path) => (existsSync(`${folder}/${path}`) ? readFileSync(`${folder}/${path}`, "utf8") : undefined),
};

export const emptyLibrary: TemplateLibrary = { installed: false, list: () => [], read: silent };

/** A kit as in the template process. */
export function kitOf(parts: Partial<TemplateKit> = {}): TemplateKit {
  return {
    settings: {},
    log: { debug: silent, info: silent, warn: silent, error: silent },
    library: () => corpusLibrary,
    readTemplate: silent,
    limits: defaultTemplateLimits,
    ...parts,
  };
}

export const context = quietContext({ remaining: () => 60_000 });

/** @returns the engine's result for a text. */
export const runEngine = (
  engine: TemplateEngine,
  source: string,
  text: string,
  args: unknown = {},
): unknown => engine.compile(source, v.parse(ttpArgs, args)).run(text, context);

/** @returns the engine's result for the case in the given structure. */
export function runBuiltin(one: BuiltinCase, engine: TemplateEngine, structure: string): unknown {
  const { platform, command, get, misc, yang, vars } = one;
  return runEngine(engine, "", one.raw, { platform, command, get, misc, yang, vars, structure });
}

const OUTPUT_MACRO = /<(output|out|o)\s[^>]*macro\s*=[^>]*?(?:\/>|>[\s\S]*?<\/\1>)/g;

/** The corpus's set, without the output macros of its templates. */
export const withoutOutputMacros: TemplateLibrary = {
  ...corpusLibrary,
  read: (path) => corpusLibrary.read(path)?.replace(OUTPUT_MACRO, ""),
};
