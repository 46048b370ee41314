/** Compound statements: `if`, `while`, `for`, `def` and `try`. */
import { itemsOf, iterate, PyError, PyTuple, truth } from "../../python/index.ts";
import { type Execute, type ParseStatement, parseBlock, plain, type Signal, sequence } from "./block.ts";
import { unsupported } from "./errors.ts";
import { caught, ExceptionType, type ExceptionValue, isKindOf } from "./exceptions.ts";
import { assigning } from "./expr.ts";
import { parseExpression, parseTuple } from "./expression.ts";
import { makeFunction, parseParameters } from "./functions.ts";
import type { Reader } from "./reader.ts";
import { type Evaluate, type Frame, Place, Scope } from "./scope.ts";

/** Parses the statement after its keyword. */
type Compound = (reader: Reader, line: number, statement: ParseStatement) => Execute;

const COMPOUND: ReadonlyMap<string, Compound> = new Map([
  ["if", conditional],
  ["while", looping],
  ["for", iterating],
  ["def", defining],
  ["try", attempting],
]);

export const compoundOf = (keyword: string): Compound | undefined => COMPOUND.get(keyword);

/** Returns `undefined` if the clause is absent. */
const optional = (reader: Reader, keyword: string, statement: ParseStatement): Execute | undefined =>
  reader.take(keyword) ? parseBlock(reader, statement) : undefined;

function conditional(reader: Reader, _line: number, statement: ParseStatement): Execute {
  const { read: test } = reader.grammar.named(reader);
  const body = parseBlock(reader, statement);
  const next = reader.peek();
  const other = reader.take("elif")
    ? sequence([[next.line, conditional(reader, next.line, statement)]])
    : optional(reader, "else", statement);
  return (frame) => (truth(test(frame)) ? body(frame) : other?.(frame));
}

function looping(reader: Reader, _line: number, statement: ParseStatement): Execute {
  const { read: test } = reader.grammar.named(reader);
  const body = parseBlock(reader, statement);
  const other = optional(reader, "else", statement);
  return (frame) => {
    while (truth(test(frame))) {
      frame.meter.step();
      const signal = body(frame);
      if (signal === "break") return undefined;
      if (signal === "return") return signal;
    }
    return other?.(frame);
  };
}

function iterating(reader: Reader, _line: number, statement: ParseStatement): Execute {
  const assign = assigning(reader.grammar.targets(reader), reader.scope);
  reader.expect("in");
  const { read: source } = parseTuple(reader);
  const body = parseBlock(reader, statement);
  const other = optional(reader, "else", statement);
  return (frame) => {
    const iterator = iterate(source(frame), frame.meter);
    for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
      frame.meter.step();
      assign(frame, step.value);
      const signal = body(frame);
      if (signal === "break") return undefined;
      if (signal === "return") return signal;
    }
    return other?.(frame);
  };
}

function defining(reader: Reader, line: number, statement: ParseStatement): Execute {
  const name = reader.name();
  reader.scope.bind(name);
  const place = new Place(name, reader.scope);
  reader.expect("(");
  const parameters = parseParameters(reader, ")", true);
  reader.expect(")");
  if (reader.take("->")) parseExpression(reader);
  const scope = new Scope("function", reader.scope);
  for (const parameter of parameters) scope.bind(parameter.name);
  const block = reader.within(scope, () => parseBlock(reader, statement));
  const body: Evaluate = (frame) => (block(frame) === "return" ? frame.result : null);
  const code = { name, parameters, line, body };
  return plain((frame) => place.write(frame, makeFunction(code, frame)));
}

function attempting(reader: Reader, _line: number, statement: ParseStatement): Execute {
  const body = parseBlock(reader, statement);
  const handlers: Handler[] = [];
  while (reader.take("except")) handlers.push(parseHandler(reader, statement));
  const other = optional(reader, "else", statement);
  const last = optional(reader, "finally", statement);

  const attempt: Execute = (frame) => {
    const depth = frame.meter.depth();
    let signal: Signal;
    try {
      signal = body(frame);
    } catch (error) {
      while (frame.meter.depth() > depth) frame.meter.leave();
      const exception = caught(error);
      const handler = exception && handlers.find((candidate) => candidate.matches(exception, frame));
      if (exception === undefined || handler === undefined) throw error;
      return handler.run(exception, error, frame);
    }
    return signal ?? other?.(frame);
  };
  return last === undefined ? attempt : (frame) => withFinally(attempt, last, frame);
}

/** A `return` or `break` in `finally` overrides everything else. */
function withFinally(attempt: Execute, last: Execute, frame: Frame): Signal {
  let signal: Signal;
  try {
    signal = attempt(frame);
  } catch (error) {
    const overridden = last(frame);
    if (overridden !== undefined) return overridden;
    throw error;
  }
  const previousResult = frame.result;
  const overridden = last(frame);
  if (overridden !== undefined) return overridden;
  frame.result = previousResult;
  return signal;
}

interface Handler {
  matches(exception: ExceptionValue, frame: Frame): boolean;
  run(exception: ExceptionValue, error: unknown, frame: Frame): Signal;
}

function parseHandler(reader: Reader, statement: ParseStatement): Handler {
  if (reader.is("*")) throw unsupported("'except*'", reader.peek().line);
  const types = reader.is(":") ? undefined : parseTuple(reader);
  const name = reader.take("as") ? reader.name() : undefined;
  if (name !== undefined) reader.scope.bind(name);
  const place = name === undefined ? undefined : new Place(name, reader.scope);
  const body = parseBlock(reader, statement);
  return {
    matches(exception, frame) {
      if (types === undefined) return true;
      const expectedTypes = types.read(frame);
      const list = expectedTypes instanceof PyTuple ? itemsOf(expectedTypes, frame.meter) : [expectedTypes];
      return list.some((type) => {
        if (type instanceof ExceptionType) return isKindOf(exception.typeName, type.name);
        const message = "catching classes that do not inherit from BaseException is not allowed";
        throw new PyError("TypeError", message);
      });
    },
    run(exception, error, frame) {
      const before = frame.handling;
      frame.handling = error;
      place?.write(frame, exception);
      try {
        return body(frame);
      } finally {
        frame.handling = before;
        // As in Python, the name is gone after the block.
        place?.forget(frame);
      }
    },
  };
}
