/** `template.format(...)`: replacement fields with attributes, items, conversions and nested specs. */

import { attributeError, indexError, typeError, valueError } from "../errors.ts";
import { type Meter, Pieces } from "../limits.ts";
import type { Bound } from "../values/args.ts";
import { PyDict } from "../values/dict.ts";
import { PyRange } from "../values/iterate.ts";
import { MissingKey } from "../values/key-error.ts";
import { getItem } from "../values/slice.ts";
import { isText, PyObject, PyTuple, typeName, Undefined, type Value } from "../values/values.ts";
import { formatValue } from "./formatspec.ts";
import { asciiRepr, repr, str } from "./repr.ts";

export interface FormatSource {
  readonly args: Bound;
  /** Returns `undefined` if the name does not exist. */
  named(name: string): Value | undefined;
  /** Only allow-listed Python attributes. */
  attribute(value: Value, name: string): Value | undefined;
  /** Formats a value without conversion; Markup escapes here. */
  text?(value: Value, spec: string): string;
}

interface State {
  auto: number | undefined;
  manual: boolean;
}

/** As in Python, a spec may contain fields, but those may not nest further. */
const MAX_NESTING = 2;

export function formatText(template: string, source: FormatSource, meter: Meter): string {
  return fill(template, source, { auto: undefined, manual: false }, MAX_NESTING, meter);
}

function fill(template: string, source: FormatSource, state: State, depth: number, meter: Meter): string {
  if (depth === 0) throw valueError("Max string recursion exceeded");
  const out = new Pieces(meter);
  let at = 0;
  while (at < template.length) {
    const brace = nextBrace(template, at);
    out.put(template.slice(at, brace));
    const char = template[brace] ?? "";
    if (char === "") break;
    if (template[brace + 1] === char) {
      out.put(char);
      at = brace + 2;
      continue;
    }
    if (char === "}") throw valueError("Single '}' encountered in format string");
    const end = closing(template, brace + 1);
    out.put(field(template.slice(brace + 1, end), source, state, depth, meter));
    meter.step();
    at = end + 1;
  }
  return out.text();
}

function nextBrace(text: string, from: number): number {
  for (let i = from; i < text.length; i++) if (text[i] === "{" || text[i] === "}") return i;
  return text.length;
}

function closing(text: string, from: number): number {
  let depth = 1;
  let bracket = false;
  let inSpec = false;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (bracket) bracket = char !== "]";
    else if (char === "[" && !inSpec) bracket = true;
    else if (char === ":" && depth === 1) inSpec = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return i;
  }
  throw valueError(
    from >= text.length ? "Single '{' encountered in format string" : "expected '}' before end of string",
  );
}

function field(body: string, source: FormatSource, state: State, depth: number, meter: Meter): string {
  const match = /^((?:[^[\]!:{}]|\[[^\]]*\])*)(?:!([^:]*))?(?::([\s\S]*))?$/.exec(body);
  if (match === null) throw valueError("unexpected '{' in field name");
  const [, name = "", conversion, spec = ""] = match;
  let value = resolve(name, source, state, meter);
  const inner = spec.includes("{") || spec.includes("}") ? fill(spec, source, state, depth - 1, meter) : spec;
  if (conversion === "r") value = repr(value, meter);
  else if (conversion === "s") value = str(value, meter);
  else if (conversion === "a") value = asciiRepr(repr(value, meter));
  else if (conversion !== undefined) {
    if (conversion === "") throw valueError("end of string while looking for conversion specifier");
    if (conversion.length > 1) throw valueError("expected ':' after conversion specifier");
    throw valueError(`Unknown conversion specifier '${conversion}'`);
  }
  return source.text === undefined ? formatValue(value, inner, meter) : source.text(value, inner);
}

const STEP = /\.([^.[]*)|\[([^\]]*)\](?=[.[]|$)/y;

function resolve(name: string, source: FormatSource, state: State, meter: Meter): Value {
  const head = /^[^.[]*/.exec(name)?.[0] ?? "";
  let value = root(head, source, state, meter);
  STEP.lastIndex = head.length;
  for (let at = head.length; at < name.length; at = STEP.lastIndex) {
    const step = STEP.exec(name);
    if (step === null) throw valueError("Only '.' or '[' may follow ']' in format field specifier");
    const [, attribute, item] = step;
    if (attribute === "" || item === "") throw valueError("Empty attribute in format string");
    value =
      attribute === undefined ? itemOf(value, item ?? "", meter) : attributeOf(value, attribute, source);
  }
  return value;
}

function root(head: string, source: FormatSource, state: State, meter: Meter): Value {
  if (head === "") {
    if (state.manual) {
      throw valueError("cannot switch from manual field specification to automatic field numbering");
    }
    state.auto = (state.auto ?? -1) + 1;
    return positional(state.auto, source);
  }
  if (!/^\d+$/.test(head)) {
    const value = source.named(head);
    if (value === undefined) throw new MissingKey(head, meter);
    return value;
  }
  if (state.auto !== undefined) {
    throw valueError("cannot switch from automatic field numbering to manual field specification");
  }
  state.manual = true;
  return positional(Number(head), source);
}

function positional(index: number, source: FormatSource): Value {
  const value = source.args[index];
  if (value === undefined) {
    throw indexError(`Replacement index ${index} out of range for positional args tuple`);
  }
  return value;
}

function attributeOf(value: Value, name: string, source: FormatSource): Value {
  if (value instanceof Undefined) return value.fail();
  const found = source.attribute(value, name);
  if (found === undefined) throw attributeError(`'${typeName(value)}' object has no attribute '${name}'`);
  return found;
}

const isSubscriptable = (value: Value): boolean =>
  isText(value) ||
  Array.isArray(value) ||
  value instanceof PyDict ||
  value instanceof PyTuple ||
  (value instanceof PyObject && value.getitem !== undefined) ||
  value instanceof PyRange;

function itemOf(value: Value, key: string, meter: Meter): Value {
  if (value instanceof Undefined) return value.fail();
  const index = /^\d+$/.test(key) ? Number(key) : key;
  const found = getItem(value, index, meter);
  if (found !== undefined) return found;
  if (!isSubscriptable(value)) throw typeError(`'${typeName(value)}' object is not subscriptable`);
  if (value instanceof PyDict) throw new MissingKey(index, meter);
  if (typeof index === "string") {
    if (Array.isArray(value) || typeof value === "string")
      throw typeError(`${typeName(value)} indices must be integers`);
    throw new MissingKey(index, meter);
  }
  throw indexError(`${typeName(value)} index out of range`);
}
