/** Parses macro code: lines of compound and simple statements. */
import { type Execute, type ParseStatement, type Statements, sequence } from "./block.ts";
import { compoundOf } from "./compound.ts";
import { syntaxError, unsupported } from "./errors.ts";
import { grammar } from "./expression.ts";
import { Reader } from "./reader.ts";
import { Scope } from "./scope.ts";
import { parseSimple } from "./simple.ts";
import { tokenize } from "./tokenize.ts";

const REFUSED = ["class", "with", "async", "await", "yield"];

export function parseModule(source: string): Execute {
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
