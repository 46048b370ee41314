/** Blocks of statements, on one line or indented. */
import type { Reader } from "./reader.ts";
import type { Frame } from "./scope.ts";

/** Control flow after a statement; `undefined`: continue normally. */
export type Signal = "break" | "continue" | "return" | undefined;
export type Execute = (frame: Frame) => Signal;
export type Statements = readonly (readonly [line: number, run: Execute])[];

/** Parses the statements of a line, or a compound statement. */
export type ParseStatement = (reader: Reader) => Statements;

export function sequence(statements: Statements): Execute {
  return (frame) => {
    for (const [line, run] of statements) {
      frame.line = line;
      frame.meter.step();
      const signal = run(frame);
      if (signal !== undefined) return signal;
    }
    return undefined;
  };
}

/** For statements without control flow. */
export const plain =
  (run: (frame: Frame) => void): Execute =>
  (frame) => {
    run(frame);
    return undefined;
  };

/** Parses a block from its colon on. */
export function parseBlock(reader: Reader, statement: ParseStatement): Execute {
  reader.expect(":");
  if (!reader.isKind("newline")) return sequence(statement(reader));
  reader.next();
  if (!reader.isKind("indent")) reader.fail("expected an indented block");
  reader.next();
  const body: (readonly [number, Execute])[] = [];
  while (!reader.isKind("dedent") && !reader.isKind("end")) body.push(...statement(reader));
  if (reader.isKind("dedent")) reader.next();
  return sequence(body);
}
