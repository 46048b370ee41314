/**
 * Secrets of data that a text holds as JSON, YAML or XML, in one line or in many: by the structure around a value, whose
 * name or whose parents tell it. Takes linear time, and reads on behind whatever is none of these.
 */
import { mayHoldSecret, namesSecret, type Span, settings } from "./secret-words.ts";

const flow = /["']\s?:|[{,] ?[\w.-]{1,64}:[ "']/;
const elements = /<\/|="|='/;

/** By the number of their line, none longer than it. */
export function dataSecrets(lines: readonly string[]): ReadonlyMap<number, readonly Span[]> {
  const spans = new Map<number, Span[]>();
  const add = (line: number, span: Span) => {
    const known = spans.get(line);
    if (known === undefined) spans.set(line, [span]);
    else known.push(span);
  };
  findInYaml(lines, add);
  const text = lines.join("\n");
  const [hasFlow, hasElements] = [flow.test(text), text.includes("<") && elements.test(text)];
  if (!hasFlow && !hasElements) return spans;
  const starts: number[] = [];
  for (let at = 0, start = 0; at < lines.length; start += (lines[at++]?.length ?? 0) + 1) starts.push(start);
  const found = (from: number, to: number) => {
    for (let line = lineOf(starts, from); line < lines.length; line++) {
      const [start, length] = [starts[line] ?? 0, lines[line]?.length ?? 0];
      if (start >= to) return;
      const span = { from: Math.max(0, from - start), to: Math.min(length, to - start) };
      if (span.from < span.to) add(line, span);
    }
  };
  if (hasFlow) findInFlow(text, found);
  if (hasElements) findInElements(text, found);
  return spans;
}

/** The line in which an offset lies. */
function lineOf(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Values and names of a structure, as it is read. */
interface Finder {
  /** A value of the structure; its place is within its quotes. */
  value(from: number, to: number): void;
  /** @param from where its name is written. @param name in lower case, without prefix */
  enter(name: string, from?: number, to?: number): void;
  leave(): void;
  /** Members of another object follow, in any order. */
  begin(): void;
}

interface Frame {
  /** In lower case; that of a list for its entries. */
  readonly name: string;
  /** `{"name": "password", "value": …}`: what the entry with the name said. */
  told: string;
  /** Values of an object whose name is not known yet; undefined: members have an order. */
  waiting?: { readonly from: number; readonly to: number }[];
}

const deepest = 200;
const longestName = 64;
/** The secret is a member of what has the name: `"password": {"value": "…"}`. */
const valueName =
  /^(?:value|data|text|string|plain|plain-?text|clear-?text|hash|encrypted|ciphertext|#text|\$)$/;
const toldName = /^(?:name|key|option|property|variable|id)$/;
const community = /^(?:snmp[-_]?)?communit(?:y|ies)(?:[-_](?:config|list|table))?$/;
/** A community of BGP. */
const ofRoutes = /^(?:\w{1,16}:)?[\d.]{1,16}:\d{1,10}(?::\d{1,10})?$|^(?:no-|local-as|internet)/;
const communityName = /^(?:(?:text|binary)-)?name$/;

/** Or the values of a list. */
const namesOne = (name: string) => namesSecret(name) || namesSecret(name.replace(/(?<=\w)s$/, ""));

/** `\u0070assword` → `password`; JSON takes up to six letters for one. */
const unescaped = (text: string) =>
  text.includes("\\")
    ? text.replace(/\\(?:u([\da-f]{4})|(.))/gi, (_, code: string | undefined, letter: string) =>
        code === undefined ? letter : String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;

/** `ietf-system:authPassword` → `auth-password` */
function plainName(name: string): string {
  return unescaped(name.slice(0, 6 * longestName + 6))
    .slice(0, longestName + 1)
    .replace(/^[\w.-]{1,64}:/, "")
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase();
}

/** @param found told the place of each secret */
function createFinder(text: string, found: (from: number, to: number) => void): Finder {
  const frames: Frame[] = [];
  /** What is around all. */
  const root: Frame = { name: "", told: "" };
  const isOfSnmp = () => frames.some(({ name }) => name.includes("snmp"));
  const isSetting = (from: number, to: number) =>
    settings.has(text.slice(from, Math.min(to, from + 16)).toLowerCase());
  function isSecret(from: number, to: number): boolean {
    const at = frames.length - 1;
    const name = frames[at]?.name ?? "";
    if (isSetting(from, to)) return false;
    if (namesOne(name))
      return !name.includes("communit") || !ofRoutes.test(text.slice(from, Math.min(to, from + 64)));
    const owner = frames[at - 1] ?? root;
    if (valueName.test(name)) return namesSecret(owner.name) || namesSecret(owner.told);
    return communityName.test(name) && community.test(owner.name) && isOfSnmp();
  }
  return {
    value(from, to) {
      const { name } = frames.at(-1) ?? { name: "" };
      const owner = frames.at(-2) ?? root;
      if (toldName.test(name) && to - from <= 6 * longestName) owner.told = plainName(text.slice(from, to));
      if (from < to && isSecret(from, to)) found(from, to);
      else if (from < to && valueName.test(name) && !isSetting(from, to)) owner.waiting?.push({ from, to });
      if (!toldName.test(name) || !namesSecret(owner.told)) return;
      for (const value of owner.waiting?.splice(0) ?? []) found(value.from, value.to);
    },
    begin() {
      const owner = frames.at(-1) ?? root;
      owner.told = "";
      owner.waiting = [];
    },
    enter(name, from, to) {
      const owner = frames.at(-1)?.name ?? "";
      // The community itself is the name of its entry.
      if (from !== undefined && to !== undefined && /^snmp[-_]communit(?:y|ies)$/.test(owner))
        found(from, to);
      frames.push({ name, told: "" });
    },
    leave: () => void frames.pop(),
  };
}

const blank = /[ \t\r\n]/;
const flowBegin = /[{[]/g;
const bareName = /(?:[\w.-]{1,64}:(?=\w))?[\w.$@/-]{1,64}/y;

/** JSON, and YAML that is written as JSON is, from a bracket on. @returns where it ends, or is none any more */
function readFlow(
  text: string,
  start: number,
  finder: Finder,
  inner: (from: number, to: number) => void,
): number {
  const open: ("}" | "]")[] = [];
  let at = start;
  let entered = 0;
  const skip = () => {
    while (at < text.length && blank.test(text[at] ?? "")) at++;
  };
  /** @returns its place within the quotes; a cut one ends with the line */
  const quoted = (): readonly [from: number, to: number, isCut?: true] => {
    const quote = text[at];
    const from = ++at;
    for (; at < text.length && text[at] !== "\n"; at++) {
      if (text[at] === "\\" && text[at + 1] !== "\n") at++;
      else if (text[at] === quote) return [from, at++];
    }
    return [from, Math.min(at, text.length), true];
  };
  const leave = () => {
    entered--;
    finder.leave();
  };
  /** A name of an object and its colon. */
  const named = (): boolean => {
    const char = text[at];
    let [from, to] = [at, at];
    if (char === '"' || char === "'") [from, to] = quoted();
    else {
      bareName.lastIndex = at;
      to = at = at + (bareName.exec(text)?.[0].length ?? 0);
      // `a: b`, not `a:b` of an address.
      if (to === from || !/^: ?[\s"'{[]/.test(text.slice(at, at + 3))) return false;
    }
    skip();
    if (text[at] !== ":") return false;
    at++;
    entered++;
    finder.enter(plainName(text.slice(from, to)), from, to);
    return true;
  };
  try {
    for (;;) {
      skip();
      const char = text[at];
      if (char === undefined) return at;
      const closing = open.at(-1);
      if (char === closing) {
        at++;
        open.pop();
        if (open.length === 0) return at;
        if (open.at(-1) === "}") leave();
      } else if (char === "," && closing !== undefined) {
        at++;
      } else if (closing === "}" && !named()) return Math.max(at, start + 1);
      else {
        skip();
        const first = text[at];
        if (first === "{" || first === "[") {
          if (open.length >= deepest) return at;
          if (first === "{") finder.begin();
          open.push(first === "{" ? "}" : "]");
          at++;
          continue;
        }
        if (first === '"' || first === "'") {
          const [from, to, isCut] = quoted();
          finder.value(from, to);
          inner(from, to);
          if (isCut) return at;
        } else {
          const from = at;
          while (at < text.length && !",}]\n".includes(text[at] ?? "")) at++;
          if (from === at) return Math.max(at, start + 1);
          finder.value(from, from + text.slice(from, at).trimEnd().length);
        }
        if (closing === "}") leave();
      }
    }
  } finally {
    while (entered > 0) leave();
  }
}

/** Text within a text: `"{\"password\":\"…\"}"`. */
const quotedData = /\\(?:"|u0022)[\w.$:@/\\-]{1,384}\\(?:"|u0022)\s?:/i;
const deepestInner = 3;

function findInFlow(text: string, found: (from: number, to: number) => void, depth = 0): void {
  const inner = (from: number, to: number) => {
    if (depth >= deepestInner || !quotedData.test(text.slice(from, to))) return;
    let isFound = false;
    const value = text
      .slice(from, to)
      .replaceAll(/\\u0022/g, '"')
      .replace(/\\(["\\])/g, "$1");
    findInFlow(value, () => (isFound = true), depth + 1);
    if (isFound) found(from, to);
  };
  for (let at = 0; ; ) {
    flowBegin.lastIndex = at;
    const begin = flowBegin.exec(text);
    if (begin === null) return;
    at = readFlow(text, begin.index, createFinder(text, found), inner);
  }
}

const tag =
  /<(?:!\[CDATA\[|(?<close>\/)?(?<name>(?:[\w.-]{1,64}:)?[\w.-]{1,64})(?<attributes>(?:\s+[\w.:-]{1,64}\s?=\s?(?:"[^"<]{0,4096}"|'[^'<]{0,4096}'))*)\s*(?<empty>\/)?>)/g;
const attribute = /(?<name>[\w.:-]{1,64})\s?=\s?(?:"(?<double>[^"]*)"|'(?<single>[^']*)')/dg;

function findInElements(text: string, found: (from: number, to: number) => void): void {
  const finder = createFinder(text, found);
  const open: string[] = [];
  /** Where the text of the innermost element begins, if nothing but text stands in it so far. */
  let begin: number | undefined;
  /** `<key>Password</key><string>…</string>` */
  let sibling = "";
  for (const match of text.matchAll(tag)) {
    const { close, name = "", attributes = "", empty } = match.groups ?? {};
    if (name === "") continue;
    if (close === undefined) {
      let told = "";
      /** Of `value`, before it is known of what. */
      const waiting: (readonly [from: number, to: number])[] = [];
      const offset = match.index + match[0].indexOf(attributes, name.length + 1);
      for (const one of attributes.matchAll(attribute)) {
        const range = one.indices?.groups?.double ?? one.indices?.groups?.single ?? [0, 0];
        const [from, to] = [offset + range[0], offset + range[1]];
        const its = plainName(one.groups?.name ?? "");
        const value = text.slice(from, to);
        const isValue = namesSecret(its) || (its === "value" && namesSecret(told));
        if (toldName.test(its) && value.length <= longestName) told = plainName(value);
        else if (from < to && isValue && !settings.has(value.toLowerCase())) found(from, to);
        else if (from < to && its === "value" && !settings.has(value.toLowerCase())) waiting.push([from, to]);
      }
      if (namesSecret(told)) for (const [from, to] of waiting) found(from, to);
      if (empty !== undefined) continue;
      // Words for people: `<user>`.
      while (open.length >= deepest) {
        open.pop();
        finder.leave();
      }
      open.push(name);
      const own = plainName(name);
      finder.enter(namesSecret(told) && !namesSecret(own) ? told : own === "string" ? sibling || own : own);
      finder.begin();
      begin = match.index + match[0].length;
    } else {
      const depth = open.lastIndexOf(name);
      if (depth < 0) continue;
      const isInner = depth === open.length - 1;
      if (isInner && begin !== undefined) {
        const [from, to] = withinCdata(text, begin, match.index);
        finder.value(from, to);
        sibling =
          plainName(name) === "key" && to - from <= longestName ? plainName(text.slice(from, to)) : "";
      }
      while (open.length > depth) {
        open.pop();
        finder.leave();
      }
      begin = undefined;
    }
  }
  // Cut within a value.
  if (begin !== undefined) finder.value(...withinCdata(text, begin, text.length));
}

function withinCdata(text: string, begin: number, end: number): [from: number, to: number] {
  let [from, to] = [begin, end];
  while (from < to && blank.test(text[from] ?? "")) from++;
  while (to > from && blank.test(text[to - 1] ?? "")) to--;
  if (!text.startsWith("<![CDATA[", from)) return [from, to];
  return [from + 9, text.startsWith("]]>", to - 3) ? to - 3 : to];
}

const yamlLine =
  /^(?<indent>[ \t]{0,200}(?:- {1,8}){0,4})(?<quote>["']?)(?<name>[\w.:-]{1,64})\k<quote>\s{0,8}:(?:[ \t]+(?<rest>\S.*))?$/d;
/** `? password`, and below it `: value`. */
const yamlAsked =
  /^(?<indent>[ \t]{0,200}(?:- {1,8}){0,4})\? {1,8}(?<quote>["']?)(?<name>[\w.:-]{1,64})\k<quote>\s*$/;
const yamlAnswer = /^[ \t]{0,200}: {1,8}(?=[^\s{[&*!|>#])/;
/** An anchor, a tag: `&admin !!str`. */
const yamlMarks = /^(?:[&!]\S{0,64}[ \t]{1,8}){1,2}/;
const blockScalar = /^[|>][-+\d]{0,3}(?:\s+#.*)?$/;
const listEntry = /^[ \t]{0,200}- {1,8}(?<value>\S.*)$/d;
/** Lines of a quoted value. */
const mostContinued = 100;
const longestLine = 4096;

/** Values that a line names, with all of its words, and those on lines of their own below it. */
function findInYaml(lines: readonly string[], found: FoundInLine): void {
  /** `- name: PASSWORD`, whose value is on the next line. */
  let told: { readonly line: number; readonly indent: number } | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.length > longestLine) continue;
    const asked = yamlAsked.exec(line)?.groups;
    const answer =
      asked && namesOne(plainName(asked.name ?? "")) ? yamlAnswer.exec(lines[at + 1] ?? "") : null;
    if (answer !== null) {
      at = scalar(lines, at + 1, answer[0].length, asked?.indent?.length ?? 0, found);
      continue;
    }
    if (!line.includes(":")) continue;
    const isNext = told?.line === at - 1;
    if (!isNext && !mayHoldSecret(line)) continue;
    const match = yamlLine.exec(line);
    if (match === null) continue;
    const { indent = "", name: written = "", rest: all = "" } = match.groups ?? {};
    const marks = yamlMarks.exec(all)?.[0].length ?? 0;
    const rest = all.slice(marks);
    const name = plainName(written);
    const value = scalarIn(rest);
    if (toldName.test(name) && namesSecret(plainName(rest.slice(...value)))) {
      told = { line: at, indent: indent.length };
      const before = yamlLine.exec(lines[at - 1] ?? "");
      const { indent: own = "", name: other = "", rest: given = "" } = before?.groups ?? {};
      const isValue = own.length === indent.length && valueName.test(plainName(other));
      if (isValue && !/^[{[&*!|>#]|^$/.test(given))
        scalar(lines, at - 1, before?.indices?.groups?.rest?.[0] ?? 0, Number.POSITIVE_INFINITY, found);
    }
    const isTold = isNext && told?.indent === indent.length && valueName.test(name);
    if (!isTold && !namesOne(name)) continue;
    const from = (match.indices?.groups?.rest?.[0] ?? line.length) + marks;
    if (blockScalar.test(rest)) {
      while (isBelow(lines[at + 1], indent.length)) whole(lines, ++at, found);
    } else if (rest === "" || rest.startsWith("#")) {
      const next = lines[at + 1] ?? "";
      const begin = indentOf(next);
      if (begin > indent.length && !isEntry(next)) at = scalar(lines, at + 1, begin, indent.length, found);
      else
        for (let entry = listEntry.exec(next); entry !== null; entry = listEntry.exec(lines[at + 1] ?? "")) {
          const [dash, begin] = [indentOf(entry[0]), entry.indices?.groups?.value?.[0] ?? 0];
          if (dash < indent.length || isPair.test(entry.groups?.value ?? "")) break;
          at = scalar(lines, at + 1, begin, dash, found);
        }
    } else if (!/^[{[&*!]/.test(rest)) at = scalar(lines, at, from, indent.length, found);
  }
}

type FoundInLine = (line: number, span: Span) => void;

const isPair = /^(?:[\w.:-]{1,64}|"[\w.:-]{1,64}"|'[\w.:-]{1,64}')\s{0,8}:(?:\s|$)/;
const isEntry = (line: string) => /^\s*(?:- |-$|#)/.test(line) || isPair.test(line.trimStart());
const isBelow = (line: string | undefined, indent: number) =>
  line !== undefined && (line === "" || indentOf(line) > indent);

/** A value from its place on, with the lines that go on with it. @returns the last of them */
function scalar(
  lines: readonly string[],
  at: number,
  from: number,
  indent: number,
  found: FoundInLine,
): number {
  const rest = (lines[at] ?? "").slice(from);
  const [begin, end] = scalarIn(rest);
  if (settings.has(rest.slice(begin, end).toLowerCase())) return at;
  found(at, { from: from + begin, to: from + end });
  const quote = /^["']/.exec(rest)?.[0];
  // Behind its closing quote nothing belongs to it.
  if (quote !== undefined && end < rest.length) return at;
  let last = at;
  for (let left = mostContinued; left > 0 && isBelow(lines[last + 1], indent); left--) {
    const next = lines[last + 1] ?? "";
    if (quote === undefined && isEntry(next)) break;
    whole(lines, ++last, found);
    if (quote !== undefined && next.trimEnd().endsWith(quote)) break;
  }
  return last;
}

/** Where the value of a line stands: within its quotes, to the end if they are open; without a comment. */
function scalarIn(rest: string): readonly [from: number, to: number] {
  const quoted = /^"(?:[^"\\]|\\.)*"|^'(?:[^']|'')*'/.exec(rest)?.[0];
  if (quoted !== undefined) return [1, quoted.length - 1];
  if (/^["']/.test(rest)) return [1, rest.length];
  const comment = rest.search(/\s#/);
  return [0, comment < 0 ? rest.length : comment];
}

const indentOf = (line: string) => line.length - line.trimStart().length;

function whole(lines: readonly string[], at: number, found: FoundInLine): void {
  const line = lines[at] ?? "";
  if (line.trim() !== "") found(at, { from: indentOf(line), to: line.length });
}
