/** Terminal emulation for text: drops escape sequences and applies repaints, backspaces and line ends, line by line. */
/** Completed lines: the first one, and the rest. They are separate because joining them would copy all of it. */
export interface Cleaned {
  readonly first: string;
  readonly rest: string;
}

export interface Cleaner {
  /** @returns the completed lines, cleaned; carriage returns of their ends are left for `folded`, in one pass */
  push(text: string, ascii?: boolean): Cleaned;
  /** The current line, without its end. */
  line(): string;
  /** Marks the current line as a pager prompt; it is removed as soon as the device paints over it or moves on. */
  wipe(): void;
  /** Releases the packet whose end is the current line: the runtime keeps it as long as any part of it. */
  release(): void;
}

/** Widest mark of a shell before its prompt. */
const markWidth = 8;
/** A line longer than twice this is emitted in pieces of this size: its start can no longer be repainted. */
const pieceChars = 8192;

type State = "ground" | "escape" | "csi" | "charset" | "string" | "stringEscape";

export function createCleaner(cols: number): Cleaner {
  let state: State = "ground";
  let parameters = "";
  let swallowed = 0;
  let line = "";
  let cursor = 0;
  let saved = 0;
  /** Characters of this line that were already emitted. */
  let base = 0;
  /** The last thing was a printed character: in the last column, it leaves the cursor there until the next one. */
  let printed = false;
  /** A shell has filled the row behind its mark; what it prints next begins a line of its own. See `fillsRow`. */
  let freshLine: { readonly kept: number } | undefined;
  /** Offset of text behind a control sequence, which may be the delay of a terminal description: `$<2>`. */
  let delayAt: number | undefined;
  let heldReturns = "";
  /** Terminal row of the line, if the device uses absolute positions. */
  let row: number | undefined;
  let wantedRow: number | undefined;
  let marks: PagerMarks | undefined;
  /** The cursor moved back to the pager prompt: blanks painted now erase the part of it that arrived late. */
  let erasing = false;
  const out: string[] = [];

  function push(text: string, ascii = false): Cleaned {
    const raw = joined(heldReturns, text);
    heldReturns = "";
    if (delayAt === line.length && raw !== "" && !raw.startsWith("$")) delayAt = undefined;
    if (isAtEnd()) {
      let end = raw.length;
      while (end > 0 && raw.charCodeAt(end - 1) === 0x0d) end--;
      const body = end === raw.length ? raw : raw.slice(0, end);
      if (isPlain(body, ascii)) {
        heldReturns = raw.slice(Math.max(end, raw.length - maxReturns));
        return plain(body);
      }
    }
    for (let at = 0; at < raw.length; ) at = state === "ground" ? ground(raw, at) : sequence(raw, at);
    return spilled();
  }

  /** Nothing is pending that would give plain text another place or meaning. */
  function isAtEnd(): boolean {
    return (
      state === "ground" &&
      cursor === line.length &&
      marks === undefined &&
      wantedRow === undefined &&
      freshLine === undefined &&
      delayAt === undefined
    );
  }

  const spilled = (): Cleaned => ({ first: out.splice(0).join(""), rest: "" });

  function plain(body: string): Cleaned {
    const end = body.lastIndexOf("\n");
    if (body !== "") printed = true;
    if (end < 0) {
      line += body;
      cursor = line.length;
      spill();
      return spilled();
    }
    const next = body.indexOf("\n") + 1;
    const first = line + body.slice(0, next);
    const ended = body.slice(next, end + 1);
    line = body.slice(end + 1);
    cursor = line.length;
    base = 0;
    row = undefined;
    spill();
    return { first, rest: joined(ended, spilled().first) };
  }

  function ground(raw: string, at: number): number {
    const run = printableAt(raw, at);
    if (run !== undefined) {
      print(run);
      return at + run.length;
    }
    const code = raw.charCodeAt(at);
    if (code === 0x0a) lineFeed();
    else if (code === 0x0d) carriageReturn();
    else if (code === 0x08) back(Math.max(0, cursor - 1));
    else if (code === 0x1b) state = "escape";
    else if (code === 0x0f) delayAt = cursor;
    else if (code === 0x9b) startCsi();
    else if (code === 0x90 || code === 0x9d) startString();
    return at + 1;
  }

  function sequence(raw: string, at: number): number {
    const char = raw.charAt(at);
    const code = raw.charCodeAt(at);
    if (state === "string" || state === "stringEscape") {
      if (state === "stringEscape" && char === "\\") state = "ground";
      else if (code === 0x1b) state = "stringEscape";
      else if (code === 0x07 || code === 0x9c || code === 0x18 || code === 0x1a) state = "ground";
      // A title contains no line end and is short: a broken sequence must not swallow the output behind it.
      else if (code === 0x0a || code === 0x0d || ++swallowed > maxTitle) {
        state = "ground";
        return at;
      } else state = "string";
      return at + 1;
    }
    if (code === 0x18 || code === 0x1a) {
      state = "ground";
      return at + 1;
    }
    // Control characters inside a sequence take effect at once, as on a real terminal; ESC starts a new sequence.
    if (code < 0x20) {
      if (code === 0x1b) {
        state = "escape";
        return at + 1;
      }
      const resume = state;
      ground(char, 0);
      state = resume;
      return at + 1;
    }
    if (state === "escape") escapeSequence(char);
    else if (state === "charset") state = "ground";
    else if (code >= 0x40 && code <= 0x7e) {
      state = "ground";
      const before = cursor;
      control(char, parameters);
      if (cursor !== before) printed = false;
      delayAt = cursor === line.length && marks === undefined ? cursor : undefined;
    } else {
      parameters += char;
      if (parameters.length > maxSequence || code > 0x7e) state = "ground";
    }
    return at + 1;
  }

  function escapeSequence(char: string): void {
    state = "ground";
    if (char === "[") startCsi();
    else if ("]PX^_".includes(char)) startString();
    else if (char >= " " && char <= "/") state = "charset";
    else if (char === "E" || char === "D") newline();
    else if (char === "7") saved = cursor;
    else if (char === "8") cursor = Math.min(saved, line.length);
    else if (char === "c") clearScreen();
  }

  function startCsi(): void {
    state = "csi";
    parameters = "";
  }

  function startString(): void {
    state = "string";
    swallowed = 0;
  }

  function control(final: string, text: string): void {
    if (/[<=>?]/.test(text)) return;
    const [first = 0, second = 0] = numbersOf(text);
    const count = Math.max(1, first);
    if (final === "K") eraseLine(first);
    else if (final === "J") first >= 2 ? clearScreen() : first === 0 ? cut(cursor) : undefined;
    else if (final === "D") cursor = Math.max(0, cursor - count);
    else if (final === "C") cursor += count;
    else if (final === "G" || final === "`") cursor = rowStart() + count - 1;
    else if (final === "H" || final === "f") position(count, Math.max(1, second));
    else if (final === "d") wantedRow = count;
    else if (final === "A" || final === "F") up(count);
    else if (final === "B" || final === "e")
      cursor = Math.min(cursor + count * cols, Math.max(cursor, line.length));
    else if (final === "P") splice(cursor, count, "");
    else if (final === "@") splice(cursor, 0, " ".repeat(Math.min(count, cols)));
    else if (final === "X") overwrite(" ".repeat(Math.min(count, Math.max(0, line.length - cursor))), false);
    else if (final === "L" || final === "E") for (let i = 0; i < Math.min(count, 100); i++) newline();
    else if (final === "s") saved = cursor;
    else if (final === "u") cursor = Math.min(saved, line.length);
  }

  /** Full-screen painters address rows. A new row becomes a new line once something is written on it. */
  function position(to: number, column: number): void {
    if (row === undefined) row = to;
    wantedRow = to === row ? undefined : to;
    cursor = rowStart() + column - 1;
  }

  function back(to: number): void {
    cursor = to;
    printed = false;
    erasing = marks !== undefined;
  }

  function up(rows: number): void {
    const at = cursor - (atLastColumn() ? 1 : 0);
    cursor = Math.max(at - rows * cols, at % cols);
    printed = false;
  }

  /** In an upper row of a wrapped line, which an editor repaints, a line feed only goes down. */
  function lineFeed(): void {
    const at = base + cursor - (atLastColumn() ? 1 : 0);
    const isUpper = Math.floor(at / cols) < Math.floor((base + line.length - 1) / cols);
    if (isUpper && marks === undefined) {
      cursor += cols;
      printed = false;
    } else newline();
  }

  function carriageReturn(): void {
    const kept = fillsRow();
    if (kept !== undefined) freshLine = { kept };
    back(rowStart());
  }

  /**
   * Before their prompt, zsh and fish print a mark and as many blanks as the terminal is wide: behind output without a
   * line end that leads to the next row, else it is painted over.
   * @returns length of the text before the mark
   */
  function fillsRow(): number | undefined {
    if (marks !== undefined || cursor !== line.length || cursor < cols || line.at(-1) !== " ")
      return undefined;
    const text = line.trimEnd();
    const blanks = line.length - text.length;
    if (blanks < cols - markWidth) return undefined;
    const mark = /(?:[⏎¶]|\^J)(?:\$<\d{1,3}>)?$/.exec(text)?.[0].length ?? Math.max(0, cols - blanks);
    return Math.max(0, text.length - mark);
  }

  function beginFreshLine(kept: number): void {
    const text = line.slice(0, kept);
    if (text !== "") out.push(text, "\n");
    line = "";
    cursor = 0;
    base = 0;
    row = undefined;
  }

  function print(run: string): void {
    if (freshLine !== undefined) {
      const { kept } = freshLine;
      freshLine = undefined;
      beginFreshLine(kept);
    }
    printed = true;
    if (wantedRow !== undefined) {
      const column = cursor - rowStart();
      const next = wantedRow;
      if (row !== undefined && line !== "") newline();
      row = next;
      wantedRow = undefined;
      cursor = column;
    }
    if (cursor === line.length && marks === undefined) {
      line += run;
      cursor = line.length;
      if (delayAt !== undefined) dropDelay(delayAt);
      spill();
      return;
    }
    // The pager ends at a fixed column, so that the result does not depend on packet boundaries.
    const room = marks === undefined ? run.length : Math.max(1, 2 * pieceChars - cursor);
    overwrite(run.slice(0, room), true);
    if (room < run.length) print(run.slice(room));
  }

  /** fish prints the delays that the description of a vt100 contains. */
  function dropDelay(from: number): void {
    const delay = /^\$<\d{1,3}[*/]{0,2}>/.exec(line.slice(from, from + 8))?.[0];
    if (delay === undefined) {
      if (line.length - from > 8 || !/^\$?<?\d{0,3}[*/]{0,2}$/.test(line.slice(from))) delayAt = undefined;
      return;
    }
    line = line.slice(0, from) + line.slice(from + delay.length);
    cursor = line.length;
    delayAt = undefined;
  }

  function overwrite(run: string, move: boolean): void {
    if (cursor > line.length) {
      // A column beyond the screen is an error of the device and must not create a huge line.
      cursor = Math.min(cursor, Math.max(line.length, rowStart() + cols));
      line = line.padEnd(cursor);
    }
    if (marks !== undefined) erasing = paintOver(marks, { run, from: cursor, length: line.length, erasing });
    line = line.slice(0, cursor) + run + line.slice(cursor + run.length);
    if (move) cursor += run.length;
    spill();
  }

  function splice(from: number, remove: number, insert: string): void {
    if (from >= line.length) return;
    line = line.slice(0, from) + insert + line.slice(from + remove);
    marks?.splice(from, remove, ...Array.from(insert, () => pagerMark.text));
    spill();
  }

  function cut(from: number): void {
    line = line.slice(0, from);
    if (marks !== undefined) marks.length = Math.min(marks.length, from);
  }

  function eraseLine(mode: number): void {
    if (mode === 0) cut(cursor);
    else if (mode === 2) cut(0);
    else if (mode === 1) {
      const column = cursor;
      cursor = 0;
      overwrite(" ".repeat(Math.min(column, line.length)), false);
      cursor = column;
    }
  }

  function clearScreen(): void {
    if (line !== "") newline();
    row = undefined;
  }

  /** A wrapped line is one line: a carriage return goes to the start of its last row, as readline repaints it. */
  function rowStart(): number {
    const at = base + Math.min(cursor, line.length) - (atLastColumn() ? 1 : 0);
    return Math.max(0, Math.floor(at / cols) * cols - base);
  }

  function atLastColumn(): boolean {
    return printed && cursor > 0 && (base + cursor) % cols === 0;
  }

  function spill(): void {
    if (line.length < 2 * pieceChars) return;
    // No pager prompt is repainted for this long; treat it as finished.
    const visible = rendered();
    marks = undefined;
    const take = Math.max(0, Math.floor(visible.length / pieceChars) - 1) * pieceChars;
    cursor = Math.max(0, cursor - (line.length - visible.length) - take);
    out.push(visible.slice(0, take));
    line = visible.slice(take);
    base += take;
  }

  function newline(): void {
    freshLine = undefined;
    delayAt = undefined;
    printed = false;
    const text = rendered();
    // A line that contains only an unpainted pager prompt is not output.
    if (text !== "" || marks === undefined || !marks.includes(pagerMark.pager)) out.push(text, "\n");
    line = "";
    cursor = 0;
    base = 0;
    marks = undefined;
    wantedRow = undefined;
    row = undefined;
  }

  function rendered(): string {
    return marks === undefined ? line : withoutPager(line, marks);
  }

  function wipe(): void {
    marks = markPager(line);
  }

  function release(): void {
    line = copied(line);
  }

  return { push, line: rendered, wipe, release };
}

