/** Judges whether a text is the whole configuration of a device. */
import type { Completeness, ConfigurationPart, Running } from "../plugin/platform.ts";
import { linePattern } from "./rules.ts";

export interface Judged {
  /** The clean lines. */
  readonly lines: readonly string[];
  readonly bytes: number;
  readonly rules: Running | undefined;
  readonly errors: readonly RegExp[];
  readonly part: ConfigurationPart;
  readonly prompt: string | undefined;
  readonly otherName: string | undefined;
  readonly previousBytes: number | undefined;
}

/** `<secret 7c41d0>` */
const markLength = 15;
/** Refusals are sentences: a longer line is configuration. */
const longestRefusal = 512;
const longestLast = 4096;
/** A shorter prompt may begin any line: `#`. */
const leastPrompt = 3;
/** Refusals at the beginning and the end may be indented; elsewhere they stand at the start of a line. */
const edge = 3;

/** What devices of any system say instead of a configuration, or when they stop in the middle of it. */
const usualRefusals: readonly RegExp[] = [
  /^%? ?(?:Command )?[Aa]uthorization (?:failed|denied)/,
  /^%? ?Unable to (?:get|read|retrieve|lock) (?:the )?(?:running|startup)?[- ]?config/i,
  /^%? ?(?:Configuration buffer full|Out of memory|Not enough memory)/i,
  /^(?:Connection|Session) (?:closed|reset|timed out|terminated)\b/i,
];

/** @returns why it is not; undefined: nothing speaks against it */
export function faultOf(judged: Judged): string | undefined {
  const { lines, bytes, rules, part, prompt, otherName, previousBytes } = judged;
  if (lines.length === 0) return "the text is empty";
  const refusal = refusalIn(judged);
  if (refusal !== undefined) return `the device refused: ${refusal}`;
  if (prompt !== undefined && prompt.trim() !== "") {
    const foreign = promptIn(lines, prompt.trim());
    if (foreign !== undefined) return foreign;
  }
  if (otherName !== undefined && !isNamed(lines, otherName))
    return `the prompt behind the text is that of ${JSON.stringify(otherName)}, and the text does not have this name`;
  const end = endMark(rules, part);
  if (end === "braces") {
    if (!areBracesClosed(lines)) return "the text does not end: braces are open";
  } else if (end !== undefined && !linePattern(end).test(lastLines(lines, end)))
    return "the text does not end with the mark of this platform";
  if (end === undefined && isOpenLine(lines.at(-1) ?? "", rules)) return "the text ends within a line";
  const least = rules?.leastBytes ?? 1;
  if (bytes < least)
    return `the text has ${bytes} bytes, fewer than the ${least} that this platform has at least`;
  if (isShrunk(bytes, previousBytes))
    return `the text has ${bytes} bytes, less than half of the ${previousBytes} before`;
  return undefined;
}

/** Less than half of what it was. */
export function isShrunk(bytes: number, before: number | undefined): boolean {
  return before !== undefined && bytes < before / 2;
}

/** Whether nothing but the prompt behind a text of this platform tells that it is whole. */
export const hasNoEnd = (rules: Running | undefined, part: ConfigurationPart): boolean =>
  endMark(rules, part) === undefined;

/** Ends a block at the top, or divides two. */
const closing = /^(?:[})\]!#;]|\/\/|(?:end|next|exit|quit|return)\b)/;

/**
 * Whether a text ends in a place where one that was cut may end, and lacks what stood behind it. Somebody may also have
 * removed what stood last: such a text is shown again.
 */
export function endsEarly(
  text: string,
  before: string,
  rules: Pick<Running, "ignore" | "complete"> | undefined,
  part: ConfigurationPart,
): boolean {
  const whole = before.trimEnd().split("\n");
  const end = endMark(rules, part);
  if (end instanceof RegExp && !isInside(end, whole)) return false;
  const ignored = (rules?.ignore ?? []).map(linePattern);
  const isCounted = (line: string) =>
    line !== "" && (line.length > longestRefusal || !ignored.some((pattern) => pattern.test(line)));
  const [lines, all] = [text.split("\n").filter(isCounted), whole.filter(isCounted)];
  return isUpTo(lines, all) || lacksLast(lines, all);
}

/** A mark that ends each block tells less than one that stands only at the end. */
function isInside(end: RegExp, lines: readonly string[]): boolean {
  const pattern = linePattern(end);
  return lines.some(
    (_, at) =>
      at < lines.length - 1 && pattern.test(lastLines(lines.slice(Math.max(0, at - 1), at + 1), end)),
  );
}

/** Whether lines are the others up to a place in them. */
function isUpTo(some: readonly string[], all: readonly string[]): boolean {
  const at = some.length - 1;
  const [last = "", then] = [some[at], all[at]];
  if (then === undefined || !isBeginning(last, then)) return false;
  if (some.some((line, place) => place < at && line !== all[place])) return false;
  return last !== then || all.length > some.length;
}

