/**
 * Parses untrusted JSON: enforces limits (depth, keys), rejects dangerous keys, and gives access to raw slices where
 * key order and number types matter.
 */
import { ServiceError } from "../errors.ts";
import { invalid } from "../issues.ts";
import { stringEnd } from "./exact-json.ts";

export interface JsonLimits {
  readonly depth: number;
  /** Members of all objects in total. */
  readonly keys: number;
  /** Values of all kinds in total: an empty object takes two bytes of text and thirty times as much once parsed. */
  readonly values: number;
}

export const defaultJsonLimits: JsonLimits = { depth: 64, keys: 400_000, values: 400_000 };

/** Keys that change prototypes if careless code, ours or a plugin's, merges them. */
const dangerousKeys = new Set(["__proto__"]);

/**
 * Scans the text before parsing: `JSON.parse` accepts 200,000 levels, and the code after it would overflow the stack.
 * @throws ServiceError BadRequest (not JSON), Validation (too deep, too many keys, a dangerous key)
 */
export function readJson(text: string, limits: JsonLimits = defaultJsonLimits): unknown {
  checkShape(text, limits);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError("BadRequest", `The body is not valid JSON: ${jsonFault(error)}`);
  }
}

/** The parser's message may quote the body, which may contain a password. */
function jsonFault(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  return /unexpected eof|end of/i.test(message) ? "it ends too early" : "check quotes, commas and brackets";
}

function checkShape(text: string, limits: JsonLimits): void {
  let depth = 0;
  let keys = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = stringEnd(text, at);
      if (end < 0) return;
      let next = end + 1;
      while (isSpace(text.charCodeAt(next))) next++;
      if (text.charCodeAt(next) === 0x3a) {
        if (++keys > limits.keys) refuse(`more than ${limits.keys} keys`);
        const raw = text.slice(at + 1, end);
        if (dangerousKeys.has(raw.includes("\\") ? decode(raw) : raw))
          refuse(`the key "${decode(raw)}" is not allowed`);
      }
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > limits.depth) refuse(`nested deeper than ${limits.depth} levels`);
    } else if (code === 0x2c) {
      if (++values > limits.values) refuse(`more than ${limits.values} values`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

function refuse(reason: string): never {
  throw invalid("", `The body was refused: ${reason}.`);
}

function decode(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** JSON text that is embedded in a response verbatim: reparsing would reorder keys such as "20" and turn 2.0 into 2. */
export class RawJson {
  constructor(readonly text: string) {}
}

/**
 * The raw text of a member of valid JSON, e.g. `rawMember(body, ["devices", 3, "config"])`; undefined if absent. Scans
 * the text on each call; use `createRawMembers` for many members. Templates need the raw text because JavaScript
 * objects move keys such as "20" to the front and have a single number type.
 */
export function rawMember(text: string, path: readonly (string | number)[]): string | undefined {
  const span = spanOf(text, path);
  return span && text.slice(span.from, span.to);
}

function spanOf(text: string, path: readonly (string | number)[]): Span | undefined {
  let span: Span | undefined = wholeSpan(text);
  for (const step of path) {
    if (span === undefined) return undefined;
    span = typeof step === "number" ? element(text, span, step) : memberSpan(text, span, step);
  }
  return span;
}

export function wholeSpan(text: string): Span {
  return { from: skipSpace(text, 0), to: text.trimEnd().length };
}

/** Valid JSON with some members replaced by other texts; the members must not be nested in each other. */
export function withMembers(
  text: string,
  members: readonly { readonly path: readonly (string | number)[]; readonly json: string }[],
): string {
  const root = createPlace();
  for (const { path, json } of members) placeOf(root, path).json = json;
  const pieces: string[] = [];
  let at = 0;
  const places = placesIn(text, wholeSpan(text), root);
  for (const { from, to, json } of places.sort((a, b) => a.from - b.from)) {
    pieces.push(text.slice(at, from), json);
    at = to;
  }
  return [...pieces, text.slice(at)].join("");
}

/** All paths as a tree, so that the text is scanned once per level, however many paths there are. */
interface Place {
  json?: string;
  readonly below: Map<string, Place>;
}

const createPlace = (): Place => ({ below: new Map() });

function placeOf(root: Place, path: readonly (string | number)[]): Place {
  let place = root;
  for (const step of path) {
    const next = place.below.get(String(step)) ?? createPlace();
    place.below.set(String(step), next);
    place = next;
  }
  return place;
}

function placesIn(text: string, span: Span, { json, below }: Place): (Span & { json: string })[] {
  if (json !== undefined) return [{ ...span, json }];
  if (below.size === 0) return [];
  // The last of duplicate keys wins, as in JSON.parse.
  const spans = new Map<string, Span>();
  const visit = (name: string | number, from: number, to: number) => {
    if (below.has(String(name))) spans.set(String(name), { from, to });
    return false;
  };
  eachMember(text, span, visit);
  eachElement(text, span, visit);
  return [...spans].flatMap(([name, part]) => placesIn(text, part, below.get(name) ?? createPlace()));
}

export interface Span {
  from: number;
  to: number;
}

export function memberSpan(text: string, object: Span, key: string): Span | undefined {
  let span: Span | undefined;
  // The last of duplicate keys wins, as in JSON.parse.
  eachMember(text, object, (name, from, to) => {
    if (name === key) span = { from, to };
  });
  return span;
}

function eachMember(
  text: string,
  object: Span,
  visit: (name: string, from: number, to: number) => void,
): void {
  if (text[object.from] !== "{") return;
  let at = skipSpace(text, object.from + 1);
  while (text[at] === '"') {
    const end = stringEnd(text, at);
    const name = decode(text.slice(at + 1, end));
    const from = skipSpace(text, skipSpace(text, end + 1) + 1);
    const to = valueEnd(text, from);
    visit(name, from, to);
    at = skipSpace(text, to);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

function element(text: string, array: Span, index: number): Span | undefined {
  let span: Span | undefined;
  eachElement(text, array, (at, from, to) => {
    if (at === index) span = { from, to };
    return at === index;
  });
  return span;
}

export function elementSpans(text: string, array: Span): Span[] {
  const spans: Span[] = [];
  eachElement(text, array, (_index, from, to) => {
    spans.push({ from, to });
    return false;
  });
  return spans;
}

/** @param visit returns true to stop. */
function eachElement(
  text: string,
  array: Span,
  visit: (index: number, from: number, to: number) => boolean,
): void {
  if (text[array.from] !== "[") return;
  let at = skipSpace(text, array.from + 1);
  for (let index = 0; at < array.to && text[at] !== "]"; index++) {
    const to = valueEnd(text, at);
    if (visit(index, at, to)) return;
    at = skipSpace(text, to);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Index after the value that starts at `from`. */
function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from) + 1;
  if (first !== "{" && first !== "[") {
    let at = from;
    while (at < text.length && !isSpace(text.charCodeAt(at)) && !",]}".includes(text.charAt(at))) at++;
    return at;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = stringEnd(text, at);
    else if (code === 0x7b || code === 0x5b) depth++;
    else if ((code === 0x7d || code === 0x5d) && --depth === 0) return at + 1;
  }
  return text.length;
}
