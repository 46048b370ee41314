/** Python's bytes: what `str.encode` and `int.to_bytes` give. */
import { signature } from "./args.ts";
import { decode, encode } from "./encodings.ts";
import { overflowError, typeError, valueError } from "./errors.ts";
import type { Meter } from "./limits.ts";
import { indexOf, PySlice, sliceBounds } from "./slice.ts";
import {
  isInt,
  isText,
  type Kwargs,
  type Operator,
  PyFunction,
  PyObject,
  textOf,
  typeName,
  type Value,
} from "./values.ts";

type BytesMethod = (self: PyBytes, args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter) => Value;

export class PyBytes extends PyObject {
  override readonly typeName = "bytes";
  /** @param data a character below 256 for each byte */
  constructor(readonly data: string) {
    super();
  }
  override repr(): string {
    const quote = this.data.includes("'") && !this.data.includes('"') ? '"' : "'";
    const body = this.data.replace(/[\\'\t\n\r]|[^\x20-\x7e]/g, (char) => {
      if (char === "\\" || char === quote) return `\\${char}`;
      const short = SHORT[char];
      if (short !== undefined) return short;
      return char === "'" ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
    });
    return `b${quote}${body}${quote}`;
  }
  override truth(): boolean {
    return this.data !== "";
  }
  override equals(other: Value): boolean {
    return other instanceof PyBytes && other.data === this.data;
  }
  override hash(): string {
    return `bytes:${this.data}`;
  }
  override compare(other: Value): number | undefined {
    if (!(other instanceof PyBytes)) return undefined;
    return this.data < other.data ? -1 : this.data > other.data ? 1 : 0;
  }
  override length(): number {
    return this.data.length;
  }
  override iterate(): Iterator<Value> {
    return Array.from(this.data, (char) => char.charCodeAt(0))[Symbol.iterator]();
  }
  override contains(item: Value): boolean {
    return this.data.includes(isInt(item) ? String.fromCharCode(Number(item)) : dataOf(item));
  }
  override getitem(key: Value): Value | undefined {
    if (key instanceof PySlice) {
      const { start, stop, step } = sliceBounds(key, this.data.length);
      let picked = "";
      for (let i = start; step > 0 ? i < stop : i > stop; i += step) picked += this.data[i] ?? "";
      return new PyBytes(picked);
    }
    const index = indexOf(key);
    if (index === undefined) throw typeError(`byte indices must be integers or slices, not ${typeName(key)}`);
    const at = index < 0 ? this.data.length + index : index;
    return at >= 0 && at < this.data.length ? this.data.charCodeAt(at) : undefined;
  }
  override binary(op: Operator, other: Value, reflected: boolean, meter: Meter): Value | undefined {
    if (op === "+" && other instanceof PyBytes) {
      meter.text(this.data.length + other.data.length);
      return new PyBytes(reflected ? other.data + this.data : this.data + other.data);
    }
    if (op !== "*" || !isInt(other)) return undefined;
    const times = Math.max(0, Number(other));
    meter.text(times * this.data.length);
    return new PyBytes(this.data.repeat(times));
  }
  override getattr(name: string): Value | undefined {
    const body = METHODS.get(name);
    if (body === undefined) return undefined;
    return new PyFunction(`${name} of bytes`, (args, kwargs, meter) => body(this, args, kwargs, meter));
  }
}

const SHORT: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function dataOf(value: Value | undefined): string {
  if (value instanceof PyBytes) return value.data;
  throw typeError(`a bytes-like object is required, not '${typeName(value ?? null)}'`);
}

function codec(value: Value | undefined, absent: string): string {
  if (value === undefined) return absent;
  if (isText(value)) return textOf(value);
  throw typeError(`an encoding is str, not ${typeName(value)}`);
}

const bindCodec = signature("encode", ["encoding?", "errors?"]);
const bindHex = signature("hex", ["sep?", "bytes_per_sep?"]);
const bindOne = signature("bytes", ["data"], false);
const bindTwo = signature("replace", ["old", "new"], false);
const bindSome = signature("bytes", ["data?"], false);
const bindInt = signature("to_bytes", ["length?", "byteorder?", "signed?"]);

/** `text.encode(encoding, errors)`. */
export function encoded(
  text: string,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  meter: Meter,
): Value {
  const [encoding, errors] = bindCodec(args, kwargs);
  meter.text(text.length * 2);
  return new PyBytes(encode(text, codec(encoding, "utf-8"), codec(errors, "strict")));
}

