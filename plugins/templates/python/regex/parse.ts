/** Reads a Python pattern into a tree; refuses what Python's `re` refuses, with its text and position. */
import { TemplateError } from "../../../../src/plugin/template.ts";
import type { CaseRule, Node, ParsedPattern } from "./ast.ts";
import { ASCII, DOTALL, IGNORECASE, MULTILINE, UNICODE, VERBOSE } from "./ast.ts";
import { PatternError } from "./errors.ts";
import { type GroupTable, readEscape } from "./escapes.ts";
import { readClass } from "./parse-class.ts";
import { combineFlags, isFlagLetter, readFlags } from "./parse-flags.ts";
import { codePoints, createSource } from "./source.ts";

/** Python's own limit of a repetition count. */
const maxRepeat = 4294967295;
const maxDepth = 400;

/** A node with the least and the greatest number of code points it can take. */
interface Item {
  readonly node: Node;
  readonly low: number;
  readonly high: number;
}

function quote(name: string): string {
  const text = name.replaceAll("\\", "\\\\");
  return text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text}'`;
}
const isIdentifier = (name: string) => /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name);
const casingOf = (flags: number): CaseRule =>
  (flags & IGNORECASE) === 0 ? "exact" : (flags & ASCII) === 0 ? "unicode" : "ascii";
const isQuantifiable = (node: Node | undefined) => node !== undefined && node.kind !== "anchor";

