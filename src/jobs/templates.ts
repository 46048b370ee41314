/** Checks `parsing` and `rendering`: the engine, its arguments, where the template comes from. */
import { type TemplateUse, templateSource } from "../model/template.ts";
import type { TemplateEnginePlugin } from "../plugin/index.ts";
import type { Plugins } from "./connection.ts";
import { checkWith, type Issue } from "./issues.ts";
import { suggestion } from "./near.ts";

/** Members of a use besides `args` that an engine gets as arguments, too. */
const extras = [
  "use_ttp_template",
  "ttp_template_args",
  "use_ntc_template",
  "ntc_template_args",
  "templates",
] as const;

/** What the engine's schema checks: `args` and what stands beside it. */
export function engineArgs(use: Partial<TemplateUse>): Record<string, unknown> {
  const all: Record<string, unknown> = { ...use.args };
  for (const name of extras) if (use[name] !== undefined) all[name] = use[name];
  return all;
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
  const issues = await checkWith(engine.args, engineArgs(use), `${path}.args`);
  const source = templateSource(use.template);
  if (does === "render" && source.kind === "library")
    issues.push({ path: `${path}.template`, message: "is required" });
  if (engine.trustedSourcesOnly && source.kind !== "file")
    issues.push({
      path: `${path}.template`,
      message: `must name a file below the template roots (file://…): ${engine.name} runs code`,
    });
  return issues;
}
