/** Checks a platform definition, names the field that is wrong, and prepares what the terminal needs of it. */
import * as v from "valibot";
import { ServiceError } from "../base/errors.ts";
import type { Pager, PlatformPlugin } from "../plugin/platform.ts";
import { textDecoder } from "./decode.ts";
import { compilePrompts, type Prompts } from "./prompt.ts";

const text = v.pipe(v.string(), v.nonEmpty("must not be empty"));
const pattern = v.instance(RegExp, "must be a regular expression");
const question = v.strictObject({
  ask: pattern,
  example: v.optional(text),
  reply: v.string(),
  newline: v.optional(v.literal(false)),
});
const step = v.strictObject({
  send: v.string(),
  questions: v.optional(v.array(question)),
  success: v.optional(pattern),
  failed: v.optional(pattern),
});
const level = v.strictObject({
  example: v.optional(text),
  prompt: pattern,
  not: v.optional(pattern),
  from: v.optional(text),
  enter: v.optional(text),
  leave: v.optional(text),
  asks: v.optional(pattern),
  refused: v.optional(pattern),
  leaveQuestions: v.optional(v.array(question)),
});
const candidate = v.looseObject({
  diff: text,
  explain: v.optional(text),
  commit: v.array(step),
  commitComment: v.optional(v.array(step)),
  confirm: v.optional(v.array(step)),
  discard: v.array(step),
  failed: v.array(pattern),
});
const undo = v.strictObject({
  way: v.picklist(["confirmed_commit", "rollback", "checkpoint", "replace", "difference"]),
  when: v.optional(v.strictObject({ send: text, says: pattern })),
  timer: v.optional(v.strictObject({ mostMinutes: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
  before: v.optional(v.array(step)),
  enter: v.optional(text),
  candidate: v.optional(candidate),
  within: v.optional(v.pipe(text, v.includes("{command}", "must hold {command}"))),
  level: v.optional(text),
  keep: v.optional(v.array(step)),
  back: v.optional(v.array(step)),
  clean: v.optional(v.array(step)),
  alone: v.optional(v.literal(true)),
});
const name = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_-]*$/, "must be lower case letters, digits, _ and -"));

const platformSchema = v.looseObject({
  api: v.literal(1),
  kind: v.literal("platform"),
  name,
  aliases: v.optional(v.array(name)),
  detect: v.optional(
    v.array(v.strictObject({ send: text, says: pattern, vague: v.optional(v.literal(true)) })),
  ),
  levels: v.record(text, level),
  home: text,
  config: v.optional(text),
  inPlace: v.optional(v.array(text)),
  login: v.optional(v.array(question)),
  prepare: v.optional(v.array(v.string())),
  prepareAt: v.optional(v.strictObject({ level: text, commands: v.array(v.string()) })),
  goodbye: v.optional(v.array(v.string())),
  errors: v.array(pattern),
  afterRefusal: v.optional(text),
  pager: v.optional(
    v.strictObject({
      prompt: pattern,
      press: text,
      example: v.optional(text),
      others: v.optional(v.array(v.strictObject({ prompt: pattern, press: text }))),
    }),
  ),
  questions: v.optional(v.array(question)),
  endsWithLine: v.optional(v.literal(true)),
  context: v.optional(v.strictObject({ pattern, enter: v.optional(text), leave: text })),
  hiddenState: v.optional(v.literal(true)),
  above: v.optional(pattern),
  blocks: v.optional(v.array(v.strictObject({ start: pattern, end: v.optional(pattern) }))),
  save: v.optional(v.array(step)),
  saveLevel: v.optional(text),
  candidate: v.optional(candidate),
  running: v.optional(v.strictObject({ show: text, ignore: v.optional(v.array(pattern)) })),
  undo: v.optional(v.array(undo)),
  newline: v.optional(v.picklist(["\n", "\r", "\r\n"])),
  terminal: v.optional(
    v.strictObject({
      cols: v.pipe(v.number(), v.integer(), v.minValue(20), v.maxValue(4096)),
      rows: v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(65_535)),
      type: v.optional(text),
    }),
  ),
  echo: v.optional(v.literal(false)),
  encoding: v.optional(text),
  loginAs: v.optional(text),
  pipelines: v.optional(v.literal(true)),
  legacySsh: v.optional(v.literal(true)),
  telnet: v.optional(
    v.strictObject({
      username: v.optional(pattern),
      password: v.optional(pattern),
      failed: v.optional(pattern),
    }),
  ),
  simulated: v.optional(
    v.strictObject({
      lands: v.optional(text),
      refusal: v.optional(text),
      asks: v.optional(text),
      denied: v.optional(text),
      saved: v.optional(text),
      committed: v.optional(text),
      rename: v.optional(v.nullable(text)),
      nameWidth: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      modes: v.optional(
        v.array(
          v.strictObject({
            line: pattern,
            mark: v.optional(text),
            prompt: v.optional(text),
            within: v.optional(pattern),
          }),
        ),
      ),
      up: v.optional(pattern),
      out: v.optional(pattern),
      contexts: v.optional(v.array(v.strictObject({ enter: pattern, name: text, leave: pattern }))),
      pipes: v.optional(v.picklist(["ios", "nxos", "junos", "vrp"])),
      dialogues: v.optional(
        v.array(
          v.strictObject({
            line: pattern,
            asks: v.array(v.strictObject({ text, key: v.optional(v.literal(true)) })),
            says: v.optional(text),
          }),
        ),
      ),
    }),
  ),
});

