/** Checks `parsing` and `rendering`: the engine, its arguments, where the template comes from. */
import { type TemplateUse, templateSource } from "../model/template.ts";
import type { TemplateEnginePlugin } from "../plugin/index.ts";
import type { Plugins } from "./connection.ts";
import { checkWith, type Issue } from "./issues.ts";
import { suggestion } from "./near.ts";

type ArgField =
  | "args"
  | "strict"
  | "templates"
  | "use_ntc_template"
  | "ntc_template_args"
  | "use_ttp_template"
  | "ttp_template_args";
type TemplateArgs = { readonly [K in ArgField]?: TemplateUse[K] | null | undefined };

/** What an engine gets: `args`, and what stands beside them: `strict`, and what selects a template of a set. */
export function engineArgs(use: TemplateArgs): Record<string, unknown> {
  return {
    ...use.args,
    ...(typeof use.strict === "boolean" ? { strict: use.strict } : {}),
    ...(use.templates ? { templates: use.templates } : {}),
    ...(use.use_ntc_template ? use.ntc_template_args : {}),
    ...(use.use_ttp_template ? use.ttp_template_args : {}),
  };
}

/** How an engine's set is told the platform: by its own names, or by the device type of a driver. */
export const setFields = ["device_type", "platform"] as const;
export type SetField = (typeof setFields)[number];

/** Without a template, the set picks one by platform and command. */
export function setArgs(
  use: TemplateUse,
  field: SetField,
  deviceType: string,
  command: string,
): Record<string, unknown> {
  const given = engineArgs(use);
  const told = setFields.some((name) => name in given);
  return { ...(told ? {} : { [field]: deviceType }), command, ...given };
}

export async function setFieldOf(engine: TemplateEnginePlugin, use: TemplateUse): Promise<SetField> {
  for (const field of setFields) {
    const result = await engine.args["~standard"].validate(setArgs(use, field, "x", "x"));
    if (result.issues === undefined) return field;
  }
  return "device_type";
}

export function enginesOf(plugins: Plugins, does: "render" | "parse"): string[] {
  return plugins
    .list("template")
    .filter((plugin) => plugin.does === does)
    .map((plugin) => plugin.name)
    .sort();
}

export function findEngine(
  plugins: Plugins,
  name: string,
  does: "render" | "parse",
): TemplateEnginePlugin | undefined {
  const plugin = plugins.get("template", name);
  return plugin?.does === does ? plugin : undefined;
}

const templateFile = /^[\w .~/\\:-]*\.(textfsm|fsm|ttp|template|tpl|j2|jinja2?|eta)$/i;
const pathOfFile = /^(\.{0,2}|~)\/[\w./-]+$/;

/** A name in place of a template would be parsed, or pushed, as a template of one line. */
export function fileNameIssue(template: string | undefined, path: string): Issue | undefined {
  const source = templateSource(template);
  if (source.kind !== "inline") return undefined;
  const name = source.text.trim();
  if (name.length > 300 || !(templateFile.test(name) || pathOfFile.test(name))) return undefined;
  const message =
    "looks like the name of a file, and a template without file:// is the text itself: write file://<path below the template roots>, or the template";
  return { path, message };
}

export async function checkUse(
  plugins: Plugins,
  use: TemplateUse,
  does: "render" | "parse",
): Promise<Issue[]> {
  const path = does === "render" ? "rendering" : "parsing";
  const engine = findEngine(plugins, use.name, does);
  if (!engine) {
    const names = enginesOf(plugins, does);
    const message = `There is no engine "${use.name}" that can ${does}.${suggestion(use.name, names)}`;
    return [{ path: `${path}.name`, message }];
  }
  const source = templateSource(use.template);
  const args =
    source.kind === "library" ? setArgs(use, await setFieldOf(engine, use), "x", "x") : engineArgs(use);
  const issues = await checkWith(engine.args, args, `${path}.args`);
  const mistaken = fileNameIssue(use.template, `${path}.template`);
  if (mistaken) issues.push(mistaken);
  if (does === "render" && source.kind === "library")
    issues.push({ path: `${path}.template`, message: "is required" });
  if (engine.trustedSourcesOnly && source.kind !== "file")
    issues.push({
      path: `${path}.template`,
      message: `must name a file below the template roots (file://…): ${engine.name} runs code`,
    });
  return issues;
}
