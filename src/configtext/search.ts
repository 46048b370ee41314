/** Finds lines in configurations: a text or a regular expression, in time linear in the length of what is searched. */
import { messageOf } from "../base/errors.ts";
import { invalid } from "../base/issues.ts";
import { requiredLiteral } from "./secrets/literal.ts";

export interface SearchQuery {
  /** A part of a line. */
  readonly q?: string | undefined;
  /** An expression in the syntax of RE2, matched against each line. */
  readonly regex?: string | undefined;
  /** An expression: only lines that match it, and those below such a line. */
  readonly section?: string | undefined;
  /** Default false. */
  readonly caseSensitive?: boolean | undefined;
}

export interface FoundLine {
  /** From 1. */
  readonly line: number;
  /** Without line end; long ones are cut, with a sign. */
  readonly text: string;
}

/** Characters of a line, as UTF-16 counts them. */
export interface Found {
  readonly from: number;
  readonly to: number;
}

export interface SearchHit extends FoundLine {
  /** Where in `text` it is. */
  readonly found: readonly Found[];
  /** Lines above that are indented less, from the outermost. */
  readonly parents: readonly FoundLine[];
}

export interface TextMatches {
  readonly hits: readonly SearchHit[];
  /** Number of lines that match; `hits` may have fewer. */
  readonly total: number;
}

/** The same for a line that stands below the same lines, in whatever version of a text. */
export const lineKey = ({ parents, text }: SearchHit) =>
  [...parents.map((line) => line.text), text].join("\n");

export const searchLimits = {
  patternChars: 512,
  hitsPerText: 100,
  lineChars: 500,
  parents: 20,
  /** Finds of an expression in a line, also those of nothing: each may read the rest of the line. */
  foundPerLine: 20,
  /**
   * Of these finds in all, some 0.2 s: a character that is read takes as many as the expression has instructions. What
   * is found later has no marks.
   */
  foundSteps: 20_000_000,
} as const;

export interface TextSearcher {
  /** @param maxHits that are returned; default and at most 100 */
  search(text: string, maxHits?: number): TextMatches;
  /** Whether the text has what any match contains: false, in a fifth of the time of a search, if nothing matches. */
  mayMatch(text: string): boolean;
}

/** A line by its place in the text, and its number from 0. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

/** @throws ServiceError Validation that says what is wrong */
export async function compileSearch(query: SearchQuery): Promise<TextSearcher> {
  const { q, regex, section, caseSensitive = false } = query;
  if ((q === undefined) === (regex === undefined))
    throw invalid("q", "give either q, a part of a line, or regex, an expression");
  const compile = await createCompiler(caseSensitive, regex !== undefined || section !== undefined);
  const isHeading = section === undefined ? undefined : compile("section", section).test;
  const part = regex === undefined ? checkedPart(q ?? "") : requiredLiteral(regex);
  const expression = regex === undefined ? undefined : compile("regex", regex);
  const candidates =
    expression === undefined
      ? linesWith(part, caseSensitive)
      : linesMatching(expression.test, part, caseSensitive);
  const foundIn = expression?.found ?? partsIn(part, caseSensitive);
  const mayMatch = hasPart(part, caseSensitive);
  return {
    mayMatch,
    search(text, maxHits = searchLimits.hitsPerText) {
      if (!mayMatch(text)) return { hits: [], total: 0 };
      const most = Math.min(maxHits, searchLimits.hitsPerText);
      const hits: SearchHit[] = [];
      let total = 0;
      let above: Above | undefined;
      for (const place of candidates(text)) {
        if (isHeading === undefined && total >= most) {
          total++;
          continue;
        }
        above ??= createAbove(text, isHeading);
        if (!above.advance(place)) continue;
        total++;
        if (total > most) continue;
        const line = shown(text, place);
        hits.push({ ...line, found: [...firstOf(foundIn(line.text))], parents: above.parents() });
      }
      return { hits, total };
    },
  };
}

