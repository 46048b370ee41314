/** The TextFSM engine as a template process uses it, for tests. */
import { quietContext } from "../../../../src/plugin/quiet-context.ts";
import {
  defaultTemplateLimits,
  type TemplateKit,
  type TemplateLibrary,
} from "../../../../src/plugin/template-engine.ts";

export const nothingInstalled: TemplateLibrary = { installed: false, list: () => [], read: () => undefined };

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export const kitWith = (library: TemplateLibrary): TemplateKit => ({
  log: quiet,
  settings: {},
  limits: defaultTemplateLimits,
  readTemplate: () => undefined,
  library: () => library,
});

export const context = quietContext({ remaining: () => 5_000 });
