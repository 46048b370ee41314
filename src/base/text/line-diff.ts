/**
 * Compares two texts line by line: the shortest difference (Myers, in linear space), with bounded work. Where more than
 * `maxEdits` lines differ, lines that occur once in both texts are anchors; when the work is used up, the rest is
 * replaced as a whole.
 */

/** Lines `oldFrom` to `oldTo` (excluded, from 0) of one text stand as `newFrom` to `newTo` in the other. */
export interface LineChange {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

export interface LineDifference {
  /** In order; between them both texts are equal. */
  readonly changes: readonly LineChange[];
  /** The texts differ in too many lines to find the shortest difference. */
  readonly approximate: boolean;
  /** Comparisons made, which are bounded. */
  readonly work: number;
}

/** A part that differs, with equal lines around it. */
export interface Hunk extends LineChange {
  readonly changes: readonly LineChange[];
}

/** Edits up to which the shortest difference of a part is looked for; the work is their square. */
const maxEdits = 2_000;
/** Comparisons, of about 20 ns each, which suffice for some 600 edits anywhere, and for more in long texts. */
const workAtLeast = 250_000;
const workPerLine = 16;
const maxAnchorDepth = 8;
const contextLines = 3;

export function compareLines(before: readonly string[], after: readonly string[]): LineDifference {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start++;
  let end = 0;
  const most = least - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const [oldEnd, newEnd] = [before.length - end, after.length - end];
  if (start === oldEnd || start === newEnd) {
    const only = { oldFrom: start, oldTo: oldEnd, newFrom: start, newTo: newEnd };
    const changes = start === oldEnd && start === newEnd ? [] : slid([only], before, after);
    return { changes, approximate: false, work: 0 };
  }
  const numbers = new Map<string, number>();
  const old = numbered(before, start, oldEnd, numbers);
  const fresh = numbered(after, start, newEnd, numbers);
  // A line that only one text has is part of no match, so leaving it out changes no result.
  const [oldKept, newKept] = keptLines(old, fresh, numbers.size);
  const [a, b] = [pick(old, oldKept), pick(fresh, newKept)];
  const { isMatched, isMatchedNew, approximate, work } = matchLines(a, b);
  const oldMatched = spread(isMatched, oldKept, old.length);
  const newMatched = spread(isMatchedNew, newKept, fresh.length);
  const changes = changesOf(oldMatched, newMatched, start);
  return { changes: slid(changes, before, after), approximate, work };
}

function numbered(
  lines: readonly string[],
  from: number,
  to: number,
  numbers: Map<string, number>,
): Int32Array {
  const result = new Int32Array(to - from);
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? "";
    let number = numbers.get(line);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(line, number);
    }
    result[at - from] = number;
  }
  return result;
}

/** Places of the lines that the other text has too. */
function keptLines(old: Int32Array, fresh: Int32Array, count: number): [Int32Array, Int32Array] {
  const sides = new Uint8Array(count);
  for (const number of old) sides[number] = 1;
  for (const number of fresh) sides[number] = (sides[number] ?? 0) | 2;
  const placesIn = (lines: Int32Array) => {
    const places = new Int32Array(lines.length);
    let kept = 0;
    for (let at = 0; at < lines.length; at++) if (sides[lines[at] ?? 0] === 3) places[kept++] = at;
    return places.subarray(0, kept);
  };
  return [placesIn(old), placesIn(fresh)];
}

function pick(lines: Int32Array, places: Int32Array): Int32Array {
  return places.map((place) => lines[place] ?? 0);
}

function spread(flags: Uint8Array, places: Int32Array, length: number): Uint8Array {
  const all = new Uint8Array(length);
  for (let at = 0; at < places.length; at++) all[places[at] ?? 0] = flags[at] ?? 0;
  return all;
}

