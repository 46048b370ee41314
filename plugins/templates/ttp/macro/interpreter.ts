/** Runs the Python of macros: a text gives its functions, an expression its value. */
import { PyError, placed } from "../../python/errors.ts";
import type { Meter } from "../../python/limits.ts";
import type { Value } from "../../python/values.ts";
import { createBuiltins } from "./builtins.ts";
import { parseSource } from "./expression.ts";
import { createIpaddress } from "./modules/ipaddress.ts";
import { createJson } from "./modules/json.ts";
import { PyModule } from "./modules/module.ts";
import { createRe } from "./modules/re.ts";
import { createSmallModules } from "./modules/small.ts";
import { createDatetime, createTime } from "./modules/time.ts";
import { type Frame, Scope, type World } from "./scope.ts";
import { parseModule } from "./statements.ts";

export interface InterpreterOptions {
  /** `print` and `logging`. */
  readonly log: (text: string) => void;
  readonly now: () => Date;
  /** Modules besides Python's own; `undefined`: there is none of that name. */
  readonly module?: ((name: string) => ModuleSource | undefined) | undefined;
}

/** A module as Python text or as ready values. */
export type ModuleSource =
  | {
      readonly text: string;
      /** What the module's names begin with in the text, where that has names of other modules as well. */
      readonly prefix?: string;
    }
  | { readonly names: ReadonlyMap<string, Value> };

export interface Program {
  /**
   * Runs the text from top to bottom, every time anew: nothing stays from one run to the next.
   * @param given names it finds besides the built-in ones, such as `_ttp_`.
   * @returns what it bound, in order.
   */
  run(given: ReadonlyMap<string, Value>, meter: Meter): Map<string, Value>;
}

export interface Interpreter {
  /** @throws TemplateError with the line of the text. */
  compile(source: string): Program;
  /** One expression; `name` answers for every name, before the built-in ones. */
  evaluate(source: string, name: (name: string) => Value | undefined, meter: Meter): Value;
}

export function createInterpreter({ log, now, module }: InterpreterOptions): Interpreter {
  const builtin = createBuiltins(log);
  const small = createSmallModules(log);
  const makers = new Map<string, () => Value>([
    ...small,
    ["re", createRe],
    ["json", createJson],
    ["ipaddress", createIpaddress],
    ["datetime", () => createDatetime(now)],
    ["time", () => createTime(now)],
  ]);
  const made = new Map<string, Value>();

  function readModule(source: ModuleSource, meter: Meter): ReadonlyMap<string, Value> {
    if ("names" in source) return source.names;
    const { text, prefix = "" } = source;
    const bound = [...compile(text, false).run(new Map(), meter)].filter(([key]) => key.startsWith(prefix));
    return new Map(bound.map(([key, value]) => [key.slice(prefix.length), value]));
  }

  function importModule(name: string, meter: Meter): Value {
    const known = made.get(name);
    if (known !== undefined) return known;
    const given = module?.(name);
    const value = given === undefined ? makers.get(name)?.() : new PyModule(name, readModule(given, meter));
    if (value === undefined) {
      const offered = [...makers.keys()]
        .filter((one) => !one.startsWith("_"))
        .sort()
        .join(", ");
      throw new PyError("ModuleNotFoundError", `No module named '${name}'; macros can import ${offered}`);
    }
    made.set(name, value);
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

  function compile(source: string, tellsLine = true): Program {
    const body = parseModule(source);
    return {
      run(given, meter) {
        const globals = new Map<string, Value>();
        const world: World = {
          globals,
          importModule,
          tellsLine,
          builtin: (name) => (given.has(name) ? given.get(name) : builtin(name)),
        };
        const frame = frameOf(world, meter);
        try {
          body(frame);
        } catch (error) {
          throw placed(error, { line: frame.line, template: "macro" });
        }
        return globals;
      },
    };
  }

  return {
    compile,
    evaluate(source, name, meter) {
      const world: World = {
        globals: new Map(),
        importModule,
        tellsLine: true,
        builtin(wanted) {
          const value = name(wanted);
          return value === undefined ? builtin(wanted) : value;
        },
      };
      return parseSource(source, 1, new Scope("module")).read(frameOf(world, meter));
    },
  };
}
