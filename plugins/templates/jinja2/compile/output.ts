/** Compiles literal text and printed expressions. */

import {
  asList,
  didYouMeanThen,
  escapeHtml,
  escapeValue,
  PyDict,
  PyTuple,
  placed,
  str,
  Undefined,
  type Value,
} from "../../python/index.ts";
import type { Action, Expression, Frame } from "../run/runtime.ts";
import type { Expr, NodeOf } from "../syntax/nodes.ts";
import type { Source } from "../syntax/source.ts";
import type { Place, Unit } from "./unit.ts";

/** Converts a value to text, with or without escaping. */
type Print = (value: Value, frame: Frame) => string;

export function compileOutput(node: NodeOf<"output">, place: Place, unit: Unit): Action | undefined {
  if (place.checksOutput && unit.knownExtends) return undefined;
  const pieces: (string | Expression)[] = [];
  const offsets: number[] = [];
  for (const item of node.items) {
    const last = pieces.at(-1);
    const piece = constantText(unit, item) ?? (item.kind === "text" ? "" : unit.expression(item, place));
    if (typeof piece === "string" && typeof last === "string") pieces[pieces.length - 1] = last + piece;
    else {
      pieces.push(piece);
      offsets.push(item.at);
    }
  }
  const write = writer(unit, pieces, offsets);
  if (!place.checksOutput) return write;
  return (frame, out) => (frame.root.parent === undefined ? write(frame, out) : undefined);
}

/** Literals are escaped at compile time, as in the reference. */
function constantText(unit: Unit, item: NodeOf<"text"> | Expr): string | undefined {
  if (item.kind === "text") return item.text;
  if (item.kind !== "const" || typeof item.value !== "string") return undefined;
  return unit.escaping.on ? escapeHtml(item.value) : item.value;
}

function plain(value: Value, frame: Frame): string {
  return typeof value === "string" ? value : str(value, frame.context.meter);
}

function escaped(value: Value, frame: Frame): string {
  return typeof value === "number" ? String(value) : escapeValue(value, frame.context.meter).value;
}

function byContext(value: Value, frame: Frame): string {
  return frame.context.autoescape ? escaped(value, frame) : plain(value, frame);
}

/** Warns of an undefined name or attribute that prints nothing; the result of `if` without `else` is intended. */
function warnOf(value: Undefined, piece: Expression, frame: Frame, source: Source, offset: number): void {
  const { warned, warn } = frame.context.run;
  if (value.missed === undefined || value.typeName === "DebugUndefined" || warned.has(piece)) return;
  warned.add(piece);
  const at = source.place(offset);
  const where = at.template === undefined ? `line ${at.line}` : `line ${at.line} of ${at.template}`;
  const isName = value.hint === `'${value.missed}' is undefined`;
  const near = isName ? didYouMeanThen(value.missed, frame.context.all().keys()) : "";
  warn(`${where}: ${value.hint} and prints nothing${near === "" ? "" : `.${near}`}`);
}

function writer(unit: Unit, pieces: readonly (string | Expression)[], offsets: readonly number[]): Action {
  const [first] = pieces;
  if (pieces.length === 1 && typeof first === "string") {
    return (_frame, out) => {
      out.write(first);
    };
  }
  const { on, dynamic } = unit.escaping;
  const printed: Print = dynamic ? byContext : on ? escaped : plain;
  const whole: Print = unit.options.wholeOnly
    ? (value, frame) => {
        requireDefined(value, 0);
        return printed(value, frame);
      }
    : printed;
  const print: Print = unit.options.ansible
    ? (value, frame) => (value === null ? "" : whole(asList(value, frame.context.meter), frame))
    : whole;
  return (frame, out) => {
    let i = 0;
    try {
      for (; i < pieces.length; i++) {
        const piece = pieces[i] as string | Expression;
        if (typeof piece === "string") {
          out.write(piece);
          continue;
        }
        const value = piece(frame);
        if (value instanceof Undefined) warnOf(value, piece, frame, unit.source, offsets[i] ?? 0);
        out.write(print(value, frame));
      }
    } catch (error) {
      throw placed(error, unit.source.place(offsets[i] ?? 0));
    }
  };
}

/** An undefined value in a list would be printed as a word that means nothing to a device. */
function requireDefined(value: Value, depth: number): void {
  if (typeof value !== "object" || value === null || depth > maxDepth) return;
  if (value instanceof Undefined && depth > 0) value.fail();
  if (Array.isArray(value)) for (const item of value) requireDefined(item, depth + 1);
  else if (value instanceof PyTuple) for (const item of value.items) requireDefined(item, depth + 1);
  else if (value instanceof PyDict) for (const member of value.values()) requireDefined(member, depth + 1);
}

const maxDepth = 100;
