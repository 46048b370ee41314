/** Masks the secrets of a configuration: at the places that the platform names, then by general rules. */
import { createHmac, randomBytes } from "node:crypto";
import type { Running, SecretPlace } from "../../plugin/platform.ts";
import { dataSecrets } from "./data-secrets.ts";
import { isValue, mayHoldSecret, type Span, secretSpans, trapCommunity } from "./secret-words.ts";

/** Digits of a mark: two different secrets of a device have the same one in a case of sixteen million. */
const markDigits = 6;

/** What marks say of secrets: equal for equal ones. @param markKey of the installation, in hex */
export function fingerprintWith(markKey: string): (secret: string) => string {
  const key = Buffer.from(markKey, "hex");
  return (secret) => createHmac("sha256", key).update(secret).digest("hex").slice(0, markDigits);
}

/** For those who may not read secrets: marks of a key of their own are equal to none that is stored, so nothing is guessed. */
export function fingerprintOfNone(): (secret: string) => string {
  return fingerprintWith(randomBytes(32).toString("hex"));
}

/** All marks are the same. */
export const hiddenFingerprint = (): string => "hidden";

/** Place in the masked text, length of the mark there, and the text that the mark stands for. */
export type MaskedSecret = readonly [at: number, length: number, original: string];

export interface MaskedText {
  /** Lines of the masked text, each without its line end. */
  readonly lines: readonly string[];
  /** The same, with a secret that the device encrypts anew at each show always the same. */
  readonly comparable: readonly string[];
  readonly secrets: readonly MaskedSecret[];
}

/** Patterns of a platform are not tried on longer lines. */
const longestLine = 4096;
/** Lines above a line that are looked at. */
const mostParents = 16;
const longestParent = 200;

const privateKey = /-{4,5} ?BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1) ?-{4,5}/;
const keyEnd = /-{4,5} ?END /;
const keyLine = /^[\s"']{0,64}(?:[A-Za-z0-9+/=]{1,200}|[\w-]{1,64}: [^\n]{1,200}|)[\s"';\\]{0,16}$/;

interface Found extends Span {
  readonly reencrypted: boolean;
}

/** @param isMasked whether another program may have masked some, whose marks stay */
export function maskSecrets(
  lines: readonly string[],
  rules: Pick<Running, "secrets" | "shape"> | undefined,
  fingerprint: (secret: string) => string,
  isMasked = false,
): MaskedText {
  const masked: string[] = [];
  const comparable: string[] = [];
  const secrets: MaskedSecret[] = [];
  let length = 0;
  const marks = new Map<string, string>();
  const markOf = (secret: string) => {
    const known = marks.get(secret);
    if (known !== undefined) return known;
    const mark = `<secret ${fingerprint(secret)}>`;
    marks.set(secret, mark);
    return mark;
  };
  const put = (line: string, found: readonly Found[]) => {
    if (found.length === 0) {
      masked.push(line);
      comparable.push(line);
      length += line.length + 1;
      return;
    }
    let shown = "";
    let neutral = "";
    let at = 0;
    for (const { from, to, reencrypted } of found) {
      const secret = line.slice(from, to);
      const mark = markOf(secret);
      shown += line.slice(at, from);
      secrets.push([length + shown.length, mark.length, secret]);
      neutral += `${line.slice(at, from)}${reencrypted ? "<secret>" : mark}`;
      shown += mark;
      at = to;
    }
    shown += line.slice(at);
    masked.push(shown);
    comparable.push(neutral + line.slice(at));
    length += shown.length + 1;
  };

  const places = (rules?.secrets ?? []).map(compiled);
  const [inLine, blocks] = [
    places.filter(({ until }) => until === undefined),
    places.filter(({ until }) => until !== undefined),
  ];
  const ofData = dataSecrets(lines);
  const above = createParents();
  const banner = createBanner();
  const braces = rules?.shape === "braces";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    above.enter(line);
    const prose = banner.holds(line);
    const found: Found[] = [];
    for (const place of inLine) {
      const span = placed(place, line, above);
      if (span !== undefined) found.push(span);
    }
    if (mayHoldSecret(line)) {
      for (const span of secretSpans(line, { braces, prose, parents: above.words }))
        found.push({ ...span, reencrypted: false });
      const trap = prose ? undefined : trapCommunity(line, braces);
      if (trap !== undefined) found.push({ ...trap, reencrypted: false });
    }
    const ofYang = yangSecret(line, above.words);
    if (ofYang !== undefined) found.push({ ...ofYang, reencrypted: false });
    for (const span of prose ? [] : (ofData.get(at) ?? []))
      if (isValue(line.slice(span.from, span.to))) found.push({ ...span, reencrypted: false });
    const block = blockAt(lines, at, blocks, above);
    if (block?.sameLine !== undefined) found.push({ ...block.sameLine, reencrypted: block.reencrypted });
    put(line, isMasked ? withoutMarks(line, merged(found)) : merged(found));
    if (block !== undefined && block.to > at + 1) {
      const body = lines.slice(at + 1, block.to).join("\n");
      if (body.trim() !== "") put(body, [{ from: 0, to: body.length, reencrypted: block.reencrypted }]);
      else for (const blank of lines.slice(at + 1, block.to)) put(blank, []);
      at = block.to - 1;
    }
  }
  return { lines: masked, comparable, secrets };
}

