/** Expressions as closures: each node is compiled once and then only called. */
import { negate, positive } from "../../python/arith.ts";
import { callValue } from "../../python/call.ts";
import { PyDict, PySet } from "../../python/dict.ts";
import { updateDict } from "../../python/dicts.ts";
import { typeError } from "../../python/errors.ts";
import { formatValue } from "../../python/formatspec.ts";
import { itemsOf } from "../../python/iterate.ts";
import { callMethod, requireAttribute } from "../../python/methods.ts";
import { asciiRepr, repr, str } from "../../python/repr.ts";
import { PySlice } from "../../python/slice.ts";
import { type Kwargs, PyTuple, truth, typeName, type Value } from "../../python/values.ts";
import type { Argument, Expr, FormatPart } from "./ast.ts";
import { compileComprehension } from "./comprehension.ts";
import { type Frame, placeOf } from "./frame.ts";
import { type Evaluate, makeFunction } from "./functions.ts";
import { readItem } from "./items.ts";
import { binaryOperator, compareOperator, invert } from "./operators.ts";
import { functionScope, type Scope } from "./scope.ts";

export function compileExpression(expr: Expr, scope: Scope): Evaluate {
  const sub = (one: Expr): Evaluate => compileExpression(one, scope);
  switch (expr.kind) {
    case "constant": {
      const { value } = expr;
      return () => value;
    }
    case "name":
      return placeOf(expr.name, scope).read;
    case "format":
      return formatting(expr.parts, scope);
    case "tuple": {
      const items = collecting(expr.items, scope);
      return (frame) => new PyTuple(items(frame));
    }
    case "list":
      return collecting(expr.items, scope);
    case "set": {
      const items = collecting(expr.items, scope);
      return (frame) => new PySet(items(frame));
    }
    case "dict":
      return dictionary(expr.entries, scope);
    case "unary": {
      const value = sub(expr.value);
      if (expr.op === "not") return (frame) => !truth(value(frame));
      const apply = expr.op === "-" ? negate : expr.op === "+" ? positive : invert;
      return (frame) => apply(value(frame));
    }
    case "binary": {
      const [left, right, apply] = [sub(expr.left), sub(expr.right), binaryOperator(expr.op)];
      return (frame) => {
        frame.meter.step();
        const a = left(frame);
        return apply(a, right(frame), frame.meter);
      };
    }
    case "and": {
      const [left, right] = [sub(expr.left), sub(expr.right)];
      return (frame) => {
        const value = left(frame);
        return truth(value) ? right(frame) : value;
      };
    }
    case "or": {
      const [left, right] = [sub(expr.left), sub(expr.right)];
      return (frame) => {
        const value = left(frame);
        return truth(value) ? value : right(frame);
      };
    }
    case "compare":
      return comparing(expr, scope);
    case "conditional": {
      const [test, yes, no] = [sub(expr.test), sub(expr.yes), sub(expr.no)];
      return (frame) => (truth(test(frame)) ? yes(frame) : no(frame));
    }
    case "call":
      return calling(expr, scope);
    case "attribute": {
      const target = sub(expr.target);
      return (frame) => requireAttribute(target(frame), expr.name, frame.meter);
    }
    case "item": {
      const [target, key] = [sub(expr.target), sub(expr.key)];
      return (frame) => {
        const owner = target(frame);
        return readItem(owner, key(frame), frame.meter);
      };
    }
    case "slice": {
      const [start, stop, step] = [expr.start, expr.stop, expr.step].map((one) =>
        one ? sub(one) : () => null,
      );
      return (frame) => new PySlice(start?.(frame) ?? null, stop?.(frame) ?? null, step?.(frame) ?? null);
    }
    case "lambda": {
      const inner = functionScope(expr.code, expr.body, scope);
      const made = {
        code: expr.code,
        fallbacks: compileFallbacks(expr.code.parameters, scope),
        body: compileExpression(expr.body, inner),
      };
      return (frame) => makeFunction(made, frame);
    }
    case "comprehension":
      return compileComprehension(expr, scope, compileExpression);
    case "walrus": {
      const value = sub(expr.value);
      const place = placeOf(expr.name, scope);
      return (frame) => {
        const now = value(frame);
        place.write(frame, now);
        return now;
      };
    }
    case "star":
      return () => {
        throw typeError("can't use a starred expression here");
      };
  }
}

export function compileFallbacks(
  parameters: readonly { readonly fallback: Expr | undefined }[],
  scope: Scope,
): (Evaluate | undefined)[] {
  return parameters.map((one) =>
    one.fallback === undefined ? undefined : compileExpression(one.fallback, scope),
  );
}