/** What is wrong with a platform, one sentence a fault, each beginning with the field; empty when it is fine. */
export function platformFaults(candidate: unknown): string[] {
  const result = v.safeParse(platformSchema, candidate);
  if (!result.success) {
    return result.issues.map((issue) => `${v.getDotPath(issue) ?? "(platform)"}: ${issue.message}`);
  }
  const silent = result.output.endsWithLine && !result.output.prepare?.length;
  return [
    ...levelFaults(result.output),
    ...undoFaults(result.output),
    ...patternFaults(result.output),
    ...(silent ? ["prepare: must hold a command where answers end with a line"] : []),
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
        faults.push(`levels.${name}.from: leads in a circle`);
        break;
      }
      seen.add(at);
    }
  }
  return faults;
}

function undoFaults({ undo = [], running, levels, candidate }: Checked): string[] {
  return undo.flatMap((way, at) => {
    const field = `undo.${at}`;
    const confirms = (way.candidate ?? candidate)?.confirm !== undefined;
    return [
      ...(running === undefined ? [`${field}: needs "running"`] : []),
      ...(way.level === undefined || Object.hasOwn(levels, way.level)
        ? []
        : [`${field}.level: there is no level "${way.level}"`]),
      ...(way.way === "difference" || way.back !== undefined ? [] : [`${field}.back: is missing`]),
      ...(way.way !== "confirmed_commit" || way.timer !== undefined ? [] : [`${field}.timer: is missing`]),
      ...(way.timer === undefined || confirms || way.enter !== undefined
        ? []
        : [`${field}.timer: needs a candidate with "confirm", or "enter"`]),
    ];
  });
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
  /** Refusals, each tried on a whole answer with `^` at every line start. */
  readonly errors: readonly RegExp[];
  readonly pagers: readonly Pick<Pager, "prompt" | "press">[];
}

/** Compiled once per definition: sessions of one platform share it. */
export function createPlatformCompiler(): (plugin: PlatformPlugin) => CompiledPlatform {
  const compiled = new WeakMap<PlatformPlugin, CompiledPlatform>();
  return (plugin) => {
    const kept = compiled.get(plugin);
    if (kept !== undefined) return kept;
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
    errors: plugin.errors.map(byLine),
    pagers: (plugin.pager ? [plugin.pager, ...(plugin.pager.others ?? [])] : []).map(({ prompt, press }) => ({
      prompt: new RegExp(`^\\s*(?:${prompt.source})\\s*$`, stateless(prompt)),
      press,
    })),
  };
}

/** The key that leads on where a line is a stop in the middle of an output. */
export function pressFor({ pagers }: Pick<CompiledPlatform, "pagers">, line: string): string | undefined {
  return pagers.find(({ prompt }) => prompt.test(line))?.press;
}

/** The same expression with `^` and `$` at every line, and without the memory of `g` and `y`. */
export function byLine(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, `${stateless(pattern).replace("m", "")}m`);
}

function stateless(pattern: RegExp): string {
  return pattern.flags.replace(/[gy]/g, "");
}