// Strings as the runtime keeps them: parts and sums of others, until they are copied.

/** JIT-compiled code builds a rope even for an empty operand, and copies the other one when the rope is read. */
const joined = (first: string, rest: string) => (first === "" ? rest : rest === "" ? first : first + rest);

/** A string of its own: a part of another one keeps all of it in memory. */
const copied = (text: string): string => String(JSON.parse(JSON.stringify(text)));

// Control characters and escape sequences: which text is printable, and their parameters.

/**
 * Anything but printable text, tabs and line ends; most output contains none of it. Line ends with many carriage
 * returns are handled one by one, because matching the end from each of them would be quadratic.
 */
const special = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\r{0,8}\n)/;
/** The same for pure ASCII text, in half the time. */
const specialAscii = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\r{0,8}\n)/;
const printable = /[^\x00-\x08\x0a-\x1f\x7f-\x9f]+/y;
/** Longest accepted escape sequence; longer ones are garbage. */
const maxSequence = 64;
const maxTitle = 4096;
/** Each one moves to the row above, and no line has that many. */
const maxReturns = 1024;
const maxOfNumber = 9999;

function isPlain(text: string, ascii: boolean): boolean {
  return !(ascii ? specialAscii : special).test(text);
}

function printableAt(text: string, at: number): string | undefined {
  printable.lastIndex = at;
  return printable.exec(text)?.[0];
}

