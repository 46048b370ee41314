/** Built-in functions for macros. */

import {
  add,
  arithmetic,
  asciiRepr,
  attribute,
  type Callable,
  callValue,
  characterOf,
  compare,
  each,
  extreme,
  formatValue,
  isCallable,
  isInt,
  isIterable,
  itemsOf,
  iterate,
  type Kwargs,
  lengthOf,
  type Meter,
  negate,
  PyDelta,
  PyError,
  PyFloat,
  PyFunction,
  PyIterator,
  PySet,
  PyTuple,
  positive,
  repr,
  roundTo,
  sorted,
  str,
  toInt,
  toInteger,
  truth,
  typeError,
  typeName,
  type Value,
  valueError,
  zipped,
} from "../../python/index.ts";
import { checked } from "./arguments.ts";
import { EXCEPTION_NAMES, ExceptionType } from "./exceptions.ts";
import { asCount } from "./operators.ts";
import { builtinType, isInstance, typeOf } from "./types.ts";

const need = (value: Value | undefined, name: string): Value => {
  if (value === undefined) throw typeError(`${name}() missing a required argument`);
  return value;
};

/** The `key` argument of sorted, min and max. */
function keyOf(kwargs: Kwargs | undefined, meter: Meter): ((item: Value) => Value) | undefined {
  const key = kwargs?.get("key") ?? null;
  return key === null ? undefined : (item) => callValue(key, [item], undefined, meter);
}

const outermost =
  (name: string, sign: "<" | ">"): Callable =>
  (args, kwargs, meter) => {
    if (args.length === 0) throw typeError(`${name} expected at least 1 argument, got 0`);
    const items = args.length === 1 ? itemsOf(need(args[0], name), meter) : args;
    const found = extreme(sign, items, meter, keyOf(kwargs, meter));
    if (found !== undefined) return found;
    const fallback = kwargs?.get("default");
    if (fallback === undefined) throw valueError(`${name}() arg is an empty sequence`);
    return fallback;
  };

function* mapped(args: readonly Value[], meter: Meter): Generator<Value> {
  const [callee, ...sources] = args;
  for (const { items } of zipped(iterators(sources, meter), meter))
    yield callValue(need(callee, "map"), items, undefined, meter);
}

const iterators = (sources: readonly Value[], meter: Meter): Iterator<Value>[] =>
  sources.map((source) => iterate(source, meter));

/** `zip(…, strict=True)`. */
function* sameLength(sources: readonly Value[], meter: Meter): Generator<Value> {
  const lists = sources.map((source) => itemsOf(source, meter).slice());
  const length = lists[0]?.length ?? 0;
  const other = lists.findIndex((list) => list.length !== length);
  if (other > 0) {
    const word = (lists[other]?.length ?? 0) < length ? "shorter" : "longer";
    throw valueError(`zip() argument ${other + 1} is ${word} than argument 1`);
  }
  for (let at = 0; at < length; at++) yield new PyTuple(lists.map((list) => list[at] ?? null));
}

function* filtered(test: Value, source: Value, meter: Meter): Generator<Value> {
  for (const item of each(source, meter))
    if (truth(test === null ? item : callValue(test, [item], undefined, meter))) yield item;
}

function* numbered(source: Value, start: number, meter: Meter): Generator<Value> {
  let count = start;
  for (const item of each(source, meter)) yield new PyTuple([count++, item]);
}

function some(source: Value, wanted: boolean, meter: Meter): boolean {
  for (const item of each(source, meter)) if (truth(item) === wanted) return true;
  return false;
}

