/** Takes the terminal's echo of lines that were sent ahead out of the output into which it fell. */

/** More cells than these, of text times typed text, are not looked at: some 50 ms for a window, and 10 for an answer. */
const maxCells = { all: 8_000_000, some: 1_000_000 };
/** A shorter run of typed characters amid output may be output. */
const leastRun = 4;
/** A shorter echo may as well be words that the output has by chance. */
const leastEcho = 12;

export interface Taken {
  /**
   * The text without the echo; what separates answers stands as in the text. Several if the same number of runs can
   * be cut out at other places.
   */
  readonly rests: readonly string[];
  /** There is one rest, and no run of the echo, nor the output between two, is too short to tell them apart. */
  readonly sure: boolean;
  /** The runs that cut a line of the output, none if the whole echo is too short to be one. */
  readonly cutting: readonly string[];
}

/**
 * The fewest runs that make up all of the typed text, in order.
 * @param text in which no `separator` can be echo
 * @returns undefined if the typed text is not in it, or both are too long
 */
export function withoutAll(text: string, typed: string, separator: string): Taken | undefined {
  return taken(text, typed, typed.length, separator);
}

/**
 * Any part of the typed text, in order and without a gap, in runs that are worth more than their number.
 * @param price of a run, in characters
 * @returns what is left without it, if both are not too long
 */
export function withoutSome(text: string, typed: string, price: number): Taken | undefined {
  return taken(text, typed, price, undefined);
}

/**
 * The best way, from each place of the text and of the typed text on, to skip a character of output or to take one of
 * the echo.
 */
function taken(text: string, typed: string, price: number, separator: string | undefined): Taken | undefined {
  const [length, width] = [text.length, typed.length + 1];
  const all = separator !== undefined;
  if (length === 0 || width === 1 || length * width > maxCells[all ? "all" : "some"]) return undefined;
  const choices = new Uint8Array(length * width);
  // Of the place after the one looked at, until they are overwritten from the left.
  const outside = new Float64Array(width).fill(all ? Number.NEGATIVE_INFINITY : 0);
  if (all) outside[typed.length] = 0;
  const inside = new Float64Array(width).fill(Number.NEGATIVE_INFINITY);
  let [best, bestAt, bestOffset] = [0, -1, 0];
  for (let at = length - 1; at >= 0; at--) {
    for (let offset = 0; offset < width; offset++) {
      const skip = outside[offset] ?? 0;
      let run = Number.NEGATIVE_INFINITY;
      let choice = 0;
      if (offset < typed.length && text[at] === typed[offset] && text[at] !== separator) {
        const [ends, goesOn] = [outside[offset + 1] ?? 0, inside[offset + 1] ?? 0];
        if (goesOn >= ends) choice |= inRun;
        run = 1 + Math.max(goesOn, ends);
      }
      if (run - price > skip) choice |= starts;
      inside[offset] = run;
      outside[offset] = Math.max(skip, run - price);
      choices[at * width + offset] = choice;
      if (run - price > best) [best, bestAt, bestOffset] = [run - price, at, offset];
    }
  }
  if (all && outside[0] === Number.NEGATIVE_INFINITY) return undefined;
  return follow(
    text,
    choices,
    width,
    all ? { at: 0, offset: 0 } : { at: bestAt, offset: bestOffset },
    separator,
  );
}

const starts = 1;
const inRun = 2;

interface Run {
  readonly from: number;
  readonly to: number;
}

function follow(
  text: string,
  choices: Uint8Array,
  width: number,
  from: { readonly at: number; readonly offset: number },
  separator: string | undefined,
): Taken {
  const runs: Run[] = [];
  let { offset } = from;
  let runFrom = -1;
  for (let at = from.at < 0 ? text.length : from.at; at < text.length; at++) {
    const choice = choices[at * width + offset] ?? 0;
    if (runFrom < 0 && (choice & starts) === 0) continue;
    if (runFrom < 0) runFrom = at;
    offset++;
    if ((choice & inRun) !== 0) continue;
    runs.push({ from: runFrom, to: at + 1 });
    runFrom = -1;
  }
  const rest = without(text, runs);
  const others = [moved(text, runs, separator, -1), moved(text, runs, separator, 1)];
  if (separator === undefined) others.push(...shortened(runs));
  const rests = [...new Set([rest, ...others.map((runs) => without(text, runs))])];
  const isOne = rests.every((other) => other.trim() === rest.trim());
  const amid = runs.filter((run) => isAmid(text, runs, run, separator));
  const isShort = amid.some(({ from, to }) => to - from < leastRun);
  // Output of one character between two runs may as well be the next one that looks the same.
  const isTiny = amid.some(({ to }) => runs.some(({ from }) => from === to + 1 && text[to] !== "\n"));
  const length = runs.reduce((sum, { from, to }) => sum + to - from, 0);
  const cutting = length < leastEcho ? [] : runs.filter((run) => cutsLine(text, run));
  return {
    rests,
    sure: isOne && !isShort && !isTiny,
    cutting: cutting.map(({ from, to }) => text.slice(from, to)).filter((run) => run.length >= leastRun),
  };
}

function cutsLine(text: string, { from, to }: Run): boolean {
  const isInLine = (char: string | undefined) => char !== undefined && char !== "\n";
  return isInLine(text[from - 1]) || (isInLine(text[to]) && text[to - 1] !== "\n");
}

function without(text: string, runs: readonly Run[]): string {
  let rest = "";
  let at = 0;
  for (const { from, to } of runs) {
    rest += text.slice(at, from);
    at = to;
  }
  return rest + text.slice(at);
}

/**
 * The same echo with the output between each two of its runs as far to the left or to the right as it can stand: where
 * both begin or end alike, nobody can tell which is which.
 */
function moved(
  text: string,
  runs: readonly Run[],
  separator: string | undefined,
  step: -1 | 1,
): readonly Run[] {
  const result = runs.map((run) => ({ ...run }));
  for (const [index, run] of result.entries()) {
    const next = result[index + 1];
    if (next === undefined) break;
    if (separator !== undefined && text.slice(run.to, next.from).includes(separator)) continue;
    if (step < 0)
      for (; run.to - run.from > 1 && text[run.to - 1] === text[next.from - 1]; run.to--) next.from--;
    else for (; next.to - next.from > 1 && text[run.to] === text[next.from]; run.to++) next.from++;
  }
  return result;
}

/** A first run that began, or a last one that ended, amid output may have taken a character of it. */
function* shortened(runs: readonly Run[]): Generator<readonly Run[]> {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return;
  yield [{ ...first, from: first.from + 1 }, ...runs.slice(1)];
  yield [...runs.slice(0, -1), { ...last, to: last.to - 1 }];
}

/** Whether the answer that holds the run holds output, too. */
function isAmid(text: string, runs: readonly Run[], run: Run, separator: string | undefined): boolean {
  const from = separator === undefined ? 0 : text.lastIndexOf(separator, run.from) + 1;
  const end = separator === undefined ? -1 : text.indexOf(separator, run.to);
  const to = end < 0 ? text.length : end;
  const echoed = runs
    .filter((run) => run.from >= from && run.to <= to)
    .reduce((sum, run) => sum + run.to - run.from, 0);
  return echoed < to - from;
}
