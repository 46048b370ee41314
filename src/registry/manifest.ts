/** Checks that a plugin's export is a valid manifest of its kind, and describes problems in one sentence. */
import * as v from "valibot";
import type { AnyPlugin, PluginKind } from "../plugin/index.ts";

export const kinds = [
  "driver",
  "platform",
  "template",
  "webhook",
  "credential",
  "inventory",
] as const satisfies readonly PluginKind[];

const manifest = v.looseObject(
  {
    api: v.literal(1, "`api` must be 1: it was written for another version of the plugin API"),
    kind: v.picklist(kinds, `\`kind\` must be one of ${kinds.join(", ")}`),
    name: v.pipe(
      v.string("`name` must be a string"),
      v.regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "`name` must be lower-case letters, digits, `_` or `-`"),
    ),
    version: v.optional(v.string("`version` must be a string")),
    settings: v.optional(
      v.custom(isSchema, "`settings` must be a schema (valibot, zod, any Standard Schema)"),
    ),
  },
  "the default export must be the result of defineDriver, definePlatform or a similar function",
);

type Test = (value: unknown) => boolean;
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isFunction: Test = (value) => typeof value === "function";
const oneOf =
  (...words: unknown[]): Test =>
  (value) =>
    words.includes(value);
const orAbsent =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);

function isSchema(value: unknown): boolean {
  if (!((isObject(value) || typeof value === "function") && "~standard" in value)) return false;
  const standard = value["~standard"];
  return isObject(standard) && "validate" in standard && typeof standard.validate === "function";
}

const schema: [Test, string] = [isSchema, "a schema (valibot, zod, any Standard Schema)"];
const work: [Test, string] = [isFunction, "a function"];
const isNames: Test = (value) => Array.isArray(value) && value.every((name) => typeof name === "string");
const isArguments: Test = (value) =>
  isObject(value) &&
  "query" in value &&
  isSchema(value.query) &&
  (!("configure" in value) || value.configure === undefined || isSchema(value.configure));
const isLevels: Test = (value) =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every(
    (level) => isObject(level) && "prompt" in level && level.prompt instanceof RegExp,
  );
const isFile: Test = (value) =>
  isObject(value) &&
  "type" in value &&
  "name" in value &&
  /^[a-z]+\/[a-z0-9.+-]+$/.test(String(value.type)) &&
  /^[\w.-]{1,64}$/.test(String(value.name));
const arePatterns: Test = (value) => Array.isArray(value) && value.every((entry) => entry instanceof RegExp);

/** Required members per kind; checked when the plugin is added, not when a job needs it. */
const parts: Record<PluginKind, Readonly<Record<string, [Test, string]>>> = {
  driver: {
    connection: schema,
    args: [isArguments, "the schemas `query` and `configure`"],
    strategy: [oneOf("pinned", "fifo"), '"pinned" or "fifo"'],
    target: [isFunction, "a function that returns host and port of a connection"],
    commands: [orAbsent(oneOf("lines", "names", "any")), '"lines", "names" or "any"'],
    configuration: [orAbsent(oneOf("lines", "texts")), '"lines" or "texts"'],
    objects: [orAbsent((value) => typeof value === "boolean"), "true or false"],
    timeout: [orAbsent((value) => typeof value === "number" && value > 0), "a number of seconds"],
    platformField: [orAbsent((value) => typeof value === "string"), "the name of a field"],
    repeatable: [orAbsent(isFunction), "a function"],
    check: [orAbsent(isFunction), "a function"],
    undo: [orAbsent(isFunction), "a function"],
    compares: [orAbsent(isFunction), "a function"],
    transport: [orAbsent(isFunction), "a function"],
    holds: [orAbsent(isFunction), "a function"],
    replaces: [orAbsent(isFunction), "a function"],
    excludesChecks: [orAbsent(isFunction), "a function"],
    overrides: [orAbsent(isNames), "a list of names of fields"],
    detaches: [orAbsent(isFunction), "a function"],
    discovers: [orAbsent(isFunction), "a function"],
    shows: [orAbsent(isFunction), "a function"],
    hops: [orAbsent(isFunction), "a function"],
    load: work,
  },
  platform: {
    levels: [isLevels, "privilege levels, each with a regular expression `prompt`"],
    home: [(value) => typeof value === "string", "the name of a level"],
    errors: [arePatterns, "a list of regular expressions"],
  },
  template: {
    does: [oneOf("render", "parse"), '"render" or "parse"'],
    args: schema,
    detects: [orAbsent(isFunction), "a function"],
    load: work,
  },
  webhook: { options: schema, plan: work, load: work },
  credential: { reference: schema, load: work },
  inventory: { does: [oneOf("format", "source"), '"format" or "source"'], load: work },
};

/** Of the two faces of an inventory plugin. */
const faces: Readonly<Record<string, Readonly<Record<string, [Test, string]>>>> = {
  format: {
    imports: [(value) => typeof value === "boolean", "true or false"],
    exports: [orAbsent(isFile), "a media `type` and a file `name`"],
  },
  source: {
    schemes: [
      (value) => isNames(value) && Array.isArray(value) && value.length > 0,
      'a list of schemes such as "https:"',
    ],
    gives: [oneOf("text", "devices"), '"text" or "devices"'],
    options: [orAbsent(isSchema), schema[1]],
  },
};

/** @throws Error with everything that is wrong */
export function readManifest(plugin: unknown): AnyPlugin {
  const result = v.safeParse(manifest, plugin);
  // Each missing member has the message of the whole.
  if (!result.success) throw new Error([...new Set(result.issues.map((issue) => issue.message))].join("; "));
  const { kind, name } = result.output;
  const face = kind === "inventory" ? faces[String(result.output.does)] : undefined;
  const faults = Object.entries({ ...parts[kind], ...face })
    .filter(([part, [test]]) => !test(result.output[part]))
    .map(([part, [, what]]) => `\`${part}\` must be ${what}`);
  const levels = result.output.levels;
  if (
    kind === "platform" &&
    faults.length === 0 &&
    isObject(levels) &&
    !(String(result.output.home) in levels)
  )
    faults.push(`\`home\` names no level (there are ${Object.keys(levels).join(", ")})`);
  if (faults.length > 0) throw new Error(`${kind} "${name}": ${faults.join("; ")}`);
  // The members have been checked; their types follow from the kind.
  return plugin as AnyPlugin;
}