function changesOf(oldMatched: Uint8Array, newMatched: Uint8Array, offset: number): LineChange[] {
  const changes: LineChange[] = [];
  let [x, y] = [0, 0];
  while (x < oldMatched.length || y < newMatched.length) {
    if (oldMatched[x] === 1 && newMatched[y] === 1) {
      x++;
      y++;
      continue;
    }
    const [oldFrom, newFrom] = [x, y];
    while (x < oldMatched.length && oldMatched[x] === 0) x++;
    while (y < newMatched.length && newMatched[y] === 0) y++;
    changes.push({
      oldFrom: oldFrom + offset,
      oldTo: x + offset,
      newFrom: newFrom + offset,
      newTo: y + offset,
    });
  }
  return changes;
}

interface Part {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
  /** How often it was divided at anchors. */
  readonly depth: number;
}

/** Which lines are part of the common sequence; the k-th of one text is the k-th of the other. */
function matchLines(a: Int32Array, b: Int32Array) {
  const isMatched = new Uint8Array(a.length);
  const isMatchedNew = new Uint8Array(b.length);
  const middles = createMiddles(a, b);
  let approximate = false;
  const parts: Part[] = [{ oldFrom: 0, oldTo: a.length, newFrom: 0, newTo: b.length, depth: 0 }];
  const match = (x: number, y: number) => {
    isMatched[x] = 1;
    isMatchedNew[y] = 1;
  };
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    let { oldFrom, oldTo, newFrom, newTo } = part;
    while (oldFrom < oldTo && newFrom < newTo && a[oldFrom] === b[newFrom]) match(oldFrom++, newFrom++);
    while (oldFrom < oldTo && newFrom < newTo && a[oldTo - 1] === b[newTo - 1]) match(--oldTo, --newTo);
    if (oldFrom === oldTo || newFrom === newTo) continue;
    const middle = middles.find(oldFrom, oldTo, newFrom, newTo);
    const divide = ({ x, y }: Middle) => {
      parts.push({ ...part, oldFrom, oldTo: x, newFrom, newTo: y });
      parts.push({ ...part, oldFrom: x, oldTo, newFrom: y, newTo });
    };
    if (middle?.exact) {
      divide(middle);
      continue;
    }
    approximate = true;
    const anchors = part.depth < maxAnchorDepth ? anchorsOf(a, b, oldFrom, oldTo, newFrom, newTo) : [];
    if (anchors.length > 0) {
      let [x, y] = [oldFrom, newFrom];
      const depth = part.depth + 1;
      for (const anchor of anchors) {
        parts.push({ oldFrom: x, oldTo: anchor.x, newFrom: y, newTo: anchor.y, depth });
        match(anchor.x, anchor.y);
        [x, y] = [anchor.x + 1, anchor.y + 1];
      }
      parts.push({ oldFrom: x, oldTo, newFrom: y, newTo, depth });
    } else if (middle !== undefined) divide(middle);
  }
  return { isMatched, isMatchedNew, approximate, work: middles.work() };
}

interface Middle {
  readonly x: number;
  readonly y: number;
  /** It lies on a shortest path; otherwise it is as far as the search came. */
  readonly exact: boolean;
}

