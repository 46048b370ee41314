/** Validates `parsing` and `rendering`: engine, arguments, template source. */
import { type TemplateUse, templateSource } from "../../api/jobs/template-use.ts";
import { suggestion } from "../../base/text/near-names.ts";
import type { TemplateEnginePlugin } from "../../plugin/index.ts";
import { templateSetArgs } from "../../pool/template-set.ts";
import type { Plugins } from "./device/connection.ts";
import { checkWith, type Issue } from "./validate.ts";

/** Fields of a request besides engine and template. */
export interface TemplateFields {
  readonly args?: Record<string, unknown> | null;
  readonly strict?: boolean;
  readonly templates?: Record<string, string>;
  readonly [word: string]: unknown;
}

/** Arguments of an engine: `args` merged with top-level fields such as `strict` and set selectors. */
export function engineArgs(
  { set, ownFields = [] }: TemplateEnginePlugin,
  fields: TemplateFields,
): Record<string, unknown> {
  const setFields = ownFields.filter((name) => fields[name] !== undefined && fields[name] !== null);
  const ofSet = set && fields[set.use] === true ? fields[set.args] : undefined;
  return {
    ...withoutNulls(fields.args),
    ...Object.fromEntries(setFields.map((name) => [name, fields[name]])),
    ...(typeof fields.strict === "boolean" ? { strict: fields.strict } : {}),
    ...(fields.templates ? { templates: fields.templates } : {}),
    ...(typeof ofSet === "object" ? withoutNulls(ofSet) : {}),
  };
}

/** Null arguments count as not given. */
function withoutNulls(args: object | null | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args ?? {}).filter(([, value]) => value !== null));
}

/** The set argument for the platform, unless given by the caller. */
function setFieldOf({ set }: TemplateEnginePlugin, args: Record<string, unknown>): string | undefined {
  const hasPlatform = set && [set.platform, ...(set.platformFields ?? [])].some((name) => name in args);
  return hasPlatform ? undefined : set?.platform;
}

/** The stored form, with all arguments merged. */
export function settledUse(
  plugins: Plugins,
  use: TemplateUse,
  does: "render" | "parse",
): { use: TemplateUse; setField?: string; argsOnly?: true } {
  const engine = findEngine(plugins, use.name, does);
  if (!engine) return { use };
  const { name, template } = use;
  const args = engineArgs(engine, use);
  if (engine.withoutTemplate) return { use: { name, args }, argsOnly: true };
  const field = templateSource(template).kind === "library" ? setFieldOf(engine, args) : undefined;
  return {
    use: { name, args, template },
    setField: field,
  };
}

/** The engine whose template set the request selects from. */
export function engineOfSet(plugins: Plugins, fields: TemplateFields): string | undefined {
  return plugins.list("template").find(({ set }) => set && fields[set.use] === true)?.name;
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

/** File extensions not specific to an engine. */
const commonExtensions = ["template", "tpl"];
const plainPath = /^[\w .~/\\:-]*\.(\w+)$/;
const pathOfFile = /^(\.{0,2}|~)\/[\w./-]+$/;

/** Refuses a file name in place of a template, which would be used as a one-line template. */
export function fileNameIssue(
  plugins: Plugins,
  template: string | undefined,
  path: string,
): Issue | undefined {
  const source = templateSource(template);
  if (source.kind !== "inline") return undefined;
  const name = source.text.trim();
  if (name.length > 300 || !(hasTemplateExtension(plugins, name) || pathOfFile.test(name))) return undefined;
  const message =
    "looks like the name of a file, and a template without file:// is the text itself: write file://<path below the template roots>, or the template";
  return { path, message };
}

function hasTemplateExtension(plugins: Plugins, name: string): boolean {
  const extension = plainPath.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined) return false;
  const extensions = plugins.list("template").flatMap(({ extensions = [] }) => extensions);
  return [...commonExtensions, ...extensions].includes(extension);
}

export function noTemplate({ name, ownFields = [] }: TemplateEnginePlugin): string {
  const fields = ownFields.length === 0 ? "" : `: give ${ownFields.join(", ")}`;
  return `does not apply to ${name}, which has none${fields}`;
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
  const engineArguments = engineArgs(engine, use);
  const ofSet = source.kind === "library" && engine.set !== undefined;
  if (engine.withoutTemplate) {
    const issues = await checkWith(engine, engine.args, engineArguments, `${path}.args`);
    if (source.kind !== "library") issues.push({ path: `${path}.template`, message: noTemplate(engine) });
    return issues;
  }
  const args = ofSet
    ? templateSetArgs(engineArguments, setFieldOf(engine, engineArguments), "x", "x")
    : engineArguments;
  const issues = await checkWith(engine, engine.args, args, `${path}.args`);
  const fileName = fileNameIssue(plugins, use.template, `${path}.template`);
  if (fileName) issues.push(fileName);
  if (source.kind === "library" && !(does === "parse" && ofSet))
    issues.push({ path: `${path}.template`, message: "is required" });
  if (engine.trustedSourcesOnly && source.kind !== "file")
    issues.push({
      path: `${path}.template`,
      message: `must name a file below the template roots (file://…): ${engine.name} runs code`,
    });
  return issues;
}
