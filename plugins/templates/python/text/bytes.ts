/** Python's bytes, as returned by `str.encode` and `int.to_bytes`. */

import { overflowError, typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { type Bound, bound, methods } from "../values/args.ts";
import { itemsOf } from "../values/iterate.ts";
import { indexOf, PySlice, pick } from "../values/slice.ts";
import { isText, type Operator, PyObject, textOf, typeName, type Value } from "../values/values.ts";
import { stripChars } from "./blanks.ts";
import { escapedChar } from "./codepoints.ts";
import { decode, encode } from "./encodings.ts";

export class PyBytes extends PyObject {
  override readonly typeName = "bytes";
  /** @param data one character below 256 for each byte */
  constructor(readonly data: string) {
    super();
  }
  override repr(): string {
    const quote = this.data.includes("'") && !this.data.includes('"') ? '"' : "'";
    const body = this.data.replace(/[\\'\t\n\r]|[^\x20-\x7e]/g, (char) => {
      if (char === "\\" || char === quote) return `\\${char}`;
      const short = SHORT[char];
      if (short !== undefined) return short;
      return char === "'" ? char : escapedChar(char);
    });
    return `b${quote}${body}${quote}`;
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
    const code = indexOf(item);
    if (code === undefined) return this.data.includes(dataOf(item));
    if (code < 0 || code > 255) throw valueError("byte must be in range(0, 256)");
    return this.data.includes(String.fromCharCode(code));
  }
  override getitem(key: Value): Value | undefined {
    if (key instanceof PySlice) return new PyBytes(pick(Array.from(this.data), key).join(""));
    const index = indexOf(key);
    if (index === undefined) throw typeError(`byte indices must be integers or slices, not ${typeName(key)}`);
    return this.data.at(index)?.charCodeAt(0);
  }
  override binary(op: Operator, other: Value, reflected: boolean, meter: Meter): Value | undefined {
    if (op === "+" && other instanceof PyBytes) {
      meter.text(this.data.length + other.data.length);
      return new PyBytes(reflected ? other.data + this.data : this.data + other.data);
    }
    const count = op === "*" ? indexOf(other) : undefined;
    if (count === undefined) return undefined;
    const times = Math.max(0, count);
    meter.text(times * this.data.length);
    return new PyBytes(this.data.repeat(times));
  }
  override getattr(name: string): Value | undefined {
    return bound(METHODS, this, name, `${name} of bytes`);
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

/** `text.encode(encoding, errors)`. */
export function encoded(text: string, [encoding, errors]: Bound, meter: Meter): PyBytes {
  meter.text(text.length * 2);
  return new PyBytes(encode(text, codec(encoding, "utf-8"), codec(errors, "strict")));
}

/** `number.to_bytes(length, byteorder, signed=...)`. */
export function intBytes(value: number | bigint, args: Bound, meter: Meter): PyBytes {
  const [length = 1, order = "big", signed = false] = args;
  const size = indexOf(length);
  if (size === undefined) throw typeError(`'${typeName(length)}' object cannot be interpreted as an integer`);
  if (size < 0) throw valueError("length argument must be non-negative");
  if (order !== "big" && order !== "little") throw valueError("byteorder must be either 'little' or 'big'");
  meter.text(size);
  const number = BigInt(value);
  const bits = BigInt(size * 8);
  if (number < 0n && signed !== true) throw overflowError("can't convert negative int to unsigned");
  const limit = signed === true ? (bits === 0n ? 0n : 1n << (bits - 1n)) : 1n << bits;
  if (number >= limit || number < -limit) throw overflowError("int too big to convert");
  const hex =
    size === 0
      ? ""
      : BigInt.asUintN(size * 8, number)
          .toString(16)
          .padStart(size * 2, "0");
  const bytes = Buffer.from(hex, "hex");
  return new PyBytes((order === "little" ? bytes.reverse() : bytes).toString("latin1"));
}

function hexText({ data }: PyBytes, [separator, group = 1]: Bound): string {
  const pairs = Array.from(data, (char) => char.charCodeAt(0).toString(16).padStart(2, "0"));
  if (separator === undefined) return pairs.join("");
  const mark = isText(separator) ? textOf(separator) : dataOf(separator);
  const size = indexOf(group) ?? 1;
  if (size === 0) return pairs.join("");
  const parts: string[] = [];
  // A positive group size counts from the right.
  const first = size > 0 ? pairs.length % size || size : -size;
  for (let at = 0, end = first; at < pairs.length; at = end, end += Math.abs(size))
    parts.push(pairs.slice(at, end).join(""));
  return parts.join(mark);
}

const stripped =
  (start: boolean, end: boolean) =>
  ({ data }: PyBytes, [chars = null]: Bound): PyBytes =>
    new PyBytes(stripChars(data, chars === null ? " \t\n\r\v\f" : dataOf(chars), start, end));

const METHODS = methods<PyBytes>({
  "decode(encoding?, errors?)": ({ data }, [encoding, errors]) =>
    decode(data, codec(encoding, "utf-8"), codec(errors, "strict")),
  "hex(sep?, bytes_per_sep?)": hexText,
  "upper()": ({ data }) => new PyBytes(data.replace(/[a-z]+/g, (text) => text.toUpperCase())),
  "lower()": ({ data }) => new PyBytes(data.replace(/[A-Z]+/g, (text) => text.toLowerCase())),
  "strip(data?, /)": stripped(true, true),
  "lstrip(data?, /)": stripped(true, false),
  "rstrip(data?, /)": stripped(false, true),
  "startswith(data, /)": ({ data }, [other]) => data.startsWith(dataOf(other)),
  "endswith(data, /)": ({ data }, [other]) => data.endsWith(dataOf(other)),
  "find(data, /)": ({ data }, [other]) => data.indexOf(dataOf(other)),
  "count(data, /)": ({ data }, [other]) =>
    dataOf(other) === "" ? data.length + 1 : data.split(dataOf(other)).length - 1,
  "split(data?, /)": ({ data }, [mark]) => {
    if (mark === "") throw valueError("empty separator");
    const blank = mark === undefined || mark === null;
    const parts = blank
      ? data.split(/[ \t\n\r\v\f]+/).filter((part) => part !== "")
      : data.split(dataOf(mark));
    return parts.map((part) => new PyBytes(part));
  },
  "join(iterable, /)": ({ data }, [iterable = null], meter) => {
    const parts = itemsOf(iterable, meter).map((item, at) => {
      if (item instanceof PyBytes) return item.data;
      throw typeError(`sequence item ${at}: expected a bytes-like object, ${typeName(item)} found`);
    });
    meter.text(parts.reduce((total, part) => total + part.length + data.length, 0));
    return new PyBytes(parts.join(data));
  },
  "replace(old, new, /)": ({ data }, [old, by], meter) => {
    const times = data.split(dataOf(old)).length;
    meter.text(data.length + times * dataOf(by).length);
    return new PyBytes(data.replaceAll(dataOf(old), () => dataOf(by)));
  },
});

export const bytesMethodNames: readonly string[] = [...METHODS.keys()];
