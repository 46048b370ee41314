/** Parses Python statements: a whole macro text. */
import type { BinaryOp, ExceptClause, Expr, Stmt } from "./ast.ts";
import { syntaxError, unsupported } from "./errors.ts";
import { parseExpression, parseNamed, parseTargets, parseTuple } from "./expression.ts";
import { parseParameters } from "./parameters.ts";
import { createReader, type Reader } from "./reader.ts";
import { tokenize } from "./tokenize.ts";

const AUGMENTED = /^(\+|-|\*|\/|\/\/|%|\*\*|&|\||\^|<<|>>)=$/;
const REFUSED: Readonly<Record<string, string>> = {
  class: "'class'",
  with: "'with'",
  async: "'async'",
  await: "'await'",
  yield: "'yield'",
};

export function parseModule(source: string): Stmt[] {
  const reader = createReader(tokenize(source));
  const body: Stmt[] = [];
  if (reader.isKind("indent")) throw syntaxError("unexpected indent", reader.peek().line);
  while (!reader.isKind("end")) body.push(...statement(reader));
  return body;
}

function statement(reader: Reader): Stmt[] {
  return reader.nested(() => {
    const token = reader.peek();
    if (token.kind === "indent") throw syntaxError("unexpected indent", token.line);
    if (reader.is("@")) throw unsupported("a decorator", token.line);
    const refused = token.kind === "name" ? REFUSED[token.text] : undefined;
    if (refused !== undefined) throw unsupported(refused, token.line);
    const compound = token.kind === "name" ? COMPOUND.get(token.text) : undefined;
    if (compound !== undefined) {
      reader.next();
      return [compound(reader, token.line)];
    }
    const line: Stmt[] = [];
    do {
      if (reader.isKind("newline")) break;
      line.push(simple(reader));
    } while (reader.take(";"));
    if (!reader.isKind("newline")) reader.fail();
    reader.next();
    return line;
  });
}

function block(reader: Reader): Stmt[] {
  reader.expect(":");
  if (!reader.isKind("newline")) return statement(reader);
  reader.next();
  if (!reader.isKind("indent")) reader.fail("expected an indented block");
  reader.next();
  const body: Stmt[] = [];
  while (!reader.isKind("dedent") && !reader.isKind("end")) body.push(...statement(reader));
  if (reader.isKind("dedent")) reader.next();
  return body;
}

const elseBlock = (reader: Reader): Stmt[] => (reader.take("else") ? block(reader) : []);

const COMPOUND = new Map<string, (reader: Reader, line: number) => Stmt>([
  ["if", conditional],
  [
    "while",
    (reader, line) => {
      const test = parseNamed(reader);
      return { kind: "while", test, body: block(reader), other: elseBlock(reader), line };
    },
  ],
  [
    "for",
    (reader, line) => {
      const target = parseTargets(reader);
      reader.expect("in");
      const source = parseTuple(reader);
      return { kind: "for", target, source, body: block(reader), other: elseBlock(reader), line };
    },
  ],
  [
    "def",
    (reader, line) => {
      const name = reader.name();
      reader.expect("(");
      const parameters = parseParameters(reader, ")", true, parseExpression);
      reader.expect(")");
      if (reader.take("->")) parseExpression(reader);
      return { kind: "def", code: { name, parameters, line }, body: block(reader), line };
    },
  ],
  ["try", attempt],
]);

function conditional(reader: Reader, line: number): Stmt {
  const test = parseNamed(reader);
  const body = block(reader);
  const next = reader.peek();
  if (reader.take("elif")) return { kind: "if", test, body, other: [conditional(reader, next.line)], line };
  return { kind: "if", test, body, other: elseBlock(reader), line };
}

function attempt(reader: Reader, line: number): Stmt {
  const body = block(reader);
  const handlers: ExceptClause[] = [];
  while (reader.take("except")) {
    if (reader.is("*")) throw unsupported("'except*'", reader.peek().line);
    const types = reader.is(":") ? undefined : parseTuple(reader);
    const name = reader.take("as") ? reader.name() : undefined;
    handlers.push({ types, name, body: block(reader) });
  }
  const other = elseBlock(reader);
  const last = reader.take("finally") ? block(reader) : [];
  return { kind: "try", body, handlers, other, last, line };
}