/** Whether blocks at the top that stood last are gone, or the end of the last one, whatever else has changed. */
function lacksLast(lines: readonly string[], all: readonly string[]): boolean {
  // As good as a mark of the platform.
  if (lines.at(-1) === all.at(-1) && all.indexOf(all.at(-1) ?? "") === all.length - 1) return false;
  const [tops, before] = [topsOf(lines), topsOf(all)];
  const places = new Map(before.map(({ key }, place) => [key, place]));
  const [previous, last] = [tops.at(-2), tops.at(-1)];
  if (last === undefined) return false;
  const next = previous && (places.get(previous.key) ?? before.length) + 1;
  const isCut = next !== undefined && isBeginning(last.line, before[next]?.line ?? "");
  const place = places.get(last.key) ?? (isCut ? next : undefined);
  const found = place === undefined ? undefined : before[place];
  if (place === undefined || found === undefined) return false;
  const [gone, now] = [before.slice(place + 1), new Set(tops.map(({ key }) => key))];
  if (gone.length > 0) return gone.every(({ key }) => !now.has(key));
  return isUpTo(lines.slice(last.at), all.slice(found.at));
}

/** Lines at the top that begin something. Equal ones are counted, as each virtual system has the same. */
function topsOf(lines: readonly string[]) {
  const counts = new Map<string, number>();
  return lines.flatMap((line, at) => {
    if (/^\s/.test(line) || closing.test(line)) return [];
    const count = counts.get(line) ?? 0;
    counts.set(line, count + 1);
    return [{ line, at, key: `${count} ${line}` }];
  });
}

/** A secret that was cut has another mark, or is none any more. */
function isBeginning(cut: string, whole: string): boolean {
  let at = 0;
  while (at < cut.length && cut[at] === whole[at]) at++;
  const isInMark = (line: string) => {
    const from = line.lastIndexOf("<secret ", at);
    return from >= 0 && at < from + markLength;
  };
  return at === cut.length || isInMark(cut) || isInMark(whole);
}

/** The last line, and the one before it if the pattern says what that is. */
function lastLines(lines: readonly string[], end: RegExp): string {
  const count = end.source.includes("\\n") ? 2 : 1;
  return lines
    .slice(-count)
    .map((line) => line.slice(0, longestLast))
    .join("\n");
}

function endMark(
  rules: Pick<Running, "complete"> | undefined,
  part: ConfigurationPart,
): Completeness | undefined {
  const complete = rules?.complete;
  return complete === undefined || complete === "braces" || complete instanceof RegExp
    ? complete
    : complete[part];
}

/** Where strings are quoted, a line with an open quote is a cut one, as is one that says that it goes on. */
function isOpenLine(line: string, rules: Running | undefined): boolean {
  if (rules?.shape !== "set" || (rules.comment !== undefined && line.startsWith(rules.comment))) return false;
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === '"') quoted = !quoted;
  }
  return quoted || /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
}

function refusalIn({ lines, rules, errors }: Judged): string | undefined {
  const patterns = [...errors, ...(rules?.refusals ?? []), ...usualRefusals].map(linePattern);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isEdge = at < edge || at >= lines.length - edge;
    if (line === "" || line.length > longestRefusal || (!isEdge && (line[0] === " " || line[0] === "\t")))
      continue;
    if (patterns.some((pattern) => pattern.test(line))) return line.trim().slice(0, 120);
  }
  return undefined;
}

/** Lines in which systems say how they are called. */
const naming = /\b(?:host-?name|sysname|switchname|system identity|system name)\b/i;
/** Prompts of some systems show the beginning of a long name. */
const cutName = 16;

/** A device that was renamed meanwhile says so. */
function isNamed(lines: readonly string[], name: string): boolean {
  const ends = name.length < cutName ? "(?![\\w.-])" : "";
  const word = new RegExp(`(?<![\\w.-])${name.replace(/[^\w-]/g, "\\$&")}${ends}`);
  return lines.some((line) => line.length <= longestRefusal && naming.test(line) && word.test(line));
}

/** The answers of two commands in one text, or the prompt of another device at its end. */
function promptIn(lines: readonly string[], prompt: string): string | undefined {
  const isTelling = prompt.length >= leastPrompt && /[>#$%\]]$/.test(prompt);
  const inside = isTelling ? lines.find((line) => line.startsWith(prompt)) : undefined;
  if (inside !== undefined) return "the prompt of the device stands inside the text";
  const last = lines.at(-1) ?? "";
  const isPrompt = /^(?!<\/)[^\s"'{}();=#!]{1,64}[>#] ?$/.test(last);
  return isPrompt ? "the text ends with another prompt" : undefined;
}

/** Quoted braces, and those behind a comment sign, count for nothing. */
function areBracesClosed(lines: readonly string[]): boolean {
  let depth = 0;
  let opened = false;
  let quoted = false;
  let comment = false;
  for (const line of lines) {
    for (let at = 0; at < line.length; at++) {
      const char = line[at];
      if (comment) {
        if (char === "*" && line[at + 1] === "/") {
          comment = false;
          at++;
        }
      } else if (quoted) {
        if (char === "\\") at++;
        else if (char === '"') quoted = false;
      } else if (char === '"') quoted = true;
      else if (char === "/" && line[at + 1] === "*") comment = true;
      else if (char === "#" && (at === 0 || line[at + 1] === "#")) break;
      else if (char === "{") {
        depth++;
        opened = true;
      } else if (char === "}" && --depth < 0) return false;
    }
  }
  // A statement of one line ends with a semicolon.
  const last = lines.at(-1) ?? "";
  return opened && depth === 0 && !quoted && !comment && /[};]$|^#/.test(last);
}
