/** Scalar styles of YAML text: whether it may be plain, single-quoted or only double-quoted, and how it folds. */

/** PyYAML's two dumpers: the C library with `allow_unicode`, and the Python one without. */
export type Dumper = "CSafeDumper" | "Dumper";

/** Output of the scalar writers. */
export interface Page {
  column: number;
  /** The last character written was white space or an indicator that counts as such. */
  blank: boolean;
  /** The line so far holds only indentation and indicators. */
  fresh: boolean;
  readonly width: number;
  readonly dumper: Dumper;
  put(text: string): void;
  /** Ends the line. */
  breakLine(char?: string): void;
  /** Starts a line at the value's indentation, unless one has just begun. */
  startLine(): void;
}

export interface Judgement {
  readonly multiline: boolean;
  /** Whether it may be plain in flow context, and in block context. */
  readonly flowPlain: boolean;
  readonly blockPlain: boolean;
  readonly single: boolean;
}

/** Line breaks and printable characters; astral characters are escaped, as in the C library. */
const CHARACTERS: Readonly<Record<Dumper, { readonly breaks: string; readonly printable: RegExp }>> = {
  CSafeDumper: {
    breaks: "\n\r\x85\u2028\u2029",
    printable: /^[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/,
  },
  Dumper: { breaks: "\n\x85\u2028\u2029", printable: /^[\n\x20-\x7e]$/ },
};
const isBlank = (char: string | undefined): boolean =>
  char === undefined || " \t\0\n\r\x85\u2028\u2029".includes(char);

const STARTS = "#,[]{}&*!|>'\"%@`";

export function judge(chars: readonly string[], dumper: Dumper): Judgement {
  const { breaks, printable } = CHARACTERS[dumper];
  const isBreak = (char: string): boolean => breaks.includes(char);
  const [start] = chars;
  if (start === undefined) return { multiline: false, flowPlain: false, blockPlain: true, single: true };
  const head = chars.slice(0, 3).join("");
  let inFlow = head === "---" || head === "...";
  let inBlock = inFlow;
  let lineBreaks = false;
  let special = false;
  let edge = [start, chars.at(-1) ?? ""].some((char) => char === " " || isBreak(char));
  let breakSpace = false;
  let spaceBreak = false;
  let before = "";
  chars.forEach((char, i) => {
    const after = isBlank(chars[i + 1]);
    if (i === 0) {
      if (STARTS.includes(char) || (char === "-" && after)) inFlow = inBlock = true;
      if (char === "?" || char === ":") {
        inFlow = true;
        if (after) inBlock = true;
      }
    } else if (",?[]{}".includes(char)) inFlow = true;
    else if (char === ":") {
      inFlow = true;
      if (after) inBlock = true;
    } else if (char === "#" && isBlank(before)) inFlow = inBlock = true;
    if (!printable.test(char)) special = true;
    if (isBreak(char)) {
      lineBreaks = true;
      if (before === " ") spaceBreak = true;
    } else if (char === " " && before !== "" && isBreak(before)) breakSpace = true;
    before = char;
  });
  if (spaceBreak || special) edge = breakSpace = true;
  const plain = !edge && !breakSpace && !lineBreaks;
  return {
    multiline: lineBreaks,
    flowPlain: plain && !inFlow,
    blockPlain: plain && !inBlock,
    single: !breakSpace,
  };
}

/** A space beyond the width becomes a line break. */
function folds(chars: readonly string[], i: number, inBlanks: boolean, page: Page): boolean {
  return !inBlanks && page.column > page.width && chars[i + 1] !== " ";
}

export function writePlain(chars: readonly string[], mayFold: boolean, page: Page): void {
  let inBlanks = false;
  chars.forEach((char, i) => {
    if (char === " " && mayFold && folds(chars, i, inBlanks, page)) page.startLine();
    else page.put(char);
    inBlanks = char === " ";
  });
}

export function writeSingle(chars: readonly string[], mayFold: boolean, page: Page): void {
  let inBlanks = false;
  let inBreaks = false;
  const { breaks } = CHARACTERS[page.dumper];
  page.put("'");
  chars.forEach((char, i) => {
    if (char === " ") {
      const inside = i > 0 && i < chars.length - 1;
      if (inside && mayFold && folds(chars, i, inBlanks, page)) page.startLine();
      else page.put(char);
      inBlanks = true;
      return;
    }
    if (breaks.includes(char)) {
      if (!inBreaks && char === "\n") page.breakLine();
      page.breakLine(char);
      inBreaks = true;
      return;
    }
    if (inBreaks) page.startLine();
    page.put(char === "'" ? "''" : char);
    inBlanks = false;
    inBreaks = false;
  });
  if (inBreaks) page.startLine();
  page.put("'");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\x1b": "\\e",
  '"': '\\"',
  "\\": "\\\\",
  "\x85": "\\N",
  "\xa0": "\\_",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

function escaped(char: string): string {
  const short = ESCAPES[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  const hex = (width: number): string => code.toString(16).toUpperCase().padStart(width, "0");
  if (code <= 0xff) return `\\x${hex(2)}`;
  return code <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}

export function writeDouble(chars: readonly string[], mayFold: boolean, page: Page): void {
  const { breaks, printable } = CHARACTERS[page.dumper];
  const inC = page.dumper === "CSafeDumper";
  let inBlanks = false;
  let afterEscape = false;
  /** A backslash protects a space at the start of the next line. */
  const fold = (next: string | undefined): void => {
    page.startLine();
    if (next === " ") page.put("\\");
  };
  page.put('"');
  chars.forEach((char, i) => {
    const inside = mayFold && i > 0 && i < chars.length - 1;
    if (char === '"' || char === "\\" || breaks.includes(char) || !printable.test(char)) {
      page.put(escaped(char));
      if (!inC && inside && page.column - 1 > page.width) {
        page.put("\\");
        fold(chars[i + 1]);
      }
      inBlanks = false;
      afterEscape = true;
      return;
    }
    const full = inside && page.column > page.width;
    if (inC && full && char === " " && !inBlanks) fold(chars[i + 1]);
    else {
      if (!inC && full && (char === " " || afterEscape)) {
        page.put("\\");
        fold(char);
      }
      page.put(char);
    }
    inBlanks = char === " ";
    afterEscape = false;
  });
  page.put('"');
}