function inBase(value: Value, base: number, mark: string, name: string): string {
  const number = typeof value === "boolean" ? Number(value) : value;
  if (!isInt(number))
    throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer (${name})`);
  return number < 0 ? `-${mark}${(-BigInt(number)).toString(base)}` : mark + number.toString(base);
}

function absolute(value: Value): Value {
  if (value instanceof PyFloat) return new PyFloat(Math.abs(value.value));
  if (value instanceof PyDelta) return new PyDelta(Math.abs(value.seconds));
  if (!isInt(value) && typeof value !== "boolean")
    throw typeError(`bad operand type for abs(): '${typeName(value)}'`);
  return compare("<", value, 0) ? negate(value) : positive(value);
}

function wholeOf(value: Value): bigint {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (isInt(value)) return BigInt(value);
  throw typeError("pow() 3rd argument not allowed unless all arguments are integers");
}

/** The result has the sign of the modulus. */
function powerModulo(base: bigint, exponent: bigint, modulus: bigint, meter: Meter): Value {
  if (modulus === 0n) throw valueError("pow() 3rd argument cannot be 0");
  const size = modulus < 0n ? -modulus : modulus;
  const within = (value: bigint) => ((value % size) + size) % size;
  let factor = exponent < 0n ? inverse(within(base), size) : within(base);
  let result = within(1n);
  for (let left = exponent < 0n ? -exponent : exponent; left > 0n; left >>= 1n) {
    meter.step();
    if ((left & 1n) === 1n) result = within(result * factor);
    factor = within(factor * factor);
  }
  return toInt(modulus < 0n && result > 0n ? result + modulus : result);
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value, modulus, 1n, 0n];
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  if (a !== 1n) throw valueError("base is not invertible for the given modulus");
  return ((x % modulus) + modulus) % modulus;
}

/** Without digits, a float becomes an int. */
function rounded(value: Value, digits: Value): Value {
  const result = roundTo(value, digits === null ? 0 : asCount(digits, "round"));
  if (digits !== null || !(result instanceof PyFloat)) return result;
  return toInteger(result);
}

function nextOf(args: readonly Value[]): Value {
  const [source, fallback] = args;
  if (!(source instanceof PyIterator))
    throw typeError(`'${typeName(source ?? null)}' object is not an iterator`);
  const value = source.next();
  if (value !== undefined) return value;
  if (fallback === undefined) throw new PyError("StopIteration", "");
  return fallback;
}

/** As Python names them; the others take any number of arguments. */
const parameters: Readonly<Record<string, string>> = {
  ...{ abs: "x, /", all: "iterable, /", any: "iterable, /", ascii: "obj, /", bin: "number, /" },
  ...{ callable: "obj, /", chr: "i, /", divmod: "x, y, /", enumerate: "iterable, start" },
  ...{
    filter: "function, iterable, /",
    format: "value, format_spec, /",
    getattr: "object, name, default, /",
  },
  ...{ hasattr: "obj, name, /", hex: "number, /", isinstance: "obj, class_or_tuple, /", iter: "object, /" },
  ...{ len: "obj, /", next: "iterator, default, /", oct: "number, /", ord: "c, /", pow: "base, exp, mod" },
  ...{
    repr: "obj, /",
    reversed: "sequence, /",
    round: "number, ndigits",
    sum: "iterable, start",
    type: "object, /",
  },
};

/** @param print output of `print(...)`. */
export function createBuiltins(print: (text: string) => void): (name: string) => Value | undefined {
  const bodies: Readonly<Record<string, Callable>> = {
    abs: ([value = null]) => absolute(value),
    all: ([source = []], _kwargs, meter) => !some(source, false, meter),
    any: ([source = []], _kwargs, meter) => some(source, true, meter),
    ascii: ([value = null], _kwargs, meter) => asciiRepr(repr(value, meter)),
    bin: ([value = null]) => inBase(value, 2, "0b", "bin"),
    callable: ([value = null]) => isCallable(value),
    chr: ([value = null]) => characterOf(asCount(value, "chr"), "chr() arg not"),
    divmod: ([a = null, b = null], _kwargs, meter) =>
      new PyTuple([arithmetic["//"](a, b, meter), arithmetic["%"](a, b, meter)]),
    enumerate: ([source, start], kwargs, meter) =>
      new PyIterator(
        numbered(need(source, "enumerate"), asCount(start ?? kwargs?.get("start") ?? 0, "start"), meter),
        "enumerate",
      ),
    filter: ([test = null, source = []], _kwargs, meter) =>
      new PyIterator(filtered(test, source, meter), "filter"),
    format: ([value = null, spec = ""], _kwargs, meter) => formatValue(value, str(spec, meter), meter),
    getattr: ([value = null, name = "", fallback], _kwargs, meter) => {
      const found = attribute(value, str(name, meter), meter);
      if (found !== undefined) return found;
      if (fallback === undefined)
        throw new PyError(
          "AttributeError",
          `'${typeName(value)}' object has no attribute '${str(name, meter)}'`,
        );
      return fallback;
    },
    hasattr: ([value = null, name = ""], _kwargs, meter) =>
      attribute(value, str(name, meter), meter) !== undefined,
    hex: ([value = null]) => inBase(value, 16, "0x", "hex"),
    isinstance: ([value = null, types = null]) => isInstance(value, types),
    iter: ([source = []], _kwargs, meter) =>
      source instanceof PyIterator ? source : new PyIterator(iterate(source, meter), "iterator"),
    len: ([value]) => lengthOf(need(value, "len")),
    map: (args, _kwargs, meter) => new PyIterator(mapped(args, meter), "map"),
    max: outermost("max", ">"),
    min: outermost("min", "<"),
    next: (args) => nextOf(args),
    oct: ([value = null]) => inBase(value, 8, "0o", "oct"),
    ord: ([value = ""]) => {
      if (typeof value !== "string" || lengthOf(value) !== 1) throw typeError("ord() expected a character");
      return value.codePointAt(0) ?? 0;
    },
    pow: ([a = null, b = null, c = null], kwargs, meter) => {
      const modulus = kwargs?.get("mod") ?? c;
      if (modulus === null) return arithmetic["**"](a, b, meter);
      return powerModulo(wholeOf(a), wholeOf(b), wholeOf(modulus), meter);
    },
    print: (args, kwargs, meter) => {
      const separator = kwargs?.get("sep") ?? " ";
      const end = kwargs?.get("end") ?? "\n";
      // A message is a line by itself.
      const after = end === "\n" ? "" : str(end, meter);
      print(args.map((arg) => str(arg, meter)).join(str(separator, meter)) + after);
      kwargs?.get("flush");
      return null;
    },
    repr: ([value = null], _kwargs, meter) => repr(value, meter),
    reversed([source = []], _kwargs, meter) {
      if (!isIterable(source) || source instanceof PySet || source instanceof PyIterator)
        throw typeError(`'${typeName(source)}' object is not reversible`);
      return new PyIterator(itemsOf(source, meter).slice().reverse()[Symbol.iterator](), "reversed");
    },
    round: ([value = null, digits], kwargs) => rounded(value, digits ?? kwargs?.get("ndigits") ?? null),
    sorted: (args, kwargs, meter) => {
      if (args.length > 1) throw typeError(`sorted expected 1 argument, got ${args.length}`);
      const [source] = args;
      const key = keyOf(kwargs, meter);
      const reverse = truth(kwargs?.get("reverse") ?? false);
      return sorted(
        itemsOf(need(source, "sorted"), meter),
        meter,
        key === undefined ? { reverse } : { key, reverse },
      );
    },
    sum: ([source = [], start], kwargs, meter) => {
      let total: Value = start ?? kwargs?.get("start") ?? 0;
      if (typeof total === "string") throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
      for (const item of itemsOf(source, meter)) total = add(total, item, meter);
      return total;
    },
    type: ([value = null]) => typeOf(value),
    zip: (args, kwargs, meter) => {
      if (truth(kwargs?.get("strict") ?? false)) return new PyIterator(sameLength(args, meter), "zip");
      return new PyIterator(zipped(iterators(args, meter), meter), "zip");
    },
  };
  const functions = new Map<string, Value>(
    Object.entries(bodies).map(([name, body]) => [
      name,
      new PyFunction(name, checked(name, body, parameters[name]), "builtin_function_or_method"),
    ]),
  );
  for (const name of EXCEPTION_NAMES) functions.set(name, new ExceptionType(name));
  return (name) => functions.get(name) ?? builtinType(name);
}
