/** Writes values as YAML, laid out as PyYAML does it with the C library behind it. */
import { PyDict } from "./dict.ts";
import { limitError, type Meter } from "./limits.ts";
import { isText, type Value } from "./values.ts";
import { looksLikeOther } from "./yaml-kinds.ts";
import { judge, type Page, writeDouble, writePlain, writeSingle } from "./yaml-text.ts";
import { findAnchors, itemsOf, scalarOf, sortedEntries } from "./yaml-values.ts";

export interface YamlStyle {
  /** Blanks of one level, 2 to 9; anything else counts as 2. */
  readonly indent?: number;
  /** A line that is longer breaks at its next blank; default 80. */
  readonly width?: number;
  readonly sortKeys?: boolean;
  /** Between brackets: never, always, or (undefined) only collections of nothing but scalars. */
  readonly flow?: boolean | undefined;
  readonly explicitStart?: boolean;
  readonly explicitEnd?: boolean;
}

/** Where a value stands decides how its first line begins. */
type Where = "root" | "sequence" | "mapping" | "key";

const MAX_SIMPLE_KEY = 128;

export function writeYaml(value: Value, style: YamlStyle, meter: Meter): string {
  const { indent: wanted = 2, width: wide = 80, sortKeys = true, flow: flowStyle } = style;
  const step = wanted >= 2 && wanted <= 9 ? wanted : 2;
  const width = wide >= 0 && wide <= step * 2 ? 80 : wide < 0 ? Number.POSITIVE_INFINITY : wide;
  const parts: string[] = [];
  let length = 0;
  let indent = -1;
  let brackets = 0;
  const anchors = findAnchors(value, sortKeys, meter);
  const written = new Set<Value>();

  const page: Page = {
    column: 0,
    blank: true,
    fresh: true,
    width,
    put(text) {
      length += text.length;
      if (length > meter.limits.stringChars) meter.text(length);
      parts.push(text);
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

  const text = (chars: readonly string[], mayBePlain: boolean, isKey: boolean): void => {
    const { multiline, flowPlain, blockPlain, single } = judge(chars);
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
  };

  const sequence = (items: readonly Value[], where: Where, level: number): void => {
    if (brackets > 0 || items.length === 0 || isFlow(items)) {
      mark("[", true, true, false);
      brackets++;
      indented(true, false, () => {
        items.forEach((item, i) => {
          if (i > 0) mark(",", false, false, false);
          if (page.column > width) page.startLine();
          node(item, "sequence", level + 1);
        });
      });
      brackets--;
      mark("]", false, false, false);
      return;
    }
    indented(false, where === "mapping" && !page.fresh, () => {
      for (const item of items) {
        page.startLine();
        mark("-", true, false, true);
        node(item, "sequence", level + 1);
      }
    });
  };

  const mapping = (dict: PyDict, level: number): void => {
    const entries = sortedEntries(dict, sortKeys);
    if (brackets > 0 || entries.length === 0 || isFlow(entries.flat())) {
      mark("{", true, true, false);
      brackets++;
      indented(true, false, () => {
        entries.forEach(([key, item], i) => {
          if (i > 0) mark(",", false, false, false);
          if (page.column > width) page.startLine();
          if (isSimple(key)) {
            node(key, "key", level + 1);
            mark(":", false, false, false);
          } else {
            mark("?", true, false, false);
            node(key, "mapping", level + 1);
            if (page.column > width) page.startLine();
            mark(":", true, false, false);
          }
          node(item, "mapping", level + 1);
        });
      });
      brackets--;
      mark("}", false, false, false);
      return;
    }
    indented(false, false, () => {
      for (const [key, item] of entries) {
        page.startLine();
        if (isSimple(key)) {
          node(key, "key", level + 1);
          mark(":", false, false, false);
        } else {
          mark("?", true, false, true);
          node(key, "mapping", level + 1);
          page.startLine();
          mark(":", true, false, true);
        }
        node(item, "mapping", level + 1);
      }
    });
  };

  const isFlow = (parts: readonly Value[]): boolean =>
    flowStyle ?? parts.every((one) => scalarOf(one) !== undefined);

  const node = (one: Value, where: Where, level: number): void => {
    if (level > meter.limits.depth)
      throw limitError(`a value nested deeper than ${meter.limits.depth} levels`);
    meter.step();
    const scalar = scalarOf(one);
    if (scalar !== undefined) {
      text(Array.from(scalar), !isText(one) || !looksLikeOther(scalar), where === "key");
      return;
    }
    const name = anchors.get(one);
    if (name !== undefined) {
      const known = written.has(one);
      mark(`${known ? "*" : "&"}${name}`, true, false, false);
      if (known) return;
      written.add(one);
    }
    if (one instanceof PyDict) mapping(one, level);
    else sequence(itemsOf(one), where, level);
  };

  if (style.explicitStart === true) mark("---", true, false, false);
  node(value, "root", 0);
  page.fresh = false;
  page.startLine();
  if (style.explicitEnd === true) {
    mark("...", true, false, false);
    page.startLine();
  }
  return parts.join("");
}

/** A key that stands before its colon without a question mark. */
function isSimple(key: Value): boolean {
  const text = scalarOf(key);
  if (text === undefined) return itemsOf(key).length === 0;
  return !judge(Array.from(text)).multiline && new TextEncoder().encode(text).length <= MAX_SIMPLE_KEY;
}
