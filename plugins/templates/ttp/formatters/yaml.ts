/** YAML as PyYAML's `dump(value, default_flow_style=False)` writes it. */
import { textLength } from "../../python/codepoints.ts";
import { sorted } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import { typeError } from "../../python/errors.ts";
import { floatRepr } from "../../python/floats.ts";
import { limitError, type Meter } from "../../python/limits.ts";
import { intText } from "../../python/repr.ts";
import { PyFloat, PyTuple, typeName, type Value } from "../../python/values.ts";
import { analyse, type Sink, writeDouble, writePlain, writeSingle } from "./yaml-scalar.ts";

/** Plain text that YAML would read as something else. */
const RESOLVED =
  /^(?:~|null|Null|NULL|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|=|<<|[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+|[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$/;

const MAX_SIMPLE_KEY = 128;

export function yamlText(value: Value, meter: Meter): string {
  const parts: string[] = [];
  let column = 0;
  let length = 0;
  const write = (text: string): void => {
    length += text.length;
    if (length > meter.limits.stringChars) meter.text(length);
    parts.push(text);
    const at = text.lastIndexOf("\n");
    column = at < 0 ? column + textLength(text) : textLength(text.slice(at + 1));
  };
  const anchors = findAnchors(value, meter);
  const written = new Set<Value>();

  const sinkAt = (indent: number): Sink => ({
    column: () => column,
    write,
    newLine: () => write("\n"),
    indent: () => {
      // After an empty line the column is 0 already; elsewhere the line is broken first.
      if (column > 0 || indent === 0) write(column === 0 ? "" : "\n");
      write(" ".repeat(indent));
    },
  });

  /** The anchor or alias before a list or dictionary; true: an alias stands for it. */
  function reference(one: Value): { text: string; alias: boolean } {
    const name = anchors.get(one);
    if (name === undefined) return { text: "", alias: false };
    if (written.has(one)) return { text: `*${name}`, alias: true };
    written.add(one);
    return { text: `&${name}`, alias: false };
  }

  /** @returns whether it stands without quotes. */
  function scalar(one: Value, indent: number, key: boolean): boolean {
    const sink = sinkAt(indent);
    if (typeof one !== "string") {
      write(plainText(one));
      return true;
    }
    const { multiline, plain, single } = analyse(one);
    const isPlain = !RESOLVED.test(one) && one !== "" && plain && !(key && multiline);
    if (isPlain) writePlain(one, !key, sink);
    else if (single && !(key && multiline)) writeSingle(one, !key, sink);
    else writeDouble(one, !key, sink);
    return isPlain;
  }

  /** @param where an item begins on the line of its mark, the value of a key on the next one. */
  function node(one: Value, indent: number, level: number, where: "root" | "key" | "item"): void {
    if (level > meter.limits.depth)
      throw limitError(`a value nested deeper than ${meter.limits.depth} levels`);
    meter.step();
    const items = Array.isArray(one) ? one : one instanceof PyTuple ? one.items : undefined;
    if (items === undefined && !(one instanceof PyDict)) {
      if (where !== "root") write(" ");
      const plain = scalar(one, indent + 2, false);
      if (where === "root" && plain) write("\n...");
      return;
    }
    const { text, alias } = reference(one);
    const tag = one instanceof PyTuple ? "!!python/tuple" : "";
    const marks = [text, tag].filter((mark) => mark !== "").join(" ");
    if (marks !== "") write(where === "root" ? marks : ` ${marks}`);
    if (alias) return;
    const empty = items === undefined ? (one as PyDict).size === 0 : items.length === 0;
    if (empty) {
      write(`${where === "root" && marks === "" ? "" : " "}${items === undefined ? "{}" : "[]"}`);
      return;
    }
    const fresh = where === "item" && marks === "";
    if (items !== undefined)
      sequence(
        items,
        where === "key" ? indent : where === "root" ? 0 : indent + 2,
        level,
        fresh,
        where === "root" && marks === "",
      );
    else
      mapping(
        one as PyDict,
        where === "root" ? 0 : indent + 2,
        level,
        fresh,
        where === "root" && marks === "",
      );
  }

  function lineStart(indent: number, first: boolean, fresh: boolean, atRoot: boolean): void {
    if (first && fresh) write(" ");
    else if (!(first && atRoot)) write(`\n${" ".repeat(indent)}`);
  }

  function sequence(
    items: readonly Value[],
    indent: number,
    level: number,
    fresh: boolean,
    atRoot: boolean,
  ): void {
    items.forEach((item, i) => {
      lineStart(indent, i === 0, fresh, atRoot);
      write("-");
      node(item, indent, level + 1, "item");
    });
  }

  function mapping(dict: PyDict, indent: number, level: number, fresh: boolean, atRoot: boolean): void {
    sortedEntries(dict, meter).forEach(([key, item], i) => {
      lineStart(indent, i === 0, fresh, atRoot);
      const simple = typeof key !== "string" || isSimpleKey(key);
      if (!simple) {
        write("? ");
        scalar(key, indent + 2, false);
        write(`\n${" ".repeat(indent)}`);
      } else scalar(key, indent, true);
      write(":");
      node(item, indent, level + 1, simple ? "key" : "item");
    });
  }

  node(value, 0, 0, "root");
  write("\n");
  return parts.join("");
}

const isSimpleKey = (key: string): boolean =>
  key !== "" && textLength(key) < MAX_SIMPLE_KEY && !analyse(key).multiline;

function plainText(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number" || typeof value === "bigint") return intText(value);
  if (value instanceof PyFloat) return floatText(value.value);
  throw typeError(`cannot represent an object of type ${typeName(value)} as YAML`);
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const text = floatRepr(value);
  return text.includes(".") || !text.includes("e") ? text : text.replace("e", ".0e");
}

/** PyYAML sorts keys where they have an order. */
function sortedEntries(dict: PyDict, meter: Meter): [Value, Value][] {
  try {
    const keys = sorted(dict.keys(), meter);
    return keys.map((key) => [key, dict.get(key) ?? null]);
  } catch (error) {
    if (error instanceof Error && /not supported between/.test(error.message)) return dict.entries();
    throw error;
  }
}

/** Lists and dictionaries that stand in more than one place, numbered in the order in which they return. */
function findAnchors(value: Value, meter: Meter): Map<Value, string> {
  const seen = new Set<Value>();
  const names = new Map<Value, string>();
  const visit = (one: Value, depth: number): void => {
    const isList = Array.isArray(one) || (one instanceof PyTuple && one.items.length > 0);
    if (!isList && !(one instanceof PyDict)) return;
    if (depth > meter.limits.depth)
      throw limitError(`a value nested deeper than ${meter.limits.depth} levels`);
    meter.step();
    if (seen.has(one)) {
      if (!names.has(one)) names.set(one, `id${String(names.size + 1).padStart(3, "0")}`);
      return;
    }
    seen.add(one);
    if (one instanceof PyDict) for (const [, item] of sortedEntries(one, meter)) visit(item, depth + 1);
    else for (const item of Array.isArray(one) ? one : (one as PyTuple).items) visit(item, depth + 1);
  };
  visit(value, 0);
  return names;
}