/** What Oxidized, RANCID and this service write in place of a secret. */
const marksOfOthers = /<(?:secret [0-9a-f]{6}|(?:[a-z][\w-]{0,30} ){0,3}(?:hidden|removed|stripped))>/gi;

/** Marks in a masked text that stand for nothing that is known. @param secrets of the text */
export function lostMarks(text: string, secrets: readonly MaskedSecret[]): ReadonlySet<string> {
  const known = new Set(secrets.map(([offset]) => offset));
  const lost = new Set<string>();
  for (const { 0: mark, index } of text.matchAll(marksOfOthers)) if (!known.has(index)) lost.add(mark);
  return lost;
}

/** Spans without the marks in them: a part beside a mark stays a secret. */
function withoutMarks(line: string, found: readonly Found[]): Found[] {
  if (found.length === 0 || !line.includes("<")) return [...found];
  const marks = [...line.matchAll(marksOfOthers)].map(({ index, 0: mark }) => ({
    from: index,
    to: index + mark.length,
  }));
  return found.flatMap((span) => {
    const parts: Found[] = [];
    let { from } = span;
    for (const mark of marks) {
      if (mark.to <= from || mark.from >= span.to) continue;
      parts.push({ ...span, from, to: Math.max(from, mark.from) });
      from = mark.to;
    }
    parts.push({ ...span, from, to: span.to });
    return parts.filter(({ from, to }) => from < to && line.slice(from, to).trim() !== "");
  });
}

/** Replaces the marks of a masked text by what they stand for. */
export function openSecrets(text: string, secrets: readonly MaskedSecret[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [from, length, original] of secrets) {
    pieces.push(text.slice(at, from), original);
    at = from + length;
  }
  return [...pieces, text.slice(at)].join("");
}

/** Spans in order; those that overlap become one. */
function merged(found: readonly Found[]): readonly Found[] {
  if (found.length === 0) return found;
  if (found.length < 2) return found.filter(({ from, to }) => from < to);
  const sorted = found.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from || b.to - a.to);
  const spans: Found[] = [];
  for (const span of sorted) {
    const last = spans.at(-1);
    if (last === undefined || span.from >= last.to) spans.push(span);
    else
      spans[spans.length - 1] = {
        from: last.from,
        to: Math.max(last.to, span.to),
        reencrypted: last.reencrypted || span.reencrypted,
      };
  }
  return spans;
}

interface Place {
  readonly pattern: RegExp;
  readonly within: RegExp | undefined;
  readonly until: RegExp | undefined;
  readonly reencrypted: boolean;
}

const stateless = ({ flags }: RegExp) => flags.replace(/[gymd]/g, "");
const compiledPlaces = new WeakMap<SecretPlace, Place>();

function compiled(place: SecretPlace): Place {
  const known = compiledPlaces.get(place);
  if (known !== undefined) return known;
  const { pattern, within, until, reencrypted = false } = place;
  const fresh = {
    pattern: new RegExp(pattern.source, `${stateless(pattern)}d`),
    within: within && new RegExp(within.source, stateless(within)),
    until: until && new RegExp(until.source, stateless(until)),
    reencrypted,
  };
  compiledPlaces.set(place, fresh);
  return fresh;
}

function placed({ pattern, within, reencrypted }: Place, line: string, above: Parents): Found | undefined {
  if (line.length > longestLine) return undefined;
  const match = pattern.exec(line);
  const range = match?.indices?.groups?.secret ?? match?.indices?.[1];
  if (range === undefined || !above.isBelow(within)) return undefined;
  return { from: range[0], to: range[1], reencrypted };
}

interface SecretBlock {
  /** Behind its last line, which the mark replaces. */
  readonly to: number;
  readonly reencrypted: boolean;
  /** A key within a single line. */
  readonly sameLine?: Span;
}

/** The lines that follow are a secret as a whole. */
function blockAt(
  lines: readonly string[],
  at: number,
  places: readonly Place[],
  above: Parents,
): SecretBlock | undefined {
  const line = lines[at] ?? "";
  const begin = line.includes("BEGIN ") ? privateKey.exec(line) : null;
  if (begin !== null) {
    const from = begin.index + begin[0].length;
    const end = line.slice(from).search(keyEnd);
    if (end >= 0) return { to: at, reencrypted: false, sameLine: { from, to: from + end } };
    let to = at + 1;
    while (to < lines.length && !keyEnd.test(lines[to] ?? "") && keyLine.test(lines[to] ?? "")) to++;
    const sameLine = from < line.length ? { sameLine: { from, to: line.length } } : {};
    return { to, reencrypted: isReencrypted(line, places, above), ...sameLine };
  }
  for (const { pattern, within, until, reencrypted } of places) {
    if (until === undefined || line.length > longestLine || !pattern.test(line) || !above.isBelow(within))
      continue;
    let to = at + 1;
    while (to < lines.length && !until.test((lines[to] ?? "").slice(0, longestLine))) to++;
    return { to, reencrypted };
  }
  return undefined;
}

