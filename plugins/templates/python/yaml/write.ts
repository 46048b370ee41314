/** Writes YAML with PyYAML's layout. */

import { checkDepth, type Meter, Pieces } from "../limits.ts";
import { textLength } from "../text/codepoints.ts";
import { PyDict, PySet } from "../values/dict.ts";
import { isText, PyTuple, type Value } from "../values/values.ts";
import { looksLikeOther } from "./kinds.ts";
import { type Dumper, judge, type Page, writeDouble, writePlain, writeSingle } from "./text.ts";
import { findAnchors, itemsOf, scalarOf, sortedEntries } from "./values.ts";

export interface YamlStyle {
  /** Spaces per level, 2 to 9; anything else counts as 2. */
  readonly indent?: number;
  /** Longer lines break at the next space; default 80. */
  readonly width?: number;
  readonly sortKeys?: boolean;
  /** Flow style: never, always, or (undefined) only collections of scalars. */
  readonly flow?: boolean | undefined;
  readonly explicitStart?: boolean;
  readonly explicitEnd?: boolean;
  /** Layout; default `CSafeDumper`. `Dumper` also tags tuples and ends a plain-text document with `...`. */
  readonly dumper?: Dumper;
}

/** The position of a value decides how its first line begins. */
type Where = "root" | "sequence" | "mapping" | "key";

const MAX_SIMPLE_KEY = 128;
const TUPLE = "!!python/tuple";
/** PyYAML counts the implicit tag in the length of a simple key. */
const TEXT = "!!str";

export function writeYaml(value: Value, style: YamlStyle, meter: Meter): string {
  const { indent: requestedIndent = 2, width: wide = 80, sortKeys = true, dumper = "CSafeDumper" } = style;
  const step = requestedIndent >= 2 && requestedIndent <= 9 ? requestedIndent : 2;
  const width = wide >= 0 && wide <= step * 2 ? 80 : wide < 0 ? Number.POSITIVE_INFINITY : wide;
  const out = new Pieces(meter);
  let indent = -1;
  let brackets = 0;
  let openEnded = style.explicitEnd === true;
  const anchors = findAnchors(value, sortKeys, meter);
  const written = new Set<Value>();

  const page: Page = {
    column: 0,
    blank: true,
    fresh: true,
    width,
    dumper,
    put(text) {
      out.put(text);
      page.column += text.length === 1 ? 1 : Array.from(text).length;
      page.blank = false;
      page.fresh = false;
    },
    breakLine(char = "\n") {
      page.put(char);
      page.column = 0;
      page.fresh = true;
    },
    startLine() {
      const to = Math.max(indent, 0);
      if (!page.fresh || page.column > to || (page.column === to && !page.blank)) page.breakLine();
      if (page.column < to) page.put(" ".repeat(to - page.column));
      page.blank = true;
      page.fresh = true;
    },
  };
  const mark = (text: string, needsBlank: boolean, countsAsBlank: boolean, keepsFresh: boolean): void => {
    const { fresh } = page;
    if (needsBlank && !page.blank) page.put(" ");
    page.put(text);
    page.blank = countsAsBlank;
    page.fresh = fresh && keepsFresh;
  };
  const indented = (isFlow: boolean, keeps: boolean, body: () => void): void => {
    const before = indent;
    if (indent < 0) indent = isFlow ? step : 0;
    else if (!keeps) indent += step;
    body();
    indent = before;
  };

  /** Writes text; returns whether it is plain. */
  const text = (chars: readonly string[], mayBePlain: boolean, isKey: boolean): boolean => {
    const { multiline, flowPlain, blockPlain, single } = judge(chars, dumper);
    const plain =
      mayBePlain &&
      !(isKey && multiline) &&
      (brackets > 0 ? flowPlain : blockPlain) &&
      !(chars.length === 0 && (brackets > 0 || isKey));
    if (!page.blank) page.put(" ");
    indented(true, false, () => {
      if (plain) writePlain(chars, !isKey, page);
      else if (single && !(isKey && multiline)) writeSingle(chars, !isKey, page);
      else writeDouble(chars, !isKey, page);
    });
    return plain;
  };

  /** A simple key, which needs no `?` indicator. */
  const isSimple = (key: Value): boolean => {
    const text = scalarOf(key);
    if (text === undefined) return itemsOf(key).length === 0;
    if (judge(Array.from(text), dumper).multiline) return false;
    if (dumper === "CSafeDumper") return new TextEncoder().encode(text).length <= MAX_SIMPLE_KEY;
    return text !== "" && textLength(text) + TEXT.length < MAX_SIMPLE_KEY;
  };

  const isFlow = (parts: readonly Value[]): boolean =>
    brackets > 0 || parts.length === 0 || (style.flow ?? parts.every((part) => scalarOf(part) !== undefined));

  /** @param keeps whether to keep the surrounding indentation. */
  const collection = (
    [open, close]: readonly [string, string],
    flow: boolean,
    keeps: boolean,
    writeItems: readonly (() => void)[],
  ): void => {
    if (flow) {
      mark(open, true, true, false);
      brackets++;
    }
    indented(flow, keeps, () => {
      writeItems.forEach((write, i) => {
        if (flow && i > 0) mark(",", false, false, false);
        if (!flow || page.column > width) page.startLine();
        write();
      });
    });
    if (!flow) return;
    brackets--;
    mark(close, false, false, false);
  };

  const sequence = (items: readonly Value[], where: Where, level: number): void => {
    const flow = isFlow(items);
    const writeItems = items.map((item) => () => {
      if (!flow) mark("-", true, false, true);
      node(item, "sequence", level + 1);
    });
    collection(["[", "]"], flow, !flow && where === "mapping" && !page.fresh, writeItems);
  };

  const mapping = (dict: PyDict, level: number): void => {
    const entries = sortedEntries(dict, sortKeys);
    const flow = isFlow(entries.flat());
    const writeItems = entries.map(([key, item]) => () => {
      if (isSimple(key)) {
        node(key, "key", level + 1);
        mark(":", false, false, false);
      } else {
        mark("?", true, false, !flow);
        node(key, "mapping", level + 1);
        if (!flow || page.column > width) page.startLine();
        mark(":", true, false, !flow);
      }
      node(item, "mapping", level + 1);
    });
    collection(["{", "}"], flow, false, writeItems);
  };

  const node = (value: Value, where: Where, level: number): void => {
    checkDepth(level, meter);
    meter.step();
    const scalar = scalarOf(value);
    if (scalar !== undefined) {
      const plain = text(Array.from(scalar), !isText(value) || !looksLikeOther(scalar), where === "key");
      if (plain && where === "root" && dumper === "Dumper") openEnded = true;
      return;
    }
    const name = anchors.get(value);
    if (name !== undefined) {
      const isAlias = written.has(value);
      mark(`${isAlias ? "*" : "&"}${name}`, true, false, false);
      if (isAlias) return;
      written.add(value);
    }
    if (dumper === "Dumper" && value instanceof PyTuple) mark(TUPLE, true, false, false);
    if (value instanceof PySet) {
      mark("!!set", true, false, false);
      mapping(PyDict.from(value.values().map((item): [Value, Value] => [item, null])), level);
    } else if (value instanceof PyDict) mapping(value, level);
    else sequence(itemsOf(value), where, level);
  };

  if (style.explicitStart === true) mark("---", true, false, false);
  node(value, "root", 0);
  page.fresh = false;
  page.startLine();
  if (openEnded) {
    mark("...", true, false, false);
    page.startLine();
  }
  return out.text();
}
