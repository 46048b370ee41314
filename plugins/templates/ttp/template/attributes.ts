/** Parses `name | function(arguments) | …` of match variables and tag attributes. */
import {
  type Kwargs,
  type Meter,
  PyDict,
  PyFunction,
  PySet,
  PyTuple,
  splitAt,
  TemplateError,
  type Value,
} from "../../python/index.ts";
import type { Interpreter } from "../macro/contract.ts";

export interface Arguments {
  readonly args: readonly Value[];
  readonly kwargs: Kwargs;
}

export interface Call extends Arguments {
  readonly name: string;
  /** Whether an argument is a list or dictionary, which macros may modify. */
  readonly mutable?: boolean;
  /** Arguments that are bare names and count as text. */
  readonly bare?: readonly string[];
  /** Line of the tag, for attributes. */
  readonly line?: number;
}

const isCollection = (value: Value): boolean =>
  Array.isArray(value) || value instanceof PyDict || value instanceof PySet || value instanceof PyTuple;

export type ReadCalls = (text: string) => Call[];

const NO_ARGUMENTS: Kwargs = new Map();
const CALL = "_get_args_kwargs";

/** A bare name counts as text: `contains(ip, vrf)` means `contains("ip", "vrf")`. */
function bareName(name: string): Value {
  const lower = name.toLowerCase();
  if (lower === "true") return true;
  if (lower === "false") return false;
  return lower === "none" ? null : name;
}

export function createCallReader(interpreter: Interpreter, meter: Meter): ReadCalls {
  function readArguments(text: string, options: string): Omit<Call, "name"> {
    let parsed: Arguments = { args: [], kwargs: NO_ARGUMENTS };
    const bare: string[] = [];
    const collect = new PyFunction(CALL, (args, kwargs) => {
      parsed = { args, kwargs: kwargs ?? NO_ARGUMENTS };
      return null;
    });
    try {
      interpreter.evaluate(
        `${CALL}(${options})`,
        (name) => {
          if (name === CALL) return collect;
          const value = bareName(name);
          if (typeof value === "string") bare.push(name);
          return value;
        },
        meter,
      );
    } catch (error) {
      if (error instanceof TemplateError && error.kind !== "TemplateLimit")
        throw new TemplateError(
          "TemplateSyntax",
          `can't read the arguments of '${text}' (texts need quotes): ${error.message}`,
        );
      throw error;
    }
    const mutable = [...parsed.args, ...parsed.kwargs.values()].some(isCollection);
    return { ...parsed, ...(mutable ? { mutable } : {}), ...(bare.length > 0 ? { bare } : {}) };
  }

  /** As in TTP, a `|` inside quotes or parentheses also splits. */
  return (text) =>
    splitAt(text, "|")
      .filter((part) => part !== "")
      .map((item) => {
        const match = /^(\S+?)\s?(?:\((.*)\))?$/.exec(item);
        const name = match?.[1];
        if (match === null || name === undefined)
          throw new TemplateError("TemplateSyntax", `can't read '${item}' of '${text.trim()}'`);
        const options = match[2] ?? "";
        return {
          name,
          ...(options === "" ? { args: [], kwargs: NO_ARGUMENTS } : readArguments(item, options)),
        };
      });
}
