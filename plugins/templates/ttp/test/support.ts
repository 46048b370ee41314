/** The TTP engine with a set of templates, for tests. */
import * as v from "valibot";
import { type EngineHost, hostOf, type TemplateEngine, type TemplateLibrary } from "../../python/index.ts";
import { ttpArgs } from "../args.ts";
import "./loaded.ts";

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

/** A host with a small set. */
export const kitOf = (parts: Partial<EngineHost> = {}): EngineHost =>
  hostOf({ library: () => smallLibrary, ...parts });

export const context = { warn: silent };

/** @returns the engine's result for a text. */
export const runEngine = (
  engine: TemplateEngine,
  source: string,
  text: string,
  args: unknown = {},
): unknown => engine.compile(source, v.parse(ttpArgs, args)).run(text, context);