/** Finds where a shortest path through a part can be divided, from both of its ends. */
function createMiddles(a: Int32Array, b: Int32Array) {
  const mostSteps = Math.min(Math.ceil((a.length + b.length) / 2), maxEdits / 2) + 1;
  /** How far the path on each diagonal has come, from the start and from the end. */
  const forth = new Int32Array(2 * mostSteps + 3);
  const back = new Int32Array(2 * mostSteps + 3);
  const zero = mostSteps + 1;
  const maxWork = workAtLeast + workPerLine * (a.length + b.length);
  let work = 0;

  /** Both parts are not empty, and differ in their first and in their last line. Undefined: the work is used up. */
  function find(oldFrom: number, oldTo: number, newFrom: number, newTo: number): Middle | undefined {
    const [n, m] = [oldTo - oldFrom, newTo - newFrom];
    const delta = n - m;
    const isOdd = (delta & 1) !== 0;
    forth[zero + 1] = 0;
    back[zero + 1] = 0;
    let [farX, farY] = [0, 0];
    for (let steps = 0; steps < mostSteps; steps++) {
      if (work > maxWork) return undefined;
      const low = -steps + 2 * Math.max(0, steps - m);
      const high = steps - 2 * Math.max(0, steps - n);
      work += high - low + 1;
      forth[zero - steps - 1] = -1;
      if (steps > 0) forth[zero + steps + 1] = -1;
      for (let k = low; k <= high; k += 2) {
        const [down, right] = [forth[zero + k + 1] ?? 0, forth[zero + k - 1] ?? 0];
        let x = right < down ? down : right + 1;
        const from = x;
        while (x < n && x - k < m && a[oldFrom + x] === b[newFrom + x - k]) x++;
        work += x - from;
        forth[zero + k] = x;
        if (x + x - k > farX + farY) [farX, farY] = [x, x - k];
        const other = delta - k;
        if (isOdd && other > -steps && other < steps && x + (back[zero + other] ?? 0) >= n)
          return { x: oldFrom + x, y: newFrom + x - k, exact: true };
      }
      back[zero - steps - 1] = -1;
      if (steps > 0) back[zero + steps + 1] = -1;
      for (let k = low; k <= high; k += 2) {
        const [down, right] = [back[zero + k + 1] ?? 0, back[zero + k - 1] ?? 0];
        let x = right < down ? down : right + 1;
        const from = x;
        while (x < n && x - k < m && a[oldTo - 1 - x] === b[newTo - 1 - x + k]) x++;
        work += x - from;
        back[zero + k] = x;
        const other = delta - k;
        if (!isOdd && other >= -steps && other <= steps && x + (forth[zero + other] ?? 0) >= n)
          return { x: oldTo - x, y: newTo - x + k, exact: true };
      }
    }
    return { x: oldFrom + farX, y: newFrom + farY, exact: false };
  }
  return { find, work: () => work };
}

/** Lines that occur once in each part, in the longest common order (patience). */
function anchorsOf(
  a: Int32Array,
  b: Int32Array,
  oldFrom: number,
  oldTo: number,
  newFrom: number,
  newTo: number,
): { x: number; y: number }[] {
  const repeated = -1;
  const onceIn = (lines: Int32Array, from: number, to: number) => {
    const places = new Map<number, number>();
    for (let at = from; at < to; at++) {
      const line = lines[at] ?? 0;
      places.set(line, places.has(line) ? repeated : at);
    }
    return places;
  };
  const inNew = onceIn(b, newFrom, newTo);
  const pairs: { x: number; y: number; before: number }[] = [];
  for (const [line, x] of onceIn(a, oldFrom, oldTo)) {
    const y = inNew.get(line) ?? repeated;
    if (x !== repeated && y !== repeated) pairs.push({ x, y, before: -1 });
  }
  pairs.sort((one, other) => one.x - other.x);
  /** For each length, the pair with the least `y` that ends an increasing sequence of it. */
  const ends: number[] = [];
  const yAt = (length: number) => pairs[ends[length] ?? 0]?.y ?? 0;
  for (const [index, pair] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (yAt(middle) < pair.y) low = middle + 1;
      else high = middle;
    }
    pair.before = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = index;
  }
  const anchors: { x: number; y: number }[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; ) {
    const pair = pairs[index];
    if (pair === undefined) break;
    anchors.push({ x: pair.x, y: pair.y });
    index = pair.before;
  }
  return anchors.reverse();
}

/**
 * Of the places where an inserted or removed part could equally stand, the one that begins at a heading: where the
 * indentation is least, and not at a line that closes something.
 */