/** The parameters of a control sequence. */
function numbersOf(text: string): number[] {
  return text.split(";").map((part) => Math.min(Number.parseInt(part, 10) || 0, maxOfNumber));
}

/**
 * The content of a column. `lateBlank`: a blank over the part of the pager prompt that arrived after the key was
 * pressed.
 */
const pagerMark = { text: 0, wiped: 1, pager: 2, lateBlank: 3 } as const;
/** Indexed by column. */
type PagerMarks = number[];

/** Marks the whole line as pager. */
function markPager(line: string): PagerMarks {
  return Array.from({ length: line.length }, () => pagerMark.pager);
}

/**
 * Marks text painted from a column on.
 * @param erasing the cursor moved back to the pager: blanks painted now erase the part of it that arrived late
 * @returns whether it still erases: a wipe may exceed the pager; text painted a second time is output
 */
function paintOver(
  marks: PagerMarks,
  { run, from, length, erasing }: { run: string; from: number; length: number; erasing: boolean },
): boolean {
  let erases = erasing;
  /** Number of text columns, counted on first use. */
  let texts: number | undefined;
  for (let i = 0; i < run.length; i++) {
    const at = from + i;
    erases &&= run[i] === " ";
    const before = marks[at] ?? pagerMark.text;
    const ofPager = before === pagerMark.pager || before === pagerMark.lateBlank;
    const wipes = ofPager || (erases && marks[at] === pagerMark.text);
    if (at >= length) texts ??= marks.filter(isText).length;
    const beyond = at >= length && texts === 0;
    const isPainted = run[i] !== " " || !(wipes || beyond);
    // Blanks that wipe start where the cursor moved back to.
    const blank = wipes || erases ? pagerMark.wiped : pagerMark.lateBlank;
    const mark = isPainted ? pagerMark.text : blank;
    if (texts !== undefined) texts += Number(isText(mark)) - Number(isText(marks[at]));
    marks[at] = mark;
  }
  return erases;
}

const isText = (mark: number | undefined) => mark === pagerMark.text;

/** The line without the columns of the pager. */
function withoutPager(line: string, marks: PagerMarks): string {
  let end = line.length;
  while (end > 0 && (marks[end - 1] ?? pagerMark.text) !== pagerMark.text) end--;
  let text = "";
  for (let at = 0; at < end; at++) {
    if (marks[at] !== pagerMark.pager) text += line[at];
  }
  return text;
}
