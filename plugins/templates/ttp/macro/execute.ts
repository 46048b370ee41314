/** Statements as closures. */
import { PyError } from "../../python/errors.ts";
import { itemsOf, iterate } from "../../python/iterate.ts";
import { requireAttribute } from "../../python/methods.ts";
import { str } from "../../python/repr.ts";
import { PyTuple, truth, type Value } from "../../python/values.ts";
import type { ExceptClause, Expr, Stmt } from "./ast.ts";
import { syntaxError } from "./errors.ts";
import { compileExpression, compileFallbacks } from "./evaluate.ts";
import { caught, ExceptionType, type ExceptionValue, isKindOf, raised } from "./exceptions.ts";
import { type Frame, placeOf } from "./frame.ts";
import { type Evaluate, makeFunction } from "./functions.ts";
import { readItem, writeItem } from "./items.ts";
import { augment } from "./operators.ts";
import { functionScope, type Scope } from "./scope.ts";
import { type Assign, compileDelete, compileTarget, writeAttribute } from "./targets.ts";

/** What a statement leaves behind; `undefined`: go on. */
type Signal = "break" | "continue" | "return" | undefined;
type Execute = (frame: Frame) => Signal;

export function compileBlock(body: readonly Stmt[], scope: Scope): Execute {
  const parts = body.map((one): [number, Execute] => [one.line, compileStatement(one, scope)]);
  return (frame) => {
    for (const [line, run] of parts) {
      frame.line = line;
      frame.meter.step();
      const signal = run(frame);
      if (signal !== undefined) return signal;
    }
    return undefined;
  };
}

function compileStatement(statement: Stmt, scope: Scope): Execute {
  const expression = (expr: Expr) => compileExpression(expr, scope);
  switch (statement.kind) {
    case "pass":
    case "global":
    case "nonlocal":
      return () => undefined;
    case "break":
    case "continue":
      return signalling(statement.kind);
    case "expression":
      return plain(expression(statement.value));
    case "assign": {
      const value = expression(statement.value);
      const targets = statement.targets.map((one) => compileTarget(one, scope, compileExpression));
      return (frame) => {
        const now = value(frame);
        for (const assign of targets) assign(frame, now);
        return undefined;
      };
    }
    case "augment":
      return augmenting(statement, scope);
    case "if": {
      const test = expression(statement.test);
      const [body, other] = [compileBlock(statement.body, scope), compileBlock(statement.other, scope)];
      return (frame) => (truth(test(frame)) ? body(frame) : other(frame));
    }
    case "while":
      return looping(statement, scope);
    case "for":
      return iterating(statement, scope);
    case "def":
      return defining(statement, scope);
    case "return": {
      if (scope.kind === "module") throw syntaxError("'return' outside function", statement.line);
      const value = statement.value === undefined ? () => null : expression(statement.value);
      return (frame) => {
        frame.result = value(frame);
        return "return";
      };
    }
    case "delete": {
      const parts = statement.targets.map((one) => compileDelete(one, scope, compileExpression));
      return (frame) => {
        for (const part of parts) part(frame);
        return undefined;
      };
    }
    case "import":
      return importing(statement.modules, scope);
    case "from":
      return importingFrom(statement.module, statement.names, scope);
    case "try":
      return attempting(statement, scope);
    case "raise":
      return raising(statement.value === undefined ? undefined : expression(statement.value));
    case "assert": {
      const test = expression(statement.test);
      const message = statement.message === undefined ? undefined : expression(statement.message);
      return (frame) => {
        if (truth(test(frame))) return undefined;
        throw new PyError("AssertionError", message === undefined ? "" : str(message(frame), frame.meter));
      };
    }
  }
}

const signalling =
  (signal: Signal): Execute =>
  () =>
    signal;

const plain =
  (value: Evaluate): Execute =>
  (frame) => {
    value(frame);
    return undefined;
  };

/** The owner and the key of the target are evaluated once. */
function augmenting(statement: Extract<Stmt, { kind: "augment" }>, scope: Scope): Execute {
  const { target, op } = statement;
  const value = compileExpression(statement.value, scope);
  if (target.kind === "name") {
    const place = placeOf(target.name, scope);
    return (frame) => {
      place.write(frame, augment(op, place.read(frame), value(frame), frame.meter));
      return undefined;
    };
  }
  if (target.kind !== "item" && target.kind !== "attribute")
    throw syntaxError("illegal target of an augmented assignment", statement.line);
  const owner = compileExpression(target.target, scope);
  const key = target.kind === "item" ? compileExpression(target.key, scope) : undefined;
  if (key === undefined) {
    const name = target.kind === "attribute" ? target.name : "";
    return (frame) => {
      const now = owner(frame);
      const before = requireAttribute(now, name, frame.meter);
      writeAttribute(now, name, augment(op, before, value(frame), frame.meter));
      return undefined;
    };
  }
  return (frame) => {
    const [now, at] = [owner(frame), key(frame)];
    writeItem(now, at, augment(op, readItem(now, at, frame.meter), value(frame), frame.meter), frame.meter);
    return undefined;
  };
}

