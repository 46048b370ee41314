/** Masks many secrets in a text in one pass, with the same result as replacing each in turn. */
import type { TextSearch } from "../regex/text-search.ts";

export const masked = "[secret]";

/** A masked range, end exclusive. */
interface Taken {
  readonly from: number;
  readonly to: number;
  /** Turn of the text found there. */
  readonly turn: number;
}

/**
 * @param turnOf the order in which texts are replaced: longer first
 * @param isWord whether a text is masked only as a whole word
 * @returns masks those of `occurring` with `from` <= turn < `to`; undefined if the search exceeds its budget
 */
export function createPlaceMasker(
  many: TextSearch,
  turnOf: (number: number) => number,
  isWord: (text: string) => boolean,
): (text: string, occurring: ReadonlySet<number>, from: number, to: number) => string | undefined {
  return (text, occurring, from, to) => {
    const places = many.places(text);
    if (places === undefined) return undefined;
    const cover = createCover(text);
    const waiting: (number[] | undefined)[] = [];
    const numbers = new Map<number, number>();

    /** Schedules a position for the turn of its longest remaining text. */
    function wait(at: number, longest: number, maxLength: number): void {
      let number = many.within(longest, maxLength);
      while (number >= 0 && (turnOf(number) < from || !occurring.has(number)))
        number = many.within(longest, many.textOf(number).length - 1);
      if (number < 0) return;
      const turn = turnOf(number);
      if (turn >= to) return;
      numbers.set(turn, number);
      const same = waiting[turn];
      if (same) same.push(at);
      else waiting[turn] = [at];
    }

    for (const { at, longest } of places) wait(at, longest, Number.POSITIVE_INFINITY);
    for (let turn = from; turn < to; turn++) {
      const number = numbers.get(turn) ?? -1;
      const form = many.textOf(number);
      for (const at of (waiting[turn] ?? []).sort((a, b) => a - b)) {
        // Earlier texts are as long or longer: an overlap covers the first or the last character.
        if (cover.of(at)) continue;
        const across = cover.of(at + form.length - 1);
        if (across) wait(at, number, across.from - at);
        else if (isWord(form) && !cover.isApart(at, form.length, turn)) wait(at, number, form.length - 1);
        else cover.take({ from: at, to: at + form.length, turn });
      }
    }
    return cover.text();
  };
}

/** The ranges of a text that are already masked. */
function createCover(text: string) {
  const ranges: Taken[] = [];
  const places = new Int32Array(text.length);
  const of = (at: number) => ranges[(places[at] ?? 0) - 1];

  /** A range masked in this same turn still counts as text. */
  function isWordCharacter(at: number, turn: number): boolean {
    const range = of(at);
    if (range !== undefined && range.turn !== turn) return false;
    return /[A-Za-z0-9_]/.test(text.charAt(at));
  }

  return {
    of,
    isApart: (at: number, length: number, turn: number) =>
      !isWordCharacter(at - 1, turn) && !isWordCharacter(at + length, turn),
    take(range: Taken): void {
      ranges.push(range);
      places.fill(ranges.length, range.from, range.to);
    },
    text(): string {
      const pieces: string[] = [];
      let at = 0;
      for (const { from, to } of ranges.sort((a, b) => a.from - b.from)) {
        pieces.push(text.slice(at, from), masked);
        at = to;
      }
      return [...pieces, text.slice(at)].join("");
    },
  };
}