type Test = (line: string) => boolean;
type FoundIn = (line: string) => Iterable<Found>;

/** Of the first ones those that have characters. */
function* firstOf(all: Iterable<Found>): Generator<Found> {
  let count = 0;
  for (const found of all) {
    if (found.from < found.to) yield found;
    if (++count === searchLimits.foundPerLine) return;
  }
}

function partsIn(part: string, caseSensitive: boolean): FoundIn {
  const fold = (text: string) => (caseSensitive ? text : text.toLowerCase());
  const wanted = fold(part);
  return function* (line) {
    const folded = fold(line);
    // A letter has become longer: its places are not those of the line.
    if (folded.length !== line.length) return;
    for (let from = folded.indexOf(wanted); from >= 0; from = folded.indexOf(wanted, from + wanted.length))
      yield { from, to: from + wanted.length };
  };
}

/** Its engine, loaded by the first search that needs it, takes 18 ms and 7 MB. */
async function createCompiler(caseSensitive: boolean, isNeeded: boolean) {
  const { RE2JS } = isNeeded ? await import("re2js") : {};
  return (field: string, pattern: string): { readonly test: Test; readonly found: FoundIn } => {
    if (pattern === "") throw invalid(field, "must not be empty");
    if (pattern.length > searchLimits.patternChars)
      throw invalid(field, `must not be longer than ${searchLimits.patternChars} characters`);
    if (RE2JS === undefined) throw invalid(field, "is not supported here");
    try {
      const compiled = RE2JS.compile(
        RE2JS.translateRegExp(pattern),
        caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE,
      );
      let room = searchLimits.foundSteps / compiled.programSize();
      return {
        test: (line) => compiled.test(line),
        *found(line) {
          const matcher = compiled.matcher(line);
          let at = 0;
          while (room > 0) {
            room -= line.length - at;
            if (!matcher.find()) return;
            at = matcher.end();
            yield { from: matcher.start(), to: at };
          }
        },
      };
    } catch (error) {
      throw invalid(field, faultOf(pattern, messageOf(error)));
    }
  };
}

