/** Python's `collections.namedtuple`: tuples whose items have names. */

import {
  itemsOf,
  type Kwargs,
  type Meter,
  PyDict,
  PyFunction,
  PyTuple,
  repr,
  textRepr,
  truth,
  typeError,
  type Value,
  valueError,
} from "../../python/index.ts";
import { PyType } from "./types.ts";

interface Shape {
  readonly name: string;
  readonly fields: readonly string[];
}

export class NamedTuple extends PyTuple {
  override get typeName(): string {
    return this.shape.name;
  }
  override get isPlain(): boolean {
    return false;
  }
  constructor(
    private readonly shape: Shape,
    items: readonly Value[],
  ) {
    super(items);
  }
  override repr(meter: Meter): string {
    const { name, fields } = this.shape;
    return `${name}(${fields.map((field, at) => `${field}=${repr(this.items[at] ?? null, meter)}`).join(", ")})`;
  }
  isOf(shape: Shape): boolean {
    return this.shape === shape;
  }
  private asDict(): PyDict {
    return PyDict.from(this.shape.fields.map((field, at): [Value, Value] => [field, this.items[at] ?? null]));
  }
  private replaced(kwargs: Kwargs | undefined, meter: Meter): Value {
    const { fields } = this.shape;
    const unknown = [...(kwargs?.keys() ?? [])].filter((name) => !fields.includes(name));
    if (unknown.length > 0) throw valueError(`Got unexpected field names: ${repr(unknown, meter)}`);
    return new NamedTuple(
      this.shape,
      fields.map((field, at) => kwargs?.get(field) ?? this.items[at] ?? null),
    );
  }
  override getattr(name: string): Value | undefined {
    const at = this.shape.fields.indexOf(name);
    if (at >= 0) return this.items[at];
    if (name === "_fields") return new PyTuple(this.shape.fields);
    if (name === "_asdict") return new PyFunction(name, () => this.asDict());
    if (name !== "_replace") return undefined;
    return new PyFunction(name, (args, kwargs, meter) => {
      if (args.length > 0) throw typeError(`${this.shape.name}._replace() takes 1 positional argument`);
      return this.replaced(kwargs, meter);
    });
  }
}

const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const keywords = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

/** `namedtuple(typename, field_names, *, rename=False, defaults=None, module=None)` */
export function makeNamedTuple(args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter): Value {
  const name = args[0] ?? kwargs?.get("typename");
  const given = args[1] ?? kwargs?.get("field_names");
  if (args.length > 2)
    throw typeError(`namedtuple() takes 2 positional arguments but ${args.length} were given`);
  if (name === undefined || given === undefined)
    throw typeError(
      `namedtuple() missing required argument: '${name === undefined ? "typename" : "field_names"}'`,
    );
  kwargs?.get("module");
  const listed =
    typeof given === "string"
      ? given
          .replaceAll(",", " ")
          .split(/\s+/)
          .filter((field) => field !== "")
      : itemsOf(given, meter).map(String);
  const renames = truth(kwargs?.get("rename") ?? false);
  const fields = checkedFields(String(name), renames ? renamed(listed) : listed, renames);
  const defaulted = kwargs?.get("defaults") ?? null;
  const defaults = defaulted === null ? [] : itemsOf(defaulted, meter).slice();
  if (defaults.length > fields.length) throw typeError("Got more default values than field names");
  return typeOfShape({ name: String(name), fields }, defaults);
}

function renamed(fields: readonly string[]): string[] {
  const seen = new Set<string>();
  return fields.map((field, at) => {
    const bad = !identifier.test(field) || keywords.has(field) || field.startsWith("_") || seen.has(field);
    seen.add(field);
    return bad ? `_${at}` : field;
  });
}

function checkedFields(name: string, fields: readonly string[], renames: boolean): readonly string[] {
  for (const one of [name, ...fields]) {
    if (!identifier.test(one))
      throw valueError(`Type names and field names must be valid identifiers: ${textRepr(one)}`);
    if (keywords.has(one))
      throw valueError(`Type names and field names cannot be a keyword: ${textRepr(one)}`);
  }
  const seen = new Set<string>();
  for (const field of fields) {
    if (field.startsWith("_") && !renames)
      throw valueError(`Field names cannot start with an underscore: ${textRepr(field)}`);
    if (seen.has(field)) throw valueError(`Encountered duplicate field name: ${textRepr(field)}`);
    seen.add(field);
  }
  return fields;
}

function typeOfShape(shape: Shape, defaults: readonly Value[]): PyType {
  const { name, fields } = shape;
  const firstDefault = fields.length - defaults.length;
  const statics: Record<string, Value> = {
    _fields: new PyTuple(fields),
    _field_defaults: PyDict.from(
      defaults.map((value, at): [Value, Value] => [fields[firstDefault + at] ?? "", value]),
    ),
    _make: new PyFunction("_make", ([items = []], _kwargs, meter) => {
      const all = itemsOf(items, meter);
      if (all.length !== fields.length)
        throw typeError(`Expected ${fields.length} arguments, got ${all.length}`);
      return new NamedTuple(shape, all.slice());
    }),
  };
  const make = (args: readonly Value[], kwargs: Kwargs | undefined): Value => {
    const called = `${name}.__new__()`;
    if (args.length > fields.length)
      throw typeError(
        `${called} takes ${fields.length + 1} positional arguments but ${args.length + 1} were given`,
      );
    for (const key of kwargs?.keys() ?? []) {
      const at = fields.indexOf(key);
      if (at < 0) throw typeError(`${called} got an unexpected keyword argument '${key}'`);
      if (at < args.length) throw typeError(`${called} got multiple values for argument '${key}'`);
    }
    const items = fields.map((field, at) => args[at] ?? kwargs?.get(field) ?? defaults[at - firstDefault]);
    const absent = fields.filter((_, at) => items[at] === undefined);
    if (absent.length > 0) throw typeError(`${called} missing required argument: '${absent[0]}'`);
    return new NamedTuple(
      shape,
      items.map((item) => item ?? null),
    );
  };
  return new PyType(name, (value) => value instanceof NamedTuple && value.isOf(shape), make, statics);
}
