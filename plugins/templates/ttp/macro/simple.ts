/** Simple statements: assignments, `return`, `raise`, `del`, `import` and others. */
import { attribute, PyError, str, truth, type Value } from "../../python/index.ts";
import { needsModule } from "../parts.ts";
import { type Execute, plain } from "./block.ts";
import { syntaxError, unsupported } from "./errors.ts";
import { raised } from "./exceptions.ts";
import { assigning, deleting, type Expr } from "./expr.ts";
import { parseExpression, parseTuple } from "./expression.ts";
import { augment, type BinaryOp } from "./operators.ts";
import type { Reader } from "./reader.ts";
import { type Frame, Place } from "./scope.ts";

const AUGMENTED = /^(\+|-|\*|\/|\/\/|%|\*\*|&|\||\^|<<|>>)=$/;
const nothing: Execute = () => undefined;

const STATEMENTS: Readonly<Record<string, (reader: Reader, line: number) => Execute>> = {
  pass: () => nothing,
  break: () => () => "break",
  continue: () => () => "continue",
  return: returning,
  raise: raising,
  del(reader) {
    const targets = reader.grammar.targets(reader);
    return plain(deleting(targets, reader.scope));
  },
  assert: asserting,
  global: (reader) => declaring(reader, reader.scope.globals),
  nonlocal: (reader) => declaring(reader, reader.scope.nonlocals),
  import: importing,
  from: importingFrom,
};

export function parseSimple(reader: Reader): Execute {
  const { kind, text, line } = reader.peek();
  const parse = kind === "name" && Object.hasOwn(STATEMENTS, text) ? STATEMENTS[text] : undefined;
  if (parse === undefined) return assignment(reader, line);
  reader.next();
  return parse(reader, line);
}

const atEnd = (reader: Reader): boolean => reader.isKind("newline") || reader.is(";");

function returning(reader: Reader, line: number): Execute {
  const value = atEnd(reader) ? undefined : parseTuple(reader);
  if (reader.scope.kind === "module") throw syntaxError("'return' outside function", line);
  return (frame) => {
    frame.result = value?.read(frame) ?? null;
    return "return";
  };
}

function raising(reader: Reader): Execute {
  const value = atEnd(reader) ? undefined : parseExpression(reader);
  if (reader.take("from")) parseExpression(reader);
  return (frame) => {
    if (value !== undefined) throw raised(value.read(frame), frame.meter);
    throw frame.handling ?? new PyError("RuntimeError", "No active exception to reraise");
  };
}

function asserting(reader: Reader): Execute {
  const test = parseExpression(reader);
  const message = reader.take(",") ? parseExpression(reader) : undefined;
  return plain((frame) => {
    if (truth(test.read(frame))) return;
    throw new PyError("AssertionError", message === undefined ? "" : str(message.read(frame), frame.meter));
  });
}

function declaring(reader: Reader, names: Set<string>): Execute {
  do names.add(reader.name());
  while (reader.take(","));
  return nothing;
}

function dotted(reader: Reader): string {
  let name = reader.name();
  while (reader.take(".")) name += `.${reader.name()}`;
  return name;
}

/** A reference to a name that the statement binds. */
function bound(reader: Reader, name: string): Place {
  reader.scope.bind(name);
  return new Place(name, reader.scope);
}

function importing(reader: Reader): Execute {
  const modules: { module: string; bound: string; place: Place }[] = [];
  do {
    const module = dotted(reader);
    needsModule(module);
    const top = module.split(".")[0] ?? module;
    const as = reader.take("as") ? reader.name() : undefined;
    modules.push({ module, bound: as === undefined ? top : module, place: bound(reader, as ?? top) });
  } while (reader.take(","));
  return plain((frame) => {
    for (const { module, bound, place } of modules) {
      frame.world.importModule(module, frame.meter);
      place.write(frame, frame.world.importModule(bound, frame.meter));
    }
  });
}

function importingFrom(reader: Reader, line: number): Execute {
  if (reader.is(".") || reader.is("...")) throw unsupported("a relative import", line);
  const module = dotted(reader);
  needsModule(module);
  reader.expect("import");
  if (reader.is("*")) throw unsupported("'from … import *'", line);
  const group = reader.take("(");
  const names: { name: string; place: Place }[] = [];
  do {
    if (group && reader.is(")")) break;
    const name = reader.name();
    names.push({ name, place: bound(reader, reader.take("as") ? reader.name() : name) });
  } while (reader.take(","));
  if (group) reader.expect(")");
  return plain((frame) => {
    const imported = frame.world.importModule(module, frame.meter);
    for (const { name, place } of names) place.write(frame, importedName(imported, module, name, frame));
  });
}

function importedName(module: Value, path: string, name: string, { meter }: Frame): Value {
  const found = attribute(module, name, meter);
  if (found === undefined) throw new PyError("ImportError", `cannot import name '${name}' from '${path}'`);
  return found;
}

function assignment(reader: Reader, line: number): Execute {
  const first = reader.is("*") ? reader.grammar.targets(reader) : parseTuple(reader);
  if (reader.take(":")) {
    parseExpression(reader);
    return reader.take("=") ? assigned(reader, [first], parseTuple(reader)) : nothing;
  }
  const op = AUGMENTED.exec(reader.isKind("op") ? reader.peek().text : "")?.[1];
  if (op !== undefined) return augmented(reader, first, op as BinaryOp, line);
  if (!reader.is("=")) return plain(first.read);
  const targets: Expr[] = [];
  let value = first;
  while (reader.take("=")) {
    targets.push(value);
    value = parseTuple(reader);
  }
  return assigned(reader, targets, value);
}

function assigned(reader: Reader, targets: readonly Expr[], { read }: Expr): Execute {
  const assigns = targets.map((target) => assigning(target, reader.scope));
  return plain((frame) => {
    const value = read(frame);
    for (const assign of assigns) assign(frame, value);
  });
}

function augmented(reader: Reader, first: Expr, op: BinaryOp, line: number): Execute {
  assigning(first, reader.scope);
  const { target } = first;
  if (target === undefined) throw syntaxError("illegal target of an augmented assignment", line);
  reader.next();
  const { read } = parseTuple(reader);
  return plain((frame) => target.change(frame, (before) => augment(op, before, read(frame), frame.meter)));
}