function collecting(items: readonly Expr[], scope: Scope): (frame: Frame) => Value[] {
  const parts = items.map((one) => ({
    star: one.kind === "star",
    value: compileExpression(one.kind === "star" ? one.value : one, scope),
  }));
  return (frame) => {
    const values: Value[] = [];
    for (const { star, value } of parts) {
      if (star) for (const item of itemsOf(value(frame), frame.meter)) values.push(item);
      else values.push(value(frame));
    }
    frame.meter.items(values.length);
    return values;
  };
}

function dictionary(entries: Extract<Expr, { kind: "dict" }>["entries"], scope: Scope): Evaluate {
  const parts = entries.map(([key, value]) => ({
    key: key === undefined ? undefined : compileExpression(key, scope),
    value: compileExpression(value, scope),
  }));
  return (frame) => {
    const dict = new PyDict();
    for (const { key, value } of parts) {
      if (key !== undefined) {
        const now = key(frame);
        dict.set(now, value(frame));
        continue;
      }
      const other = value(frame);
      if (!(other instanceof PyDict)) throw typeError(`'${typeName(other)}' object is not a mapping`);
      updateDict(dict, [other], undefined, frame.meter);
    }
    return dict;
  };
}

function comparing(expr: Extract<Expr, { kind: "compare" }>, scope: Scope): Evaluate {
  const first = compileExpression(expr.first, scope);
  const rest = expr.rest.map(([op, value]) => ({
    apply: compareOperator(op),
    value: compileExpression(value, scope),
  }));
  return (frame) => {
    frame.meter.step();
    let left = first(frame);
    for (const { apply, value } of rest) {
      const right = value(frame);
      if (!apply(left, right, frame.meter)) return false;
      left = right;
    }
    return true;
  };
}

function formatting(parts: readonly FormatPart[], scope: Scope): Evaluate {
  const made = parts.map((part) =>
    typeof part === "string"
      ? part
      : {
          value: compileExpression(part.value, scope),
          conversion: part.conversion,
          spec: formatting(part.spec, scope),
        },
  );
  return (frame) => {
    const { meter } = frame;
    let text = "";
    for (const part of made) {
      if (typeof part === "string") text += part;
      else {
        const value = converted(part.value(frame), part.conversion, frame);
        text += formatValue(value, part.spec(frame) as string, meter);
      }
    }
    meter.text(text.length);
    return text;
  };
}

function converted(value: Value, conversion: string, { meter }: Frame): Value {
  if (conversion === "r") return repr(value, meter);
  if (conversion === "s") return str(value, meter);
  return conversion === "a" ? asciiRepr(repr(value, meter)) : value;
}

function calling(expr: Extract<Expr, { kind: "call" }>, scope: Scope): Evaluate {
  const { target } = expr;
  const args = positionals(expr.args, scope);
  const keywords = named(expr.args, scope);
  const { line } = expr;
  if (target.kind !== "attribute") {
    const callee = compileExpression(target, scope);
    return (frame) => {
      const now = callee(frame);
      const values = args(frame);
      const kwargs = keywords?.(frame);
      frame.line = line;
      return callValue(now, values, kwargs, frame.meter);
    };
  }
  const owner = compileExpression(target.target, scope);
  const { name } = target;
  return (frame) => {
    const now = owner(frame);
    const values = args(frame);
    const kwargs = keywords?.(frame);
    frame.line = line;
    const result = callMethod(now, name, values, kwargs, frame.meter);
    if (result !== undefined) return result;
    return callValue(requireAttribute(now, name, frame.meter), values, kwargs, frame.meter);
  };
}

function positionals(args: readonly Argument[], scope: Scope): (frame: Frame) => Value[] {
  return collecting(
    args
      .filter((one) => one.kind === "plain" || one.kind === "star")
      .map(
        (one): Expr =>
          one.kind === "star" ? { kind: "star", value: one.value, line: one.value.line } : one.value,
      ),
    scope,
  );
}

function named(args: readonly Argument[], scope: Scope): ((frame: Frame) => Kwargs) | undefined {
  const parts = args
    .filter((one) => one.kind === "keyword" || one.kind === "double")
    .map((one) => ({ ...one, value: compileExpression(one.value, scope) }));
  if (parts.length === 0) return undefined;
  return (frame) => {
    const kwargs = new Map<string, Value>();
    const put = (name: string, value: Value) => {
      if (kwargs.has(name)) throw typeError(`got multiple values for keyword argument '${name}'`);
      kwargs.set(name, value);
    };
    for (const part of parts) {
      const value = part.value(frame);
      if (part.kind === "keyword") put(part.name, value);
      else if (!(value instanceof PyDict)) throw typeError("argument after ** must be a mapping");
      else for (const [key, item] of value.entries()) put(keywordName(key), item);
    }
    return kwargs;
  };
}

function keywordName(key: Value): string {
  if (typeof key !== "string") throw typeError("keywords must be strings");
  return key;
}
