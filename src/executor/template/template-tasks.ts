/** Renders and parses with the template engines, in a template process; compiled templates are cached by hash. */
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../../base/errors.ts";
import { filesIn } from "../../base/files/file-below.ts";
import { isRecord } from "../../base/json/members.ts";
import type { Log } from "../../base/log.ts";
import { evaluate } from "../../checks/expression.ts";
import type { Context } from "../../plugin/kit/kit.ts";
import {
  type CompiledTemplate,
  defaultTemplateLimits,
  type TemplateEngine,
  type TemplateEnginePlugin,
  TemplateError,
  type TemplateKit,
  type TemplateLibrary,
} from "../../plugin/template-engine.ts";
import type { WorkerSettings } from "../../protocol/message-port.ts";
import type { EvaluateTask, ParseTask, RenderTask, TaskValues } from "../../protocol/task.ts";
import type { PluginLoader } from "../../registry/loader.ts";
import { pluginFault } from "../../registry/plugin-fault.ts";
import type { Registry } from "../../registry/registry.ts";
import type { TaskMask } from "../masking.ts";
import { validated } from "../validate.ts";
import { collectWarnings, type Warnings } from "../warnings.ts";
import { createTemplateFiles, readBelow } from "./template-files.ts";

export interface TemplateTasksOptions {
  readonly settings: Pick<WorkerSettings, "templateRoots" | "libraryRoot">;
  readonly registry: Registry;
  readonly loaded: PluginLoader;
  readonly log: Log;
}

const maxCompiled = 500;
/** A compiled template of Jinja2 takes up to 66 bytes for each character of its text: 34 MB in all. */
const maxCompiledChars = 512 * 1024;
const maxWarnings = 100;

export function createTemplateTasks({ settings, registry, loaded, log }: TemplateTasksOptions) {
  const compiled = new LRUCache<string, CompiledTemplate>({
    max: maxCompiled,
    maxSize: maxCompiledChars,
  });
  const engines = new WeakMap<TemplateEnginePlugin, TemplateEngine>();
  /** A replaced engine compiles again; the arguments may contain secrets, which each task that runs it must mask. */
  const madeBy = new WeakMap<CompiledTemplate, { plugin: TemplateEnginePlugin; args: unknown }>();
  const kit = createTemplateKit(settings, log);

  async function compile(task: RenderTask | ParseTask, mask: TaskMask): Promise<CompiledTemplate> {
    const plugin = registry.require("template", task.engine);
    refuseUntrusted(plugin, task);
    mask.add(registry.settings(plugin));
    const key = createHash("sha256")
      .update(JSON.stringify([task.engine, task.args, task.source]))
      .digest("hex");
    const cached = compiled.get(key);
    const by = cached && madeBy.get(cached);
    if (cached && by?.plugin === plugin && cached.current?.() !== false) {
      mask.add(by.args);
      return cached;
    }
    const args = await validated(plugin.args, task.args, "args");
    mask.add(args);
    const engine = await engineOf(plugin);
    const fresh = await engine.compile(task.source, args);
    if (!isRecord(fresh)) throw pluginFault(plugin, "compile", "it returned no template with `run`");
    madeBy.set(fresh, { plugin, args });
    compiled.set(key, fresh, { size: 1_000 + task.source.length });
    return fresh;
  }

  /** Created once per process. */
  async function engineOf(plugin: TemplateEnginePlugin): Promise<TemplateEngine> {
    const loadedEngine = engines.get(plugin);
    if (loadedEngine) return loadedEngine;
    const make = await loaded.get(plugin);
    const engine = make({ ...kit, settings: registry.settings(plugin) });
    engines.set(plugin, engine);
    return engine;
  }

  return {
    async render(task: RenderTask, ctx: Context, mask: TaskMask): Promise<TaskValues["render"]> {
      return withErrorName("RenderError", task.engine, async () => {
        const template = await compile(task, mask);
        const warnings = collectWarnings(ctx);
        const text = limited(rendered(template.run(task.contextJson, warnings.ctx)));
        return { text, ...warningsOf(template, warnings, task, mask) };
      });
    },
    async parse(task: ParseTask, ctx: Context, mask: TaskMask): Promise<TaskValues["parse"]> {
      return withErrorName("ParseError", task.engine, async () => {
        const template = await compile(task, mask);
        const warnings = collectWarnings(ctx);
        const jsonOf = (text: string) =>
          template.runJson?.(text, warnings.ctx) ?? parsed(template.run(text, warnings.ctx));
        const json = task.texts.map((text) => limited(jsonOf(text)));
        return { json, ...warningsOf(template, warnings, task, mask) };
      });
    },
    async evaluate({ expression, json }: EvaluateTask): Promise<TaskValues["evaluate"]> {
      return withErrorName("ParseError", undefined, async () => ({
        json: limited(await evaluate(expression, json)),
      }));
    },
  };
}