/** `number.to_bytes(length, byteorder, signed=...)`. */
export function intBytes(
  value: number | bigint,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  meter: Meter,
): Value {
  const [length = 1, order = "big", signed = false] = bindInt(args, kwargs);
  const size = indexOf(length);
  if (size === undefined) throw typeError(`'${typeName(length)}' object cannot be interpreted as an integer`);
  if (size < 0) throw valueError("length argument must be non-negative");
  if (order !== "big" && order !== "little") throw valueError("byteorder must be either 'little' or 'big'");
  meter.text(size);
  const number = BigInt(value);
  const bits = BigInt(size * 8);
  if (number < 0n && signed !== true) throw overflowError("can't convert negative int to unsigned");
  const most = signed === true ? (bits === 0n ? 0n : 1n << (bits - 1n)) : 1n << bits;
  if (number >= most || number < -most) throw overflowError("int too big to convert");
  const hex =
    size === 0
      ? ""
      : BigInt.asUintN(size * 8, number)
          .toString(16)
          .padStart(size * 2, "0");
  const bytes = Buffer.from(hex, "hex");
  return new PyBytes((order === "little" ? bytes.reverse() : bytes).toString("latin1"));
}

function hexText({ data }: PyBytes, args: readonly Value[], kwargs: Kwargs | undefined): string {
  const [separator, group = 1] = bindHex(args, kwargs);
  const pairs = Array.from(data, (char) => char.charCodeAt(0).toString(16).padStart(2, "0"));
  if (separator === undefined) return pairs.join("");
  const mark = isText(separator) ? textOf(separator) : dataOf(separator);
  const size = indexOf(group) ?? 1;
  if (size === 0) return pairs.join("");
  const parts: string[] = [];
  // A positive number counts from the right.
  const first = size > 0 ? pairs.length % size || size : -size;
  for (let at = 0, end = first; at < pairs.length; at = end, end += Math.abs(size))
    parts.push(pairs.slice(at, end).join(""));
  return parts.join(mark);
}

function stripped(start: boolean, end: boolean): BytesMethod {
  return ({ data }, args, kwargs) => {
    const [chars] = bindSome(args, kwargs);
    const set = new Set(chars === undefined || chars === null ? " \t\n\r\v\f" : dataOf(chars));
    let from = 0;
    let to = data.length;
    if (start) while (from < to && set.has(data[from] ?? "")) from++;
    if (end) while (to > from && set.has(data[to - 1] ?? "")) to--;
    return new PyBytes(data.slice(from, to));
  };
}

const ascii = (change: (text: string) => string): BytesMethod => {
  return ({ data }) => new PyBytes(data.replace(/[A-Za-z]+/g, change));
};
const asked = (answer: (data: string, other: string) => Value): BytesMethod => {
  return ({ data }, args, kwargs) => answer(data, dataOf(bindOne(args, kwargs)[0]));
};

const METHODS: ReadonlyMap<string, BytesMethod> = new Map<string, BytesMethod>([
  [
    "decode",
    ({ data }, args, kwargs) => {
      const [encoding, errors] = bindCodec(args, kwargs);
      return decode(data, codec(encoding, "utf-8"), codec(errors, "strict"));
    },
  ],
  ["hex", hexText],
  ["upper", ascii((text) => text.toUpperCase())],
  ["lower", ascii((text) => text.toLowerCase())],
  ["strip", stripped(true, true)],
  ["lstrip", stripped(true, false)],
  ["rstrip", stripped(false, true)],
  ["startswith", asked((data, other) => data.startsWith(other))],
  ["endswith", asked((data, other) => data.endsWith(other))],
  ["find", asked((data, other) => data.indexOf(other))],
  ["count", asked((data, other) => (other === "" ? data.length + 1 : data.split(other).length - 1))],
  [
    "split",
    ({ data }, args, kwargs) => {
      const [mark] = bindSome(args, kwargs);
      if (mark === "") throw valueError("empty separator");
      const blank = mark === undefined || mark === null;
      const parts = blank
        ? data.split(/[ \t\n\r\v\f]+/).filter((part) => part !== "")
        : data.split(dataOf(mark));
      return parts.map((part) => new PyBytes(part));
    },
  ],
  [
    "replace",
    ({ data }, args, kwargs, meter) => {
      const [old, by] = bindTwo(args, kwargs);
      const times = data.split(dataOf(old)).length;
      meter.text(data.length + times * dataOf(by).length);
      return new PyBytes(data.replaceAll(dataOf(old), () => dataOf(by)));
    },
  ],
]);

export const bytesMethodNames: readonly string[] = [...METHODS.keys()];