function faultOf(pattern: string, message: string): string {
  const what = message.replace(/^error parsing regexp: /, "");
  if (/\(\?<?[=!]/.test(pattern)) return `uses look-around, which cannot be matched in linear time (${what})`;
  if (/\\[1-9k]/.test(pattern))
    return `uses a back reference, which cannot be matched in linear time (${what})`;
  return `is not an expression in the syntax of RE2: ${what}`;
}

function checkedPart(q: string): string {
  if (q === "") throw invalid("q", "must not be empty");
  if (q.length > searchLimits.patternChars)
    throw invalid("q", `must not be longer than ${searchLimits.patternChars} characters`);
  if (/[\r\n]/.test(q)) throw invalid("q", "must be part of one line");
  return q;
}

/** Of a part that is looked for in whole texts: more of it costs more where a text repeats its beginning. */
const maxLookedFor = 32;
/** These two become lower-case letters of ASCII, as no other characters beside the upper-case ones do. */
const foldedToo: Readonly<Record<string, string>> = { i: "\u0130", k: "\u212a" };

/** Without making a copy of the text in lower case, if the part is ASCII, as it nearly always is. */
function hasPart(part: string, caseSensitive: boolean): (text: string) => boolean {
  if (part === "") return () => true;
  if (caseSensitive) return (text) => text.includes(part);
  const lower = part.toLowerCase();
  if (!/^[\0-\x7f]*$/.test(part)) return (text) => text.toLowerCase().includes(lower);
  const pattern = [...lower.slice(0, maxLookedFor)].map((char) =>
    /[a-z]/.test(char)
      ? `[${char}${char.toUpperCase()}${foldedToo[char] ?? ""}]`
      : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  const expression = new RegExp(pattern.join(""));
  return (text) => expression.test(text);
}

type Candidates = (text: string) => Iterable<Place>;

/** Lines that hold the part. */
function linesWith(part: string, caseSensitive: boolean): Candidates {
  if (caseSensitive) return (text) => placesOf(text, text, part);
  const lower = part.toLowerCase();
  return function* (text) {
    const folded = text.toLowerCase();
    if (folded.length === text.length) yield* placesOf(text, folded, lower);
    // A letter has become longer: places in one text are not those in the other.
    else if (folded.includes(lower))
      for (const place of placesOf(text, text, ""))
        if (text.slice(place.start, place.end).toLowerCase().includes(lower)) yield place;
  };
}

/** @param literal a part of each line that matches, by which most texts and lines are skipped */
function linesMatching(test: Test, literal: string, caseSensitive: boolean): Candidates {
  const candidates: Candidates =
    literal === "" ? (text) => placesOf(text, text, "") : linesWith(literal, caseSensitive);
  return function* (text) {
    for (const place of candidates(text)) if (test(text.slice(place.start, place.end))) yield place;
  };
}

/** The lines in which a part occurs; `searched` has the same lines as the text. */
function* placesOf(text: string, searched: string, part: string): Generator<Place> {
  let [start, number] = [0, 0];
  for (let at = searched.indexOf(part); at >= 0 && start < text.length; at = searched.indexOf(part, start)) {
    let next = text.indexOf("\n", start);
    while (next >= 0 && next < at) {
      number++;
      start = next + 1;
      next = text.indexOf("\n", start);
    }
    const lineEnd = next < 0 ? text.length : next;
    if (start < text.length)
      yield { start, end: lineEnd > start && text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd, number };
    start = lineEnd + 1;
    number++;
  }
}

function shown(text: string, { start, end, number }: Place): FoundLine {
  const isLong = end - start > searchLimits.lineChars;
  const line = text.slice(start, isLong ? start + searchLimits.lineChars : end).toWellFormed();
  return { line: number + 1, text: isLong ? `${line}…` : line };
}

/** What stands above a line, in one pass over the text. */
interface Above {
  /** Goes on to a line. @returns whether it belongs to a section that was asked for */
  advance(place: Place): boolean;
  /** Of the line gone to. */
  parents(): FoundLine[];
}

interface Level extends Place {
  readonly indent: number;
  readonly isInSection: boolean;
}

function createAbove(text: string, isHeading: Test | undefined): Above {
  /** Lines that the next one may belong to, each indented more than the one before. */
  const levels: Level[] = [];
  let current: Level | undefined;
  let [start, number] = [0, 0];

  function enter(place: Place): Level {
    let at = place.start;
    while (at < place.end && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at++;
    const indent = at - place.start;
    // Blank lines and comments have nothing below them.
    const isNote = at === place.end || text[at] === "!" || text[at] === "#";
    if (!isNote) while ((levels.at(-1)?.indent ?? -1) >= indent) levels.pop();
    const isInSection =
      isHeading === undefined ||
      levels.findLast((level) => level.indent < indent)?.isInSection === true ||
      isHeading(text.slice(place.start, place.end));
    const level = { ...place, indent, isInSection };
    if (!isNote) levels.push(level);
    return level;
  }

  return {
    advance(place) {
      while (start < place.start) {
        const lineEnd = text.indexOf("\n", start);
        enter({ start, end: text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd, number: number++ });
        start = lineEnd + 1;
      }
      current = enter(place);
      const lineEnd = text.indexOf("\n", place.end);
      [start, number] = [lineEnd < 0 ? text.length : lineEnd + 1, place.number + 1];
      return current.isInSection;
    },
    parents() {
      const found: FoundLine[] = [];
      for (let at = levels.length - 1; at >= 0 && found.length < searchLimits.parents; at--) {
        const level = levels[at];
        if (level !== undefined && level.indent < (current?.indent ?? 0)) found.push(shown(text, level));
      }
      return found.reverse();
    },
  };
}