function slid(
  changes: readonly LineChange[],
  before: readonly string[],
  after: readonly string[],
): LineChange[] {
  const result: LineChange[] = [];
  for (const [index, change] of changes.entries()) {
    const isRemoval = change.newFrom === change.newTo;
    if (!isRemoval && change.oldFrom !== change.oldTo) {
      result.push(change);
      continue;
    }
    const lines = isRemoval ? before : after;
    const [from, to] = isRemoval ? [change.oldFrom, change.oldTo] : [change.newFrom, change.newTo];
    // An equal line stays between two changes.
    const last = result.at(-1);
    const room = last === undefined ? change.oldFrom : change.oldFrom - last.oldTo - 1;
    const next = changes[index + 1];
    const roomAfter = next === undefined ? before.length - change.oldTo : next.oldFrom - change.oldTo - 1;
    let up = 0;
    while (up < room && lines[from - 1 - up] === lines[to - 1 - up]) up++;
    let down = 0;
    while (down < roomAfter && lines[from + down] === lines[to + down]) down++;
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (let by = down; by >= -up; by--) {
      const cost = placeCost(lines[from + by] ?? "", lines[to + by] ?? "");
      if (cost < least) [best, least] = [by, cost];
    }
    result.push({
      oldFrom: change.oldFrom + best,
      oldTo: change.oldTo + best,
      newFrom: change.newFrom + best,
      newTo: change.newTo + best,
    });
  }
  return result;
}

function placeCost(first: string, following: string): number {
  return 2 * (indentOf(first) + indentOf(following)) + (/^[\s!#})\];]*$/.test(first) ? 1 : 0);
}

function indentOf(line: string): number {
  return Math.max(0, line.search(/\S/));
}

/** The changes with `context` equal lines around them; those with no more than twice as many between them are one part. */
export function hunksOf(
  changes: readonly LineChange[],
  oldLength: number,
  newLength: number,
  context = contextLines,
): Hunk[] {
  const hunks: (LineChange & { changes: LineChange[] })[] = [];
  for (const change of changes) {
    const above = Math.min(context, change.oldFrom, change.newFrom);
    const below = Math.min(context, oldLength - change.oldTo, newLength - change.newTo);
    const [oldTo, newTo] = [change.oldTo + below, change.newTo + below];
    const hunk = hunks.at(-1);
    if (hunk !== undefined && change.oldFrom - above <= hunk.oldTo) {
      hunks[hunks.length - 1] = { ...hunk, oldTo, newTo };
      hunk.changes.push(change);
      continue;
    }
    const [oldFrom, newFrom] = [change.oldFrom - above, change.newFrom - above];
    hunks.push({ oldFrom, oldTo, newFrom, newTo, changes: [change] });
  }
  return hunks;
}

/** The lines of a hunk in unified format. */
export function unifiedHunk(hunk: Hunk, before: readonly string[], after: readonly string[]): string[] {
  const lines: string[] = [];
  const show = (mark: string, from: readonly string[], start: number, end: number) => {
    for (let at = start; at < end; at++) lines.push(mark + (from[at] ?? ""));
  };
  let at = hunk.oldFrom;
  for (const { oldFrom, oldTo, newFrom, newTo } of hunk.changes) {
    show(" ", before, at, oldFrom);
    show("-", before, oldFrom, oldTo);
    show("+", after, newFrom, newTo);
    at = oldTo;
  }
  show(" ", before, at, hunk.oldTo);
  return lines;
}

/** `@@ -1,4 +1,5 @@` */
export function hunkHeader({ oldFrom, oldTo, newFrom, newTo }: LineChange): string {
  return `@@ -${rangeOf(oldFrom, oldTo)} +${rangeOf(newFrom, newTo)} @@`;
}

/** Line numbers count from 1; an empty range names the line before it. */
function rangeOf(from: number, to: number): string {
  if (to - from === 1) return `${to}`;
  return `${to === from ? from : from + 1},${to - from}`;
}

/** In unified format, without the names of the texts; empty if they are equal. */
export function unifiedLines(before: string, after: string): string[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const { changes } = compareLines(old, fresh);
  return hunksOf(changes, old.length, fresh.length).flatMap((hunk) => [
    hunkHeader(hunk),
    ...unifiedHunk(hunk, old, fresh),
  ]);
}
