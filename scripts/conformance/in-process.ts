/** Runs the engines without the service, for fast feedback while changing an engine. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { createEngine as createJinja2 } from "../../plugins/templates/jinja2/index.ts";
import jinja2 from "../../plugins/templates/jinja2/plugin.ts";
import { createEngine as createTextFsm } from "../../plugins/templates/textfsm/index.ts";
import textfsm from "../../plugins/templates/textfsm/plugin.ts";
import { createEngine as createTtp } from "../../plugins/templates/ttp/index.ts";
import ttp from "../../plugins/templates/ttp/plugin.ts";
import { silentLog } from "../../src/base/log.ts";
import {
  defaultTemplateLimits,
  type TemplateEngine,
  type TemplateEnginePlugin,
  TemplateError,
  type TemplateKit,
  type TemplateLibrary,
} from "../../src/plugin/template-engine.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { templateContext } from "../testbed/template-context.ts";
import type { Answer, Asker } from "./ask.ts";

export function askInProcess(): Asker {
  const roots = tempFolder("patchbay-conformance-");
  const sets = new Map<string, string>();
  const kit: TemplateKit = {
    log: silentLog,
    settings: {},
    limits: defaultTemplateLimits,
    readTemplate: (path) => readFile(roots, path),
    library: (name) => libraryOf(() => sets.get(name)),
  };
  const engines = {
    jinja2: { plugin: jinja2, engine: createJinja2(kit) },
    textfsm: { plugin: textfsm, engine: createTextFsm(kit) },
    ttp: { plugin: ttp, engine: createTtp(kit) },
  };

  return {
    render: ({ template, contextJson, args }) => run(engines.jinja2, template, contextJson, args),
    parse: ({ engine, template = "", set, text, args }) =>
      run(engines[engine], template, text, { ...args, ...set }),
    async install(folder) {
      sets.set(existsSync(join(folder, "index")) ? "textfsm" : "ttp", folder);
    },
    put(path, text) {
      mkdirSync(dirname(join(roots, path)), { recursive: true });
      writeFileSync(join(roots, path), text);
    },
    async stop() {
      rmSync(roots, { recursive: true, force: true });
    },
  };
}

async function run(
  { plugin, engine }: { plugin: TemplateEnginePlugin; engine: TemplateEngine },
  template: string,
  input: string,
  args: Record<string, unknown>,
): Promise<Answer> {
  const checked = await plugin.args["~standard"].validate(args);
  if (checked.issues !== undefined)
    return { kind: "refused", why: checked.issues[0]?.message ?? "arguments" };
  try {
    const compiled = await engine.compile(template, checked.value);
    const json =
      compiled.runJson?.(input, templateContext) ?? JSON.stringify(compiled.run(input, templateContext));
    return { kind: "answer", json };
  } catch (error) {
    if (error instanceof TemplateError) return { kind: "refused", why: error.message.slice(0, 120) };
    return { kind: "broken", why: String(error).slice(0, 120) };
  }
}

function readFile(folder: string, path: string): string | undefined {
  const file = join(folder, path);
  return existsSync(file) && statSync(file).isFile() ? readFileSync(file, "utf8") : undefined;
}

function libraryOf(folder: () => string | undefined): TemplateLibrary {
  return {
    get installed() {
      return folder() !== undefined;
    },
    get stamp() {
      return folder();
    },
    list() {
      const root = folder();
      if (root === undefined) return [];
      return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .sort();
    },
    read(path) {
      const root = folder();
      return root === undefined ? undefined : readFile(root, path);
    },
  };
}
