/** Multi-pattern search: finds many texts in one text at a cost per position that does not depend on their number. */

/** Minimum length of a text. */
export const minSearchLength = 4;
/** Comparison budget per character of the searched text; patterns crafted to be similar cost more. */
const comparedEach = 64;
const comparedAtLeast = 1_000_000;

export interface TextPlace {
  readonly at: number;
  /** Index of the longest pattern at this position. */
  readonly longest: number;
}

export interface TextSearch {
  /** Where any of them occurs; undefined if they are so similar that the search exceeds its budget. */
  places(text: string): readonly TextPlace[] | undefined;
  /** Indexes of the patterns that occur in a text; undefined as above. */
  occurring(text: string): Set<number> | undefined;
  /** Whether any pattern occurs; undefined as above. */
  isIn(text: string): boolean | undefined;
  textOf(number: number): string;
  /** The longest pattern of at most `maxLength` characters that is a prefix of the given one, including itself; -1: none. */
  within(number: number, maxLength: number): number;
  /** Length of the longest suffix of the text that is a proper prefix of a pattern. */
  begun(text: string): number;
}

/** Patterns with a common prefix, in sorted order. */
interface Alike {
  readonly from: number;
  to: number;
}

/** @param texts distinct, each of 4 characters or more */
export function createTextSearch(texts: readonly string[]): TextSearch {
  const sorted = texts.toSorted();
  const chains = chainsOf(sorted);
  const alike = new Map<string, Alike>();
  for (const [at, text] of sorted.entries()) {
    const beginning = text.slice(0, minSearchLength);
    const group = alike.get(beginning);
    if (group) group.to = at + 1;
    else alike.set(beginning, { from: at, to: at + 1 });
  }
  const textOf = (number: number) => sorted[number] ?? "";
  const longest = sorted.reduce((longestSoFar, { length }) => Math.max(longestSoFar, length), 0);

  /**
   * Binary search: in sorted order, the last pattern that is not after the text at this position shares the longest
   * prefix with it.
   */
  function longestAt(
    text: string,
    at: number,
    { from, to }: Alike,
    count: (compared: number) => void,
  ): number {
    let [low, high] = [from - 1, to];
    let [lowShares, highShares] = [minSearchLength, minSearchLength];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const pattern = textOf(middle);
      const begin = Math.min(lowShares, highShares);
      const shares = sharedLength(text, at, pattern, begin);
      count(shares - begin + 1);
      const isBehind =
        shares < pattern.length &&
        (at + shares >= text.length || pattern.charCodeAt(shares) > text.charCodeAt(at + shares));
      if (isBehind) [high, highShares] = [middle, shares];
      else [low, lowShares] = [middle, shares];
    }
    return low < from ? -1 : chains.within(low, lowShares);
  }

  function* placesIn(text: string): Generator<TextPlace | undefined> {
    let budget = text.length * comparedEach + comparedAtLeast;
    const count = (compared: number) => {
      budget -= compared;
    };
    for (let at = 0; at + minSearchLength <= text.length; at++) {
      const group = alike.get(text.slice(at, at + minSearchLength));
      if (group === undefined) continue;
      const number = longestAt(text, at, group, count);
      if (budget < 0) {
        yield undefined;
        return;
      }
      if (number >= 0) yield { at, longest: number };
    }
  }

  /** Patterns with a common prefix are adjacent. */
  function hasLonger(beginning: string): boolean {
    let [low, high] = [-1, sorted.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (textOf(middle) <= beginning) low = middle;
      else high = middle;
    }
    return textOf(high).startsWith(beginning);
  }

  return {
    places(text) {
      const places: TextPlace[] = [];
      for (const place of placesIn(text)) {
        if (place === undefined) return undefined;
        places.push(place);
      }
      return places;
    },
    isIn(text) {
      for (const place of placesIn(text)) return place === undefined ? undefined : true;
      return false;
    },
    occurring(text) {
      const numbers = new Set<number>();
      for (const place of placesIn(text)) {
        if (place === undefined) return undefined;
        // If a pattern is already in the set, so are its prefixes.
        for (let number = place.longest; number >= 0 && !numbers.has(number); number = chains.shorter(number))
          numbers.add(number);
      }
      return numbers;
    },
    textOf,
    within: chains.within,
    begun(text) {
      for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
        const end = text.slice(at);
        const mayBegin = end.length < minSearchLength || alike.has(end.slice(0, minSearchLength));
        if (mayBegin && hasLonger(end)) return end.length;
      }
      return 0;
    },
  };
}

function sharedLength(text: string, at: number, pattern: string, from: number): number {
  const maxShared = Math.min(pattern.length, text.length - at);
  let shares = from;
  while (shares < maxShared && text.charCodeAt(at + shares) === pattern.charCodeAt(shares)) shares++;
  return shares;
}

/** Links each sorted text to its longest proper prefix among the texts; skip pointers make long chains fast to walk. */
function chainsOf(sorted: readonly string[]) {
  const shorter = new Int32Array(sorted.length).fill(-1);
  /** Skip pointers to a shorter prefix; their lengths double. */
  const leaps = new Int32Array(sorted.length).fill(-1);
  const depths = new Int32Array(sorted.length);
  const open: number[] = [];
  const lengthOf = (number: number) => sorted[number]?.length ?? 0;
  const depthOf = (number: number) => (number < 0 ? -1 : (depths[number] ?? 0));
  const leapOf = (number: number) => (number < 0 ? -1 : (leaps[number] ?? -1));
  for (const [number, text] of sorted.entries()) {
    while (open.length > 0 && !text.startsWith(sorted[open.at(-1) ?? 0] ?? "")) open.pop();
    const below = open.at(-1) ?? -1;
    const leap = leapOf(below);
    const isEven = depthOf(below) - depthOf(leap) === depthOf(leap) - depthOf(leapOf(leap));
    shorter[number] = below;
    leaps[number] = below >= 0 && isEven ? leapOf(leap) : below;
    depths[number] = depthOf(below) + 1;
    open.push(number);
  }
  return {
    shorter: (number: number) => shorter[number] ?? -1,
    within(number: number, maxLength: number): number {
      let at = number;
      while (at >= 0 && lengthOf(at) > maxLength) {
        const leap = leapOf(at);
        at = leap >= 0 && lengthOf(leap) > maxLength ? leap : (shorter[at] ?? -1);
      }
      return at;
    },
  };
}
