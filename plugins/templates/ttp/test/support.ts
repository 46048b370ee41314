/** The TTP engine as a template process uses it, for tests. */
import * as v from "valibot";
import { quietContext } from "../../../../src/plugin/quiet-context.ts";
import {
  defaultTemplateLimits,
  type TemplateEngine,
  type TemplateKit,
  type TemplateLibrary,
} from "../../../../src/plugin/template-engine.ts";
import { ttpArgs } from "../args.ts";

const silent = () => undefined;

const templates: Readonly<Record<string, string>> = {
  "platform/arista_eos_show_hostname.txt": "Hostname: {{ hostname }}\nFQDN: {{ fqdn }}\n",
};

/** An installed set of one template. */
export const smallLibrary: TemplateLibrary = {
  installed: true,
  list: () => Object.keys(templates),
  read: (path) => templates[path],
};

export const emptyLibrary: TemplateLibrary = { installed: false, list: () => [], read: silent };

/** A kit as in the template process. */
export function kitOf(parts: Partial<TemplateKit> = {}): TemplateKit {
  return {
    settings: {},
    log: { debug: silent, info: silent, warn: silent, error: silent },
    library: () => smallLibrary,
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