/** A key that a platform names: `set private-key "-----BEGIN …`. */
function isReencrypted(line: string, places: readonly Place[], above: Parents): boolean {
  return places.some(
    ({ pattern, within, until, reencrypted }) =>
      reencrypted && until !== undefined && pattern.test(line.slice(0, longestLine)) && above.isBelow(within),
  );
}

interface Parents {
  enter(line: string): void;
  /** The lines above, the nearest first, in lower case. */
  words(): readonly string[];
  isBelow(pattern: RegExp | undefined): boolean;
}

function indentOf(line: string): number {
  let indent = 0;
  for (; ; indent++) {
    const code = line.charCodeAt(indent);
    if (code !== 0x20 && code !== 0x09) return indent;
  }
}

/** The lines that the current one is indented below. */
function createParents(): Parents {
  const stack: { readonly indent: number; readonly line: string }[] = [];
  const shown = () =>
    stack
      .slice(-mostParents - 1, -1)
      .reverse()
      .map(({ line }) => line);
  return {
    enter(line) {
      if (line === "") return;
      const indent = indentOf(line);
      while ((stack.at(-1)?.indent ?? -1) >= indent) stack.pop();
      stack.push({ indent, line: line.slice(0, longestParent) });
    },
    words: () => shown().map((line) => line.toLowerCase()),
    isBelow: (pattern) => pattern === undefined || shown().some((line) => pattern.test(line)),
  };
}

const bannerStart =
  /^\s*(?:banner\s+(?:motd|login|exec|incoming|prompt-timeout|slip-ppp|config-save|asdm)|header\s+(?:login|shell|motd|legal|incoming)(?:\s+information)?)(?:\s+(\^C|[^\w\s])|\s*$)/i;

/** By its first letter: most lines begin with another one. */
function mayBeginBanner(line: string): boolean {
  const code = line.charCodeAt(indentOf(line));
  // Of ASCII: b, h, and their upper-case forms.
  return (code | 0x20) === 0x62 || (code | 0x20) === 0x68 || code > 0x7f;
}

/** Text for people between two delimiters, or up to `EOF`. */
function createBanner(): { holds(line: string): boolean } {
  let end: string | undefined;
  let left = 0;
  return {
    holds(line) {
      if (end !== undefined) {
        const isEnd = end === "EOF" ? line.trim() === "EOF" : line.includes(end);
        if (isEnd || --left === 0) end = undefined;
        return true;
      }
      const start = line.length <= longestLine && mayBeginBanner(line) ? bannerStart.exec(line) : null;
      if (start === null) return false;
      const delimiter = start[1] ?? "EOF";
      const rest = line.slice(start[0].length);
      if (delimiter === "EOF" || !rest.includes(delimiter)) {
        end = delimiter;
        // A text that nothing ends hides no secrets of the lines after it.
        left = 100;
      }
      return true;
    },
  };
}

/** `"name": "…"`, `<name>…</name>` of an entry whose key is a community. */
const entryName =
  /^\s{0,200}(?:"(?:[\w.-]{1,64}:)?(?:text-|binary-)?name"\s?:\s?"(?<json>[^"]{1,256})"|<(?:[\w.-]{1,64}:)?(?:text-|binary-)?name(?:\s[^<>]{0,256})?>(?<xml>[^<>]{1,256})<\/)/d;
const community = /^\s*["<](?:[\w.-]{1,64}:)?community(?:-config)?\b(?!-)/;
const snmp = /snmp/;

/** An entry of a list that has a line of its own: `"…",`. */
const listValue = /^\s{0,200}"(?<value>(?:[^"\\]|\\.){1,4096})",?\s*$/d;
const secretList =
  /^\s*"(?:[\w.-]{1,64}:)?(?:[\w.-]{1,64}-)?(?:password|passphrase|secret|psk|pre-shared-key|private-key|token|key-string)"\s?:\s?\[$/;

/** What may be one, by its first letters: most lines of other texts are not. */
const hint = /^\s*(?:"|<(?:[\w.-]{1,64}:)?(?:text-|binary-)?name\b)/;

/** @param parents the lines above, the nearest first, in lower case */
function yangSecret(line: string, parents: () => readonly string[]): Span | undefined {
  if (!hint.test(line)) return undefined;
  const name = entryName.exec(line)?.indices?.groups;
  const range = name?.json ?? name?.xml;
  if (range !== undefined) {
    const above = parents();
    const owner = above.find((parent) => parent.trim() !== "{") ?? "";
    return community.test(owner) && above.some((parent) => snmp.test(parent)) ? spanOf(range) : undefined;
  }
  const value = listValue.exec(line)?.indices?.groups?.value;
  return value !== undefined && secretList.test(parents()[0] ?? "") ? spanOf(value) : undefined;
}

const spanOf = ([from, to]: readonly [number, number]): Span => ({ from, to });
