/** YAML as PyYAML's `dump(value, default_flow_style=False)` writes it. */
import { textLength } from "../../python/codepoints.ts";
import { PyDict } from "../../python/dict.ts";
import { typeError } from "../../python/errors.ts";
import { limitError, type Meter } from "../../python/limits.ts";
import { PyTuple, typeName, type Value } from "../../python/values.ts";
import { looksLikeOther } from "../../python/yaml-kinds.ts";
import { findAnchors, scalarOf, sortedEntries } from "../../python/yaml-values.ts";
import { analyse, type Sink, writeDouble, writePlain, writeSingle } from "./yaml-scalar.ts";

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
  const anchors = findAnchors(value, true, meter);
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
      const text = scalarOf(one);
      if (text === undefined) throw typeError(`cannot represent an object of type ${typeName(one)} as YAML`);
      write(text);
      return true;
    }
    const { multiline, plain, single } = analyse(one);
    const isPlain = !looksLikeOther(one) && plain && !(key && multiline);
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
    sortedEntries(dict, true).forEach(([key, item], i) => {
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
