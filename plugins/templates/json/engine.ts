/** Parses JSON without loss and returns the part that a path selects. */
import {
  type CompiledTemplate,
  didYouMeanThen,
  type EngineHost,
  Meter,
  PyDict,
  parseJson,
  type RunContext,
  silent,
  TemplateError,
  toJson,
  type Value,
} from "../python/json.ts";
import { type JsonArgs, type Step, shownPath } from "./args.ts";

export function createEngine(host: EngineHost) {
  return {
    compile: (_source: string, { path = [] }: JsonArgs): CompiledTemplate => {
      const runJson = (text: string, ctx: RunContext = silent): string => {
        const meter = new Meter(host.limits);
        return toJson(follow(read(text), path, 0, { meter, warn: ctx.warn }), meter);
      };
      return { runJson, run: (text, ctx) => JSON.parse(runJson(text, ctx)) };
    },
  };
}

function read(text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof TemplateError) || error.kind === "TemplateLimit") throw error;
    const message =
      text.trim() === ""
        ? "json: the device answered with nothing"
        : `json: the answer is not JSON (${error.message}): ask the device for JSON, or use a parser for text`;
    throw new TemplateError("TemplateRuntime", message, error.at);
  }
}

interface Run {
  readonly meter: Meter;
  warn(message: string): void;
}

/** @throws TemplateError if the path does not exist */
function follow(value: Value, path: readonly Step[], at: number, run: Run): Value {
  run.meter.step();
  const step = path[at];
  if (step === undefined) return value;
  if (step.kind === "member") {
    const member = memberOf(value, step);
    if (member === undefined) throw absent(value, path, at);
    return follow(member, path, at + 1, run);
  }
  const members = membersOf(value);
  if (members === undefined) throw absent(value, path, at);
  const matches = every(members, path, at + 1, run.meter);
  if (members.length > 0 && matches.length === 0)
    run.warn(`json: no member of ${placeOf(path, at)} has "${shownPath(path.slice(at + 1))}"`);
  return matches;
}

/** Resolves the rest of the path for each member; members without it are left out. */
function every(members: readonly Value[], path: readonly Step[], at: number, meter: Meter): Value[] {
  meter.items(members.length);
  const matches: Value[] = [];
  for (const member of members) {
    const value = reach(member, path, at, meter);
    if (value !== undefined) matches.push(value);
  }
  return matches;
}

function reach(value: Value, path: readonly Step[], at: number, meter: Meter): Value | undefined {
  meter.step();
  const step = path[at];
  if (step === undefined) return value;
  if (step.kind === "every") {
    const members = membersOf(value);
    return members && every(members, path, at + 1, meter);
  }
  const member = memberOf(value, step);
  return member === undefined ? undefined : reach(member, path, at + 1, meter);
}

function membersOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value;
  return value instanceof PyDict ? value.entries().map(([, member]) => member) : undefined;
}

function memberOf(value: Value, step: Extract<Step, { kind: "member" }>): Value | undefined {
  if (value instanceof PyDict) return value.get(step.name);
  return Array.isArray(value) && step.index !== undefined ? value.at(step.index) : undefined;
}

function absent(value: Value, path: readonly Step[], at: number): TemplateError {
  const step = path[at];
  const name = step?.kind === "member" ? step.name : "*";
  const names = value instanceof PyDict ? value.keys().map(String) : [];
  const words =
    value instanceof PyDict
      ? `has no "${name}".${didYouMeanThen(name, names) || listNames(names)}`
      : Array.isArray(value)
        ? `is a list of ${value.length}, which has no "${name}".`
        : `is ${kindOf(value)}, which has no "${name}".`;
  return new TemplateError("TemplateRuntime", `json: ${placeOf(path, at)} ${words}`);
}

function placeOf(path: readonly Step[], at: number): string {
  return at === 0 ? "the answer" : `"${shownPath(path.slice(0, at))}"`;
}

const shownNames = 8;

function listNames(names: readonly string[]): string {
  if (names.length === 0) return " It is empty.";
  return ` It has ${names.slice(0, shownNames).join(", ")}${names.length > shownNames ? ", …" : ""}.`;
}

function kindOf(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "string") return "a text";
  return typeof value === "boolean" ? "a boolean" : "a number";
}
