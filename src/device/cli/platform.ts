/** Validates a platform definition, names the wrong field, and compiles it for the session. */
import * as v from "valibot";
import { ServiceError } from "../../base/errors.ts";
import type { TextPattern } from "../../base/regex/linear.ts";
import { boundedPattern } from "../../base/regex/pattern.ts";
import type { Pager, PlatformPlugin } from "../../plugin/platform.ts";
import { platformSchema } from "./platform-schema.ts";
import { compilePrompts, type Prompts } from "./prompt/prompt.ts";
import { createEditor, type Editor } from "./push/editor-keys.ts";
import { textDecoder } from "./text/decode.ts";

/** The faults of a platform, one sentence each, starting with the field; empty if it is valid. */
export function platformFaults(candidate: unknown): string[] {
  const result = v.safeParse(platformSchema, candidate);
  if (!result.success) {
    return result.issues.map((issue) => {
      const message = /^Invalid key: Expected never/.test(issue.message) ? "is not known" : issue.message;
      return `${v.getDotPath(issue) ?? "(platform)"}: ${message}`;
    });
  }
  const silent = result.output.endsWithLine && !result.output.prepare?.length;
  return [
    ...levelFaults(result.output),
    ...undoFaults(result.output),
    ...patternFaults(result.output),
    ...pipelineFaults(result.output),
    ...(silent ? ["prepare: must contain a command if answers end with a line"] : []),
  ];
}

type Checked = v.InferOutput<typeof platformSchema>;

function levelFaults(platform: Checked): string[] {
  const faults: string[] = [];
  const requireLevel = (field: string, level: string | undefined) => {
    if (level !== undefined && !Object.hasOwn(platform.levels, level)) {
      faults.push(`${field}: there is no level "${level}"`);
    }
  };
  requireLevel("home", platform.home);
  requireLevel("config", platform.config);
  requireLevel("saveLevel", platform.saveLevel);
  for (const level of platform.inPlace ?? []) requireLevel("inPlace", level);
  requireLevel("simulated.lands", platform.simulated?.lands);
  requireLevel("prepareAt.level", platform.prepareAt?.level);
  for (const [name, { from, enter, leave }] of Object.entries(platform.levels)) {
    requireLevel(`levels.${name}.from`, from);
    if (from !== undefined && enter === undefined && leave === undefined) {
      faults.push(`levels.${name}: has "from" but neither "enter" nor "leave"`);
    }
    if (from === undefined && enter !== undefined) faults.push(`levels.${name}.enter: needs "from"`);
    const seen = new Set([name]);
    for (let at = from; at !== undefined; at = platform.levels[at]?.from) {
      if (seen.has(at)) {
        faults.push(`levels.${name}.from: is circular`);
        break;
      }
      seen.add(at);
    }
  }
  return faults;
}

function undoFaults({ undo = [], running, levels, candidate }: Checked): string[] {
  return undo.flatMap((rollback, at) => {
    const field = `undo.${at}`;
    const confirms = (rollback.candidate ?? candidate)?.confirm !== undefined;
    return [
      ...(running === undefined ? [`${field}: needs "running"`] : []),
      ...(rollback.level === undefined || Object.hasOwn(levels, rollback.level)
        ? []
        : [`${field}.level: there is no level "${rollback.level}"`]),
      ...(rollback.way === "difference" || rollback.back !== undefined ? [] : [`${field}.back: is missing`]),
      ...(rollback.way !== "confirmed_commit" || rollback.timer !== undefined
        ? []
        : [`${field}.timer: is missing`]),
      ...(rollback.timer === undefined || confirms || rollback.enter !== undefined
        ? []
        : [`${field}.timer: needs a candidate with "confirm", or "enter"`]),
    ];
  });
}

/** Pipelining requires that the prompt alone shows every change of context or state. */
function pipelineFaults(platform: Checked): string[] {
  if (platform.pipelines !== true) return [];
  const against = (["hiddenState", "endsWithLine", "above", "afterRefusal", "echo"] as const).filter(
    (field) => platform[field] !== undefined,
  );
  return against.map((field) => `pipelines: excludes "${field}"`);
}

function patternFaults(platform: Checked): string[] {
  const faults: string[] = [];
  for (const [name, { prompt }] of Object.entries(platform.levels)) {
    if (new RegExp(`^(?:${prompt.source})$`, prompt.flags.replace(/[gy]/g, "")).test("")) {
      faults.push(`levels.${name}.prompt: matches an empty line`);
    }
  }
  const context = platform.context?.pattern;
  if (context !== undefined && new RegExp(`${context.source}|`).exec("")?.length === 1) {
    faults.push("context.pattern: must have a group, which is the name of the context");
  }
  if (platform.encoding !== undefined) {
    try {
      textDecoder(platform.encoding);
    } catch {
      faults.push(`encoding: "${platform.encoding}" is not known`);
    }
  }
  return faults;
}

/** A platform as the session uses it. */
export interface CompiledPlatform {
  readonly plugin: PlatformPlugin;
  readonly prompts: Prompts;
  readonly newline: string;
  readonly cols: number;
  readonly echoes: boolean;
  readonly editor: Editor;
  /** Matches a whole line that asks for the rest of an unfinished one. */
  readonly continues: RegExp | undefined;
  /** Error patterns, each matched against a whole answer, with `^` at every line start. */
  readonly errors: readonly TextPattern[];
  readonly pagers: readonly Pick<Pager, "prompt" | "press">[];
}

/** Compiles each definition once; sessions of a platform share the result. */
export function createPlatformCompiler(): (plugin: PlatformPlugin) => CompiledPlatform {
  const compiled = new WeakMap<PlatformPlugin, CompiledPlatform>();
  return (plugin) => {
    const existing = compiled.get(plugin);
    if (existing !== undefined) return existing;
    const fresh = compilePlatform(plugin);
    compiled.set(plugin, fresh);
    return fresh;
  };
}

/** @throws ServiceError DriverError that names every wrong field */
export function compilePlatform(plugin: PlatformPlugin): CompiledPlatform {
  const faults = platformFaults(plugin);
  if (faults.length > 0) {
    throw new ServiceError("DriverError", `The platform "${plugin.name}" is not valid: ${faults.join("; ")}`);
  }
  return {
    plugin,
    prompts: compilePrompts(plugin),
    newline: plugin.newline ?? "\n",
    cols: plugin.terminal?.cols ?? 511,
    echoes: plugin.echo !== false,
    editor: createEditor(plugin),
    continues:
      plugin.continues && new RegExp(`^(?:${plugin.continues.source})$`, stateless(plugin.continues)),
    errors: plugin.errors.map(answerPattern),
    pagers: (plugin.pager ? [plugin.pager, ...(plugin.pager.others ?? [])] : []).map(({ prompt, press }) => ({
      prompt: new RegExp(`^\\s*(?:${prompt.source})\\s*$`, stateless(prompt)),
      press,
    })),
  };
}

/** The key that continues if the line is a pager prompt. */
export function pressFor({ pagers }: Pick<CompiledPlatform, "pagers">, line: string): string | undefined {
  return pagers.find(({ prompt }) => prompt.test(line))?.press;
}

/** A pattern for whole answers, whose length is unbounded. */
export function answerPattern(pattern: RegExp): TextPattern {
  return boundedPattern(byLine(pattern));
}

/** The same pattern with `^` and `$` at every line, without the state of `g` and `y`. */
export function byLine(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, `${stateless(pattern).replace("m", "")}m`);
}

function stateless(pattern: RegExp): string {
  return pattern.flags.replace(/[gy]/g, "");
}
