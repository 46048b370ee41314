/** The Python interpreter for macros: code yields its functions, an expression its value. */
import { type Meter, PyError, placed, type Value } from "../../python/index.ts";
import { parts } from "../parts.ts";
import { type Execute, type ParseStatement, type Statements, sequence } from "./block.ts";
import { createBuiltins } from "./builtins.ts";
import { compoundOf } from "./compound.ts";
import type { Interpreter, InterpreterOptions, ModuleSource } from "./contract.ts";
import { syntaxError, unsupported } from "./errors.ts";
import { grammar, parseSource } from "./expression.ts";
import { PyModule } from "./modules/module.ts";
import { Reader } from "./reader.ts";
import { type Frame, Scope, type World } from "./scope.ts";
import { parseSimple } from "./simple.ts";
import { tokenize } from "./tokenize.ts";

/** Cache of parsed modules: they are few and shared by all templates. */
const moduleBodies = new Map<string, Execute>();

export function createInterpreter({ log, now, module }: InterpreterOptions): Interpreter {
  const builtin = createBuiltins(log);
  const modules = new Map<string, Value>();

  function readModule(source: ModuleSource, meter: Meter): ReadonlyMap<string, Value> {
    if ("names" in source) return source.names;
    const { text, prefix = "" } = source;
    const body = moduleBodies.get(text) ?? parseModule(text);
    moduleBodies.set(text, body);
    const bound = [...runBody(body, new Map(), meter, false)].filter(([key]) => key.startsWith(prefix));
    return new Map(bound.map(([key, value]) => [key.slice(prefix.length), value]));
  }

  function importModule(name: string, meter: Meter): Value {
    const { sharedModules, ownModules } = parts.modules.use;
    const cached = sharedModules.get(name) ?? modules.get(name);
    if (cached !== undefined) return cached;
    const makers = ownModules({ log, now });
    const provided = module?.(name);
    const value =
      provided === undefined ? makers.get(name)?.() : new PyModule(name, readModule(provided, meter));
    if (value === undefined) {
      const available = [...sharedModules.keys(), ...makers.keys()].filter(
        (moduleName) => !moduleName.startsWith("_"),
      );
      const offered = available.sort().join(", ");
      throw new PyError("ModuleNotFoundError", `No module named '${name}'; macros can import ${offered}`);
    }
    modules.set(name, value);
    return value;
  }

  const frameOf = (world: World, meter: Meter): Frame => ({
    vars: world.globals,
    outer: undefined,
    world,
    meter,
    line: 1,
    result: null,
    handling: undefined,
  });

  function runBody(
    body: Execute,
    extraNames: ReadonlyMap<string, Value>,
    meter: Meter,
    tellsLine: boolean,
  ): Map<string, Value> {
    const globals = new Map<string, Value>();
    const find = (name: string) => (extraNames.has(name) ? extraNames.get(name) : builtin(name));
    const frame = frameOf({ globals, importModule, tellsLine, builtin: find }, meter);
    try {
      body(frame);
    } catch (error) {
      throw placed(error, { line: frame.line, template: "macro" });
    }
    return globals;
  }

  return {
    compile(source) {
      const body = parseModule(source);
      return { run: (extraNames, meter) => runBody(body, extraNames, meter, true) };
    },
    evaluate(source, name, meter) {
      const find = (identifier: string) => {
        const value = name(identifier);
        return value === undefined ? builtin(identifier) : value;
      };
      const world: World = { globals: new Map(), importModule, tellsLine: true, builtin: find };
      return parseSource(source, 1, new Scope("module")).read(frameOf(world, meter));
    },
  };
}

const REFUSED = ["class", "with", "async", "await", "yield"];

/** Parses macro code: lines of compound and simple statements. */
function parseModule(source: string): Execute {
  const reader = new Reader(tokenize(source), new Scope("module"), grammar);
  const body: (readonly [number, Execute])[] = [];
  while (!reader.isKind("end")) body.push(...statement(reader));
  return sequence(body);
}

const statement: ParseStatement = (reader): Statements =>
  reader.nested(() => {
    const { kind, text, line } = reader.peek();
    if (kind === "indent") throw syntaxError("unexpected indent", line);
    if (reader.is("@")) throw unsupported("a decorator", line);
    if (kind === "name" && REFUSED.includes(text)) throw unsupported(`'${text}'`, line);
    const compound = kind === "name" ? compoundOf(text) : undefined;
    if (compound !== undefined) {
      reader.next();
      return [[line, compound(reader, line, statement)]];
    }
    const statements: (readonly [number, Execute])[] = [];
    do {
      if (reader.isKind("newline")) break;
      statements.push([reader.peek().line, parseSimple(reader)]);
    } while (reader.take(";"));
    if (!reader.isKind("newline")) reader.fail();
    reader.next();
    return statements;
  });