function looping(statement: Extract<Stmt, { kind: "while" }>, scope: Scope): Execute {
  const test = compileExpression(statement.test, scope);
  const [body, other] = [compileBlock(statement.body, scope), compileBlock(statement.other, scope)];
  return (frame) => {
    while (truth(test(frame))) {
      frame.meter.step();
      const signal = body(frame);
      if (signal === "break") return undefined;
      if (signal === "return") return signal;
    }
    return other(frame);
  };
}

function iterating(statement: Extract<Stmt, { kind: "for" }>, scope: Scope): Execute {
  const source = compileExpression(statement.source, scope);
  const assign: Assign = compileTarget(statement.target, scope, compileExpression);
  const [body, other] = [compileBlock(statement.body, scope), compileBlock(statement.other, scope)];
  return (frame) => {
    const iterator = iterate(source(frame), frame.meter);
    for (let one = iterator.next(); one.done !== true; one = iterator.next()) {
      frame.meter.step();
      assign(frame, one.value);
      const signal = body(frame);
      if (signal === "break") return undefined;
      if (signal === "return") return signal;
    }
    return other(frame);
  };
}

function defining(statement: Extract<Stmt, { kind: "def" }>, scope: Scope): Execute {
  const { code } = statement;
  const inner = functionScope(code, statement.body, scope);
  const block = compileBlock(statement.body, inner);
  const made = {
    code,
    fallbacks: compileFallbacks(code.parameters, scope),
    body: (frame: Frame): Value => (block(frame) === "return" ? frame.result : null),
  };
  const place = placeOf(code.name, scope);
  return (frame) => {
    place.write(frame, makeFunction(made, frame));
    return undefined;
  };
}

function importing(modules: readonly (readonly [string, string | undefined])[], scope: Scope): Execute {
  const parts = modules.map(([module, as]) => {
    const top = module.split(".")[0] ?? module;
    return { module, bound: as === undefined ? top : module, place: placeOf(as ?? top, scope) };
  });
  return (frame) => {
    for (const { module, bound, place } of parts) {
      frame.world.importModule(module, frame.meter);
      place.write(frame, frame.world.importModule(bound, frame.meter));
    }
    return undefined;
  };
}

function importingFrom(module: string, names: readonly (readonly [string, string])[], scope: Scope): Execute {
  const parts = names.map(([name, as]) => ({ name, place: placeOf(as, scope) }));
  return (frame) => {
    const found = frame.world.importModule(module, frame.meter);
    for (const { name, place } of parts) place.write(frame, importedName(found, module, name, frame));
    return undefined;
  };
}

function importedName(module: Value, path: string, name: string, frame: Frame): Value {
  try {
    return requireAttribute(module, name, frame.meter);
  } catch (error) {
    if (!(error instanceof PyError) || error.pythonType !== "AttributeError") throw error;
    throw new PyError("ImportError", `cannot import name '${name}' from '${path}'`);
  }
}

function raising(value: Evaluate | undefined): Execute {
  return (frame) => {
    if (value !== undefined) throw raised(value(frame), frame.meter);
    if (frame.handling === undefined) throw new PyError("RuntimeError", "No active exception to reraise");
    throw frame.handling;
  };
}

function attempting(statement: Extract<Stmt, { kind: "try" }>, scope: Scope): Execute {
  const body = compileBlock(statement.body, scope);
  const other = compileBlock(statement.other, scope);
  const last = compileBlock(statement.last, scope);
  const handlers = statement.handlers.map((one) => handler(one, scope));

  const attempt: Execute = (frame) => {
    const depth = frame.meter.depth();
    let signal: Signal;
    try {
      signal = body(frame);
    } catch (error) {
      while (frame.meter.depth() > depth) frame.meter.leave();
      const exception = caught(error);
      const found = exception && handlers.find((one) => one.matches(exception, frame));
      if (exception === undefined || found === undefined) throw error;
      return found.run(exception, error, frame);
    }
    return signal ?? other(frame);
  };
  if (statement.last.length === 0) return attempt;
  return (frame) => {
    let signal: Signal;
    try {
      signal = attempt(frame);
    } catch (error) {
      const overridden = last(frame);
      if (overridden !== undefined) return overridden;
      throw error;
    }
    const kept = frame.result;
    const overridden = last(frame);
    if (overridden !== undefined) return overridden;
    frame.result = kept;
    return signal;
  };
}

function handler(clause: ExceptClause, scope: Scope) {
  const types = clause.types === undefined ? undefined : compileExpression(clause.types, scope);
  const place = clause.name === undefined ? undefined : placeOf(clause.name, scope);
  const body = compileBlock(clause.body, scope);
  return {
    matches(exception: ExceptionValue, frame: Frame): boolean {
      if (types === undefined) return true;
      const wanted = types(frame);
      const list = wanted instanceof PyTuple ? itemsOf(wanted, frame.meter) : [wanted];
      return list.some((one) => {
        if (!(one instanceof ExceptionType))
          throw new PyError(
            "TypeError",
            "catching classes that do not inherit from BaseException is not allowed",
          );
        return isKindOf(exception.typeName, one.name);
      });
    },
    run(exception: ExceptionValue, error: unknown, frame: Frame): Signal {
      const before = frame.handling;
      frame.handling = error;
      place?.write(frame, exception);
      try {
        return body(frame);
      } finally {
        frame.handling = before;
      }
    },
  };
}
