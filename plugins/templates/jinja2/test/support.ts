/** The Jinja2 engine as a template process uses it, for tests. */

import { silentLog } from "../../../../src/base/log.ts";
import { quietContext } from "../../../../src/plugin/quiet-context.ts";
import { defaultTemplateLimits, type TemplateEngine } from "../../../../src/plugin/template-engine.ts";
import createEngine from "../engine.ts";

export function createTestEngine(): TemplateEngine {
  return createEngine({
    log: silentLog,
    settings: {},
    limits: defaultTemplateLimits,
    readTemplate: () => undefined,
    library: () => ({ installed: false, list: () => [], read: () => undefined }),
  });
}

export const ctx = quietContext({ remaining: () => 60_000 });