/** @throws TemplateError if the caller set `strict` */
function warningsOf(
  template: CompiledTemplate,
  warnings: Warnings,
  { args }: RenderTask | ParseTask,
  mask: TaskMask,
): { warnings?: string[] } {
  const compileWarnings = (template.warnings ?? []).map(mask.text);
  const allWarnings = [...compileWarnings, ...warnings.list(mask)].slice(0, maxWarnings);
  if (allWarnings.length === 0) return {};
  if (args.strict === true) throw new TemplateError("TemplateSyntax", `strict: ${allWarnings.join("; ")}`);
  return { warnings: allWarnings };
}

/** Anything else would be pushed to a device as the text "undefined" or "[object Promise]". */
function rendered(result: unknown): string {
  if (typeof result === "string") return result;
  const what = result instanceof Promise ? "a promise" : `a value of type ${typeof result}`;
  throw new TypeError(`\`run\` returned ${what}, and must return the text`);
}

function parsed(result: unknown): string {
  if (result instanceof Promise) throw new TypeError("`run` returned a promise, and must return the records");
  return JSON.stringify(result ?? null) ?? "null";
}

function limited(text: string): string {
  if (text.length <= defaultTemplateLimits.outputChars) return text;
  const maxSize = defaultTemplateLimits.outputChars / 1024 / 1024;
  throw new TemplateError("TemplateLimit", `The output is larger than ${maxSize} MiB.`);
}

function refuseUntrusted(plugin: TemplateEnginePlugin, task: RenderTask | ParseTask): void {
  if (!plugin.trustedSourcesOnly || task.trusted) return;
  const message = `The engine ${plugin.name} runs code: it takes only templates below the template roots (file://…).`;
  throw new ServiceError("Forbidden", message);
}

/** Maps an engine's error to a typed error; so is the stack overflow of a recursive template. */
async function withErrorName<T>(
  fallback: "RenderError" | "ParseError",
  engine: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TemplateError) {
      const kind =
        error.kind === "TemplateLimit"
          ? "TemplateLimit"
          : error.kind === "TemplateNotFound"
            ? "NotFound"
            : fallback;
      throw new ServiceError(kind, error.message, { template_error: error.kind, ...error.at });
    }
    if (error instanceof RangeError) {
      const message = "The template recursed too deep or built something too large.";
      throw new ServiceError("TemplateLimit", message, { template_error: "TemplateLimit" });
    }
    if (error instanceof ServiceError || engine === undefined) throw error;
    throw pluginFault(
      { kind: "template", name: engine },
      fallback === "RenderError" ? "render" : "parse",
      error,
    );
  }
}

function createTemplateKit(
  settings: TemplateTasksOptions["settings"],
  log: Log,
): Omit<TemplateKit, "settings"> {
  const files = createTemplateFiles(settings.templateRoots);
  return {
    log,
    limits: defaultTemplateLimits,
    readTemplate: files.read,
    library: (set) => openLibrary(join(settings.libraryRoot, set)),
  };
}

function openLibrary(root: string): TemplateLibrary {
  const list = () => {
    try {
      return filesIn(root)
        .map((path) => relative(root, path))
        .sort();
    } catch {
      return [];
    }
  };
  return {
    // Read from disk each time: a set may be replaced while the process lives.
    get installed() {
      return existsSync(root);
    },
    get stamp() {
      const stat = statSync(root, { throwIfNoEntry: false });
      return stat && `${stat.ino} ${stat.mtimeMs}`;
    },
    list,
    read: (path) => readBelow(root, path),
  };
}
