/** Makes lines of what a terminal received: no echo, no prompt, no remains of a pager, no escapes. */

/** A line that holds one of these is drawn as a terminal would. */
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
/** What a pager left at the start of a line. */
const pager =
  /^[ \t]{0,8}(?:<?-+ ?\(?more\b[^\x08\r\n\x1b]{0,60}?-+>?(?: ?\(\d{1,3}%\)|, next page[^\x08\r\x1b]{0,80}Control-C| or \(q\)uit)?|Press <SPACE> to continue or <Q> to quit:)/i;

/** Whether any line of a text may be drawn or paged: most texts have none, and are only split. */
const anyControl = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r[^\r\n]/;
const anyPager = /more|Press <SPACE>/i;

export interface Shown {
  /** The command, whose echo may stand before the text. */
  readonly command?: string | undefined;
  /** The prompt, which may stand before the echo and behind the text. */
  readonly prompt?: string | undefined;
}

/** Lines without trailing blanks; no blank line at the start or the end. */
export function cleanLines(text: string, { command, prompt }: Shown = {}): string[] {
  const lines = (text.startsWith("\ufeff") ? text.slice(1) : text).split("\n");
  const clean: string[] = [];
  const [hasPager, hasControl] = [anyPager.test(text), anyControl.test(text)];
  for (const raw of lines) {
    const line = withoutTrailingBlanks(raw);
    const isPaged = hasPager && line.length > 0 && pager.test(line);
    if (!isPaged && (!hasControl || !controls.test(line))) clean.push(line);
    else {
      const drawn = withoutTrailingBlanks(draw(isPaged ? line.replace(pager, "") : line));
      if (!isPaged || drawn !== "") clean.push(drawn);
    }
  }
  return withoutFrame(clean, command?.trim() ?? "", prompt?.trim() ?? "");
}

function withoutFrame(lines: readonly string[], command: string, prompt: string): string[] {
  let from = 0;
  let to = lines.length;
  const skipBlank = () => {
    while (from < to && lines[from] === "") from++;
    while (to > from && lines[to - 1] === "") to--;
  };
  skipBlank();
  if (from < to && isEcho(lines[from] ?? "", command, prompt)) from++;
  if (from < to && prompt !== "" && lines[to - 1]?.trim() === prompt) to--;
  skipBlank();
  return lines.slice(from, to);
}

function isEcho(line: string, command: string, prompt: string): boolean {
  if (command === "" || !line.endsWith(command)) return false;
  const before = line.slice(0, -command.length).trim();
  return before === "" || before === prompt || (before.length < 200 && /[>#$%\]]$/.test(before));
}

function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  for (; end > 0; end--) {
    const code = line.charCodeAt(end - 1);
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d) break;
  }
  return end === line.length ? line : line.slice(0, end);
}

/** What a terminal shows of one line. */
function draw(line: string): string {
  const cells: string[] = [];
  let at = 0;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 0x1b) {
      const sequence = escapeAt(line, i);
      i = sequence.end;
      at = moved(sequence, cells, at);
    } else if (code === 0x0d) at = 0;
    else if (code === 0x08) at = Math.max(0, at - 1);
    else if (code === 0x09 || (code >= 0x20 && (code < 0x7f || code > 0x9f))) cells[at++] = line[i] ?? "";
  }
  return cells.join("");
}

interface Escape {
  /** Its last character. */
  readonly end: number;
  /** Last character of a control sequence; empty: another escape, which shows nothing. */
  readonly final: string;
  readonly count: number | undefined;
}

function escapeAt(line: string, start: number): Escape {
  const kind = line[start + 1];
  if (kind === "[") {
    let end = start + 2;
    while (end < line.length && line.charCodeAt(end) < 0x40) end++;
    const count = line.slice(start + 2, Math.min(end, start + 8));
    return { end, final: line[end] ?? "", count: /^\d+$/.test(count) ? Number(count) : undefined };
  }
  if (kind === "]") {
    let end = start + 2;
    while (end < line.length && line[end] !== "\x07" && line[end] !== "\x1b") end++;
    return { end: line[end] === "\x1b" ? end + 1 : end, final: "", count: undefined };
  }
  // Choices of a character set have one more character.
  return { end: start + (kind !== undefined && "()*+#".includes(kind) ? 2 : 1), final: "", count: undefined };
}

function moved({ final, count }: Escape, cells: string[], at: number): number {
  if (final === "D") return Math.max(0, at - (count ?? 1));
  if (final === "C") return Math.min(cells.length, at + (count ?? 1));
  if (final === "G") return Math.min(cells.length, Math.max(0, (count ?? 1) - 1));
  if (final === "K") {
    if (count === undefined || count === 0) cells.length = Math.min(cells.length, at);
    else if (count === 2) {
      cells.length = 0;
      return 0;
    }
  }
  return at;
}