function simple(reader: Reader): Stmt {
  const { line } = reader.peek();
  const atEnd = () => reader.isKind("newline") || reader.is(";");
  for (const kind of ["break", "continue", "pass"] as const) if (reader.take(kind)) return { kind, line };
  if (reader.take("return")) return { kind: "return", value: atEnd() ? undefined : parseTuple(reader), line };
  if (reader.take("raise")) {
    const value = atEnd() ? undefined : parseExpression(reader);
    if (reader.take("from")) parseExpression(reader);
    return { kind: "raise", value, line };
  }
  if (reader.take("del")) {
    const targets = parseTargets(reader);
    return { kind: "delete", targets: targets.kind === "tuple" ? targets.items : [targets], line };
  }
  if (reader.take("assert")) {
    const test = parseExpression(reader);
    return { kind: "assert", test, message: reader.take(",") ? parseExpression(reader) : undefined, line };
  }
  for (const kind of ["global", "nonlocal"] as const) {
    if (!reader.take(kind)) continue;
    const names = [reader.name()];
    while (reader.take(",")) names.push(reader.name());
    return { kind, names, line };
  }
  if (reader.take("import")) return importing(reader, line);
  if (reader.take("from")) return importingFrom(reader, line);
  return assignment(reader, line);
}

function dotted(reader: Reader): string {
  let name = reader.name();
  while (reader.take(".")) name += `.${reader.name()}`;
  return name;
}

function importing(reader: Reader, line: number): Stmt {
  const modules: [string, string | undefined][] = [];
  do {
    const module = dotted(reader);
    modules.push([module, reader.take("as") ? reader.name() : undefined]);
  } while (reader.take(","));
  return { kind: "import", modules, line };
}

function importingFrom(reader: Reader, line: number): Stmt {
  if (reader.is(".") || reader.is("...")) throw unsupported("a relative import", line);
  const module = dotted(reader);
  reader.expect("import");
  if (reader.is("*")) throw unsupported("'from … import *'", line);
  const group = reader.take("(");
  const names: [string, string][] = [];
  do {
    if (group && reader.is(")")) break;
    const name = reader.name();
    names.push([name, reader.take("as") ? reader.name() : name]);
  } while (reader.take(","));
  if (group) reader.expect(")");
  return { kind: "from", module, names, line };
}

function assignment(reader: Reader, line: number): Stmt {
  const first = reader.is("*") ? parseTargets(reader) : parseTuple(reader);
  if (reader.is(":")) {
    reader.next();
    parseExpression(reader);
    if (!reader.take("=")) return { kind: "pass", line };
    return { kind: "assign", targets: [checked(reader, first)], value: parseTuple(reader), line };
  }
  const op = AUGMENTED.exec(reader.isKind("op") ? reader.peek().text : "")?.[1];
  if (op !== undefined) {
    reader.next();
    return {
      kind: "augment",
      target: checked(reader, first),
      op: op as BinaryOp,
      value: parseTuple(reader),
      line,
    };
  }
  if (!reader.is("=")) return { kind: "expression", value: first, line };
  const targets = [first];
  let value = first;
  while (reader.take("=")) {
    value = parseTuple(reader);
    targets.push(value);
  }
  targets.pop();
  return { kind: "assign", targets: targets.map((one) => checked(reader, one)), value, line };
}

function checked(reader: Reader, target: Expr): Expr {
  if (target.kind === "tuple" || target.kind === "list")
    for (const item of target.items) checked(reader, item);
  else if (target.kind === "star") checked(reader, target.value);
  else if (target.kind !== "name" && target.kind !== "attribute" && target.kind !== "item")
    throw syntaxError(`cannot assign to ${target.kind}`, target.line);
  return target;
}
