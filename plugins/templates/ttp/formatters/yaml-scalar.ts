/** How PyYAML's emitter judges and writes text: plain, in single or in double quotes. */

export interface Analysis {
  readonly multiline: boolean;
  readonly plain: boolean;
  readonly single: boolean;
}

const BREAKS = "\n\x85\u2028\u2029";
const SPACES = `\0 \t\r${BREAKS}`;

export function analyse(text: string): Analysis {
  if (text === "") return { multiline: false, plain: true, single: true };
  const chars = Array.from(text);
  let indicators = text.startsWith("---") || text.startsWith("...");
  let lineBreaks = false;
  let special = false;
  let edge = false;
  let breakSpace = false;
  let spaceBreak = false;
  let before = true;
  let previous: "space" | "break" | "" = "";
  chars.forEach((char, i) => {
    const next = chars[i + 1];
    const after = next === undefined || SPACES.includes(next);
    if (i === 0) {
      if ("#,[]{}&*!|>'\"%@`".includes(char)) indicators = true;
      if ("?:-".includes(char) && after) indicators = true;
    } else {
      if (char === ":" && after) indicators = true;
      if (char === "#" && before) indicators = true;
    }
    const isBreak = BREAKS.includes(char);
    if (isBreak) lineBreaks = true;
    if (char !== "\n" && !(char >= " " && char <= "~")) special = true;
    const isEdge = i === 0 || i === chars.length - 1;
    if (char === " ") {
      if (isEdge) edge = true;
      if (previous === "break") breakSpace = true;
      previous = "space";
    } else if (isBreak) {
      if (isEdge) edge = true;
      if (previous === "space") spaceBreak = true;
      previous = "break";
    } else previous = "";
    before = SPACES.includes(char);
  });
  const quotable = !spaceBreak && !special;
  return {
    multiline: lineBreaks,
    plain: quotable && !edge && !breakSpace && !lineBreaks && !indicators,
    single: quotable && !breakSpace,
  };
}

/** What the emitter writes to. */
export interface Sink {
  readonly column: () => number;
  write(text: string): void;
  newLine(): void;
  /** Begins the next line at the indentation of the value. */
  indent(): void;
}

const BEST_WIDTH = 80;

export function writePlain(text: string, split: boolean, sink: Sink): void {
  let start = 0;
  let spaces = false;
  const chars = Array.from(text);
  for (let end = 0; end <= chars.length; end++) {
    const char = chars[end];
    if (spaces) {
      if (char !== " ") {
        if (start + 1 === end && sink.column() > BEST_WIDTH && split) sink.indent();
        else sink.write(chars.slice(start, end).join(""));
        start = end;
      }
    } else if (char === undefined || char === " ") {
      sink.write(chars.slice(start, end).join(""));
      start = end;
    }
    spaces = char === " ";
  }
}

export function writeSingle(text: string, split: boolean, sink: Sink): void {
  const chars = Array.from(text);
  let start = 0;
  let spaces = false;
  let breaks = false;
  sink.write("'");
  for (let end = 0; end <= chars.length; end++) {
    const char = chars[end];
    if (spaces) {
      if (char !== " ") {
        const fold =
          start + 1 === end && sink.column() > BEST_WIDTH && split && start !== 0 && end !== chars.length;
        if (fold) sink.indent();
        else sink.write(chars.slice(start, end).join(""));
        start = end;
      }
    } else if (breaks) {
      if (char === undefined || !BREAKS.includes(char)) {
        if (chars[start] === "\n") sink.newLine();
        for (let i = start; i < end; i++) sink.newLine();
        sink.indent();
        start = end;
      }
    } else if (char === undefined || char === "'" || char === " " || BREAKS.includes(char)) {
      if (start < end) {
        sink.write(chars.slice(start, end).join(""));
        start = end;
      }
    }
    if (char === "'") {
      sink.write("''");
      start = end + 1;
    }
    spaces = char === " ";
    breaks = char !== undefined && BREAKS.includes(char);
  }
  sink.write("'");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\x85": "N",
  "\xa0": "_",
  "\u2028": "L",
  "\u2029": "P",
};

function escaped(char: string): string {
  const short = ESCAPES[char];
  if (short !== undefined) return `\\${short}`;
  const code = char.codePointAt(0) ?? 0;
  const hex = (width: number) => code.toString(16).toUpperCase().padStart(width, "0");
  if (code <= 0xff) return `\\x${hex(2)}`;
  return code <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}

export function writeDouble(text: string, split: boolean, sink: Sink): void {
  const chars = Array.from(text);
  let start = 0;
  sink.write('"');
  for (let end = 0; end <= chars.length; end++) {
    const char = chars[end];
    if (char === undefined || char === '"' || char === "\\" || !(char >= " " && char <= "~")) {
      if (start < end) {
        sink.write(chars.slice(start, end).join(""));
        start = end;
      }
      if (char !== undefined) {
        sink.write(escaped(char));
        start = end + 1;
      }
    }
    const inside = end > 0 && end < chars.length - 1;
    if (inside && (char === " " || start >= end) && sink.column() + (end - start) > BEST_WIDTH && split) {
      sink.write(`${chars.slice(start, Math.max(start, end)).join("")}\\`);
      if (start < end) start = end;
      sink.indent();
      if (chars[start] === " ") sink.write("\\");
    }
  }
  sink.write('"');
}