export function parsePattern(pattern: string, flags = 0): ParsedPattern {
  const source = createSource(pattern);
  const widths: ({ low: number; high: number } | undefined)[] = [undefined];
  const groupIndex = new Map<string, number>();
  const conditionPositions = new Map<number, number>();
  let behindFrom: number | undefined;
  let variableBehind = false;
  let globalFlags = flags;

  const table: GroupTable = {
    count: () => widths.length,
    closed: (group) => widths[group] !== undefined,
    checkBehind(group) {
      if (behindFrom === undefined) return;
      if (widths[group] === undefined) throw source.error("cannot refer to an open group");
      if (group >= behindFrom) {
        throw source.error("cannot refer to group defined in the same lookbehind subpattern");
      }
    },
  };

  function parseChoice(outerFlags: number, depth: number): Item {
    if (depth > maxDepth) throw new TemplateError("TemplateLimit", "regular expression: nested too deeply");
    const options: Item[] = [];
    let current = outerFlags;
    do {
      options.push(parseSequence(current, depth, depth === 0 && options.length === 0));
      if (depth === 0) current = globalFlags;
    } while (source.accept("|"));
    const [first] = options;
    if (first !== undefined && options.length === 1) return first;
    return {
      node: { kind: "choice", options: options.map((option) => option.node) },
      low: Math.min(maxRepeat - 1, ...options.map((option) => option.low)),
      high: Math.max(...options.map((option) => option.high)),
    };
  }

  function parseSequence(outerFlags: number, depth: number, first: boolean): Item {
    const items: Item[] = [];
    let current = outerFlags;
    for (;;) {
      const token = source.next();
      if (token === undefined || token === "|" || token === ")") break;
      source.take();
      if ((current & VERBOSE) !== 0 && skipVerbose(token)) continue;
      if (token === "(") {
        const group = parseGroup(current, depth, first && items.length === 0);
        if (typeof group === "number") current = group;
        else if (group !== undefined) items.push(group);
      } else if (token === "*" || token === "+" || token === "?" || token === "{") {
        parseRepeat(token, items);
      } else {
        items.push(parseAtom(token, current));
      }
    }
    return {
      node: sequence(items.map((item) => item.node)),
      low: items.reduce((sum, item) => Math.min(sum + item.low, maxRepeat - 1), 0),
      high: items.reduce((sum, item) => Math.min(sum + item.high, maxRepeat), 0),
    };
  }

  function skipVerbose(token: string): boolean {
    if (" \t\n\r\v\f".includes(token)) return true;
    if (token !== "#") return false;
    let skipped: string | undefined;
    do skipped = source.take();
    while (skipped !== undefined && skipped !== "\n");
    return true;
  }

  function parseAtom(token: string, current: number): Item {
    const casing = casingOf(current);
    const ascii = (current & ASCII) !== 0;
    const multiline = (current & MULTILINE) !== 0;
    const one = (node: Node): Item => ({ node, low: 1, high: 1 });
    const none = (node: Node): Item => ({ node, low: 0, high: 0 });
    if (token === "[") return one(readClass(source, casing, ascii));
    if (token === ".") {
      const items = (current & DOTALL) !== 0 ? [] : [{ kind: "range" as const, from: 10, to: 10 }];
      return one({ kind: "set", negated: true, items, casing: "exact", ascii });
    }
    if (token === "^") {
      return none({ kind: "anchor", anchor: multiline ? "lineStart" : "textStart", ascii });
    }
    if (token === "$") return none({ kind: "anchor", anchor: multiline ? "lineEnd" : "textEnd", ascii });
    if (!token.startsWith("\\")) return one({ kind: "literal", code: token.codePointAt(0) ?? 0, casing });
    const read = readEscape(source, token, table);
    if (read.kind === "code") return one({ kind: "literal", code: read.code, casing });
    if (read.kind === "anchor") return none({ kind: "anchor", anchor: read.anchor, ascii });
    if (read.kind === "category") {
      const { category, negated } = read;
      const items = [{ kind: "category" as const, category, negated }];
      return one({ kind: "set", negated: false, items, casing: "exact", ascii });
    }
    return reference(read.group, casing);
  }

  function reference(group: number, casing: CaseRule): Item {
    const width = widths[group] ?? { low: 0, high: 0 };
    return { node: { kind: "reference", group, casing }, ...width };
  }

  function parseRepeat(token: string, items: Item[]): void {
    const here = source.tell();
    let min = token === "+" ? 1 : 0;
    let max = token === "?" ? 1 : Number.POSITIVE_INFINITY;
    if (token === "{") {
      const bounds = parseBounds(here);
      if (bounds === undefined) {
        items.push({ node: { kind: "literal", code: 123, casing: "exact" }, low: 1, high: 1 });
        return;
      }
      ({ min, max } = bounds);
    }
    const item = items.at(-1);
    if (item === undefined || !isQuantifiable(item.node)) {
      throw source.error("nothing to repeat", source.tell() - here + 1);
    }
    if (item.node.kind === "repeat") throw source.error("multiple repeat", source.tell() - here + 1);
    const mode = source.accept("?") ? "lazy" : source.accept("+") ? "possessive" : "greedy";
    items[items.length - 1] = {
      node: { kind: "repeat", min, max, mode, body: item.node },
      low: Math.min(item.low * min, maxRepeat - 1),
      high: item.high === 0 ? 0 : Math.min(item.high * max, maxRepeat),
    };
  }

  function parseBounds(here: number): { min: number; max: number } | undefined {
    if (source.next() === "}") return undefined;
    const low = source.takeWhile(Number.POSITIVE_INFINITY, "0123456789");
    const high = source.accept(",") ? source.takeWhile(Number.POSITIVE_INFINITY, "0123456789") : low;
    if (!source.accept("}")) {
      source.seek(here);
      return undefined;
    }
    const min = low === "" ? 0 : Number(low);
    const max = high === "" ? Number.POSITIVE_INFINITY : Number(high);
    if (min >= maxRepeat || (high !== "" && max >= maxRepeat)) {
      throw new PatternError("the repetition number is too large");
    }
    if (max < min) throw source.error("min repeat greater than max repeat", source.tell() - here);
    return { min, max };
  }

  /** An item, the new flags after `(?i)`, or nothing for a comment. */
  function parseGroup(current: number, depth: number, first: boolean): Item | number | undefined {
    const start = source.tell() - 1;
    let name: string | undefined;
    let kind: "capture" | "plain" | "atomic" = "capture";
    let inner = current;
    if (source.accept("?")) {
      const char = source.take();
      if (char === undefined) throw source.error("unexpected end of pattern");
      if (char === "P") {
        if (source.accept("=")) return namedReference(current);
        name = groupName();
      } else if (char === ":") kind = "plain";
      else if (char === ">") kind = "atomic";
      else if (char === "#") {
        for (;;) {
          if (source.next() === undefined) {
            throw source.error("missing ), unterminated comment", source.tell() - start);
          }
          if (source.take() === ")") return undefined;
        }
      } else if (char === "=" || char === "!" || char === "<") return parseLook(char, current, depth, start);
      else if (char === "(") return parseCondition(current, depth, start);
      else if (char === "-" || isFlagLetter(char)) {
        const inline = readFlags(source, char);
        if (inline.global !== undefined) {
          if (!first) {
            throw source.error("global flags not at the start of the expression", source.tell() - start);
          }
          globalFlags |= inline.global;
          return globalFlags;
        }
        inner = combineFlags(current, inline.add, inline.remove);
        kind = "plain";
      } else throw source.error(`unknown extension ?${char}`, char.length + 1);
    }
    const index = kind === "capture" ? openGroup(name) : 0;
    const body = parseChoice(inner, depth + 1);
    closeParenthesis(start);
    if (index > 0) widths[index] = { low: body.low, high: body.high };
    if (kind === "atomic") return { ...body, node: { kind: "atomic", body: body.node } };
    return { ...body, node: { kind: "group", index, body: body.node } };
  }

  function closeParenthesis(start: number): void {
    if (!source.accept(")")) {
      throw source.error("missing ), unterminated subpattern", source.tell() - start);
    }
  }

  function groupName(): string {
    if (!source.accept("<")) {
      const char = source.take();
      if (char === undefined) throw source.error("unexpected end of pattern");
      throw source.error(`unknown extension ?P${char}`, char.length + 2);
    }
    const name = source.takeUntil(">", "group name");
    checkName(name);
    return name;
  }

  function checkName(name: string): void {
    if (!isIdentifier(name)) {
      throw source.error(`bad character in group name ${quote(name)}`, codePoints(name) + 1);
    }
  }

  function openGroup(name: string | undefined): number {
    const index = widths.push(undefined) - 1;
    if (name === undefined) return index;
    const before = groupIndex.get(name);
    if (before !== undefined) {
      const reason = `redefinition of group name ${quote(name)} as group ${index}; was group ${before}`;
      throw source.error(reason, codePoints(name) + 1);
    }
    groupIndex.set(name, index);
    return index;
  }

  function knownGroup(name: string): number {
    const group = groupIndex.get(name);
    if (group === undefined) throw source.error(`unknown group name ${quote(name)}`, codePoints(name) + 1);
    return group;
  }

  function namedReference(current: number): Item {
    const name = source.takeUntil(")", "group name");
    checkName(name);
    const group = knownGroup(name);
    if (!table.closed(group)) throw source.error("cannot refer to an open group", codePoints(name) + 1);
    table.checkBehind(group);
    return reference(group, casingOf(current));
  }

  function parseLook(char: string, current: number, depth: number, start: number): Item {
    let sign: string | undefined = char;
    const behind = char === "<";
    const outerBehind = behindFrom;
    if (behind) {
      sign = source.take();
      if (sign === undefined) throw source.error("unexpected end of pattern");
      if (sign !== "=" && sign !== "!") throw source.error(`unknown extension ?<${sign}`, sign.length + 2);
      behindFrom ??= widths.length;
    }
    const body = parseChoice(current, depth + 1);
    if (behind) behindFrom = outerBehind;
    closeParenthesis(start);
    if (behind && body.low !== body.high) variableBehind = true;
    return {
      node: { kind: "look", behind, negated: sign === "!", body: body.node, width: body.low },
      low: 0,
      high: 0,
    };
  }

  function parseCondition(current: number, depth: number, start: number): Item {
    const name = source.takeUntil(")", "group name");
    const length = codePoints(name);
    let group: number;
    if (isIdentifier(name)) group = knownGroup(name);
    else {
      if (!/^\s*[+-]?\d+(?:_\d+)*\s*$/.test(name) || Number(name.replaceAll("_", "")) < 0) {
        throw source.error(`bad character in group name ${quote(name)}`, length + 1);
      }
      group = Number(name.replaceAll("_", ""));
      if (group === 0) throw source.error("bad group number", length + 1);
      if (group >= 2 ** 30) throw source.error(`invalid group reference ${group}`, length + 1);
      if (!conditionPositions.has(group)) conditionPositions.set(group, source.tell() - length - 1);
    }
    table.checkBehind(group);
    const yes = parseSequence(current, depth + 1, false);
    const empty: Item = { node: sequence([]), low: 0, high: 0 };
    const no = source.accept("|") ? parseSequence(current, depth + 1, false) : empty;
    if (source.next() === "|") throw source.error("conditional backref with more than two branches");
    closeParenthesis(start);
    return {
      node: { kind: "condition", group, yes: yes.node, no: no.node },
      low: Math.min(yes.low, no.low),
      high: Math.max(yes.high, no.high),
    };
  }

  const root = parseChoice(globalFlags, 0);
  if ((globalFlags & ASCII) === 0) globalFlags |= UNICODE;
  else if ((globalFlags & UNICODE) !== 0) throw new PatternError("ASCII and UNICODE flags are incompatible");
  if (source.next() !== undefined) throw source.error("unbalanced parenthesis");
  for (const [group, position] of conditionPositions) {
    if (group >= widths.length) {
      throw new PatternError(`invalid group reference ${group}`, pattern, position);
    }
  }
  if (variableBehind) throw new PatternError("look-behind requires fixed-width pattern");
  return { source: pattern, flags: globalFlags, root: root.node, groups: widths.length - 1, groupIndex };
}

function sequence(nodes: readonly Node[]): Node {
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? only : { kind: "sequence", items: nodes };
}
