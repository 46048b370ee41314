/**
 * Differences by the number of devices that have them. The store keeps a count of each; those of devices that are not asked
 * for, or of which nothing is told now, are taken off it, or only those that are asked for are counted: whatever is less.
 * In pieces that others do not notice.
 */
import { createHash } from "node:crypto";
import { intentLimits } from "../api/intent/intent.ts";
import { invalid } from "../base/issues.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import { createFairSemaphore } from "../base/share/fair-semaphore.ts";
import { abortReason } from "../base/time/deadline.ts";
import { giveWay } from "../base/time/yield.ts";
import type { DriftPair, DriftText, Store } from "../store/port.ts";

export interface LinesAsked {
  /** Of devices, in lower case. */
  readonly names: readonly string[];
  /** See `DriftCondition`. */
  readonly fresh: number;
  readonly intent?: string | undefined;
  readonly section?: string | undefined;
  /** Part of the line. */
  readonly text?: string | undefined;
}

export interface CountedLine extends DriftText {
  /** The first of them, in lower case. */
  readonly first: readonly string[];
}

interface Counted {
  /** In their order: those that most devices have first. */
  readonly lines: DriftText[];
  /** Devices of which differences are told, by intent. */
  readonly told: ReadonlyMap<string, ReadonlySet<string>>;
  /** Counts more of them, until there are as many or no others. */
  fill(many: number, piece: Pieces): Promise<void>;
}

/** Rows of one piece: as many as take about so long. */
const rows = { first: 200, least: 20, most: 5_000 } as const;
const pieceMs = 5;
/** Each holds all lines that it has found. */
const atOnce = 2;
/** For the pages behind the first one, which so are of the same count. */
const keptMs = 60_000;
const kept = 2;

export function createDriftLines(intents: Pick<Store["intents"], "lines">) {
  const store = intents.lines;
  const turns = createFairSemaphore({ atOnce, perKey: 1 });
  const lists = createBoundedCache<{ readonly until: number; readonly counted: Counted }>(kept);

  async function count(asked: LinesAsked, whose: string, signal: AbortSignal): Promise<Counted> {
    const { intent, section, text } = asked;
    const piece = createPieces(whose, signal);
    const names = new Set(asked.names);
    const told: DriftPair[] = [];
    const others: DriftPair[] = [];
    for (let after: DriftPair | undefined, isMore = true; isMore; ) {
      const [found, size] = await piece((limit) => store.pairs(asked, after, limit));
      for (const { isTold, ...pair } of found) (isTold && names.has(pair.device) ? told : others).push(pair);
      after = found.at(-1);
      isMore = found.length === size;
    }

    const counts = new Map<number, number>();
    const isOfFew = told.length <= others.length;
    const some = isOfFew ? told : others;
    for (let at = 0; at < some.length; ) {
      const [found, size] = await piece((limit) => store.count(some.slice(at, at + limit)));
      for (const { id, devices } of found) counts.set(id, (counts.get(id) ?? 0) + devices);
      if (isOfFew && counts.size > intentLimits.lines && section === undefined && text === undefined)
        throw tooMany();
      at += size;
    }

    const list = createRanked(counts, isOfFew);
    const condition = { intent, section, text };
    if (isOfFew) {
      const ids = [...counts.keys()];
      for (let at = 0; at < ids.length; ) {
        const [found, size] = await piece((limit) =>
          store.texts({ ...condition, ids: ids.slice(at, at + limit) }, limit),
        );
        list.add(found);
        at += size;
      }
      list.end();
    }
    let after: DriftText | undefined;
    let isMore = !isOfFew;
    return {
      lines: list.lines,
      told: devicesByIntent(told),
      async fill(many, piece) {
        while (isMore && list.lines.length < many) {
          const [found, size] = await piece((limit) => store.texts({ ...condition, after }, limit));
          after = found.at(-1) ?? after;
          isMore = found.length === size;
          list.add(found, after);
          if (!isMore) list.end();
        }
      },
    };
  }

  /** The first devices of each, of those of which it is told. */
  async function named(
    { lines, told }: Pick<Counted, "told"> & { readonly lines: readonly DriftText[] },
    whose: string,
    signal: AbortSignal,
  ): Promise<CountedLine[]> {
    const piece = createPieces(whose, signal);
    const found = new Map<number, string[]>(lines.map(({ id }) => [id, []]));
    let open = lines.map(({ id, intent }) => ({ id, intent, after: "" }));
    for (let limit = 2 * intentLimits.firstDevices; open.length > 0; limit = longerList) {
      const further: typeof open = [];
      for (let at = 0; at < open.length; ) {
        const [lists, size] = await piece((most) => store.devices(open.slice(at, at + most), limit));
        for (const [place, devices] of lists.entries()) {
          const one = open[at + place];
          const first = one && found.get(one.id);
          if (one === undefined || first === undefined) continue;
          for (const device of devices)
            if (first.length < intentLimits.firstDevices && told.get(one.intent)?.has(device) === true)
              first.push(device);
          const last = devices.at(-1);
          if (first.length < intentLimits.firstDevices && devices.length === limit && last !== undefined)
            further.push({ ...one, after: last });
        }
        at += size;
      }
      open = further;
    }
    return lines.map((line) => ({ ...line, first: found.get(line.id) ?? [] }));
  }

  return {
    /**
     * @param offset of the page; behind the first one it is of the same count
     * @returns also whether there are more
     * @throws ServiceError Validation: too many different lines; TooManyRequests
     */
    async page(
      asked: LinesAsked,
      whose: string,
      { offset, limit }: { readonly offset: number; readonly limit: number },
      signal: AbortSignal,
    ): Promise<{ readonly lines: readonly CountedLine[]; readonly isLast: boolean }> {
      const { names, intent, section, text } = asked;
      const key = createHash("sha256")
        .update(JSON.stringify([whose, names, intent, section, text]))
        .digest("hex");
      const former = offset > 0 ? lists.get(key) : undefined;
      const isKept = former !== undefined && former.until > performance.now();
      return turns.runSoon(whose, signal, async () => {
        const counted = isKept ? former.counted : await count(asked, whose, signal);
        if (!isKept) lists.set(key, { until: performance.now() + keptMs, counted });
        await counted.fill(offset + limit + 1, createPieces(whose, signal));
        const lines = counted.lines.slice(offset, offset + limit);
        return {
          lines: await named({ told: counted.told, lines }, whose, signal),
          isLast: counted.lines.length <= offset + limit,
        };
      });
    },
  };
}

/** Devices of one line that are read at once, if those at its beginning are not told. */
const longerList = 500;

/** Differences in the order of their counts, from the store's, which come in the order of theirs and are never less. */
function createRanked(counts: ReadonlyMap<number, number>, isOfFew: boolean) {
  const lines: DriftText[] = [];
  let open: DriftText[] = [];
  let chars = 0;
  let held = 0;
  const isBefore = (one: Pick<DriftText, "devices" | "id">, other: Pick<DriftText, "devices" | "id">) =>
    one.devices > other.devices || (one.devices === other.devices && one.id <= other.id);
  function settle(isSure: (line: DriftText) => boolean): void {
    open.sort((one, other) => other.devices - one.devices || one.id - other.id);
    const first = open.findIndex((line) => !isSure(line));
    for (const line of open.splice(0, first < 0 ? open.length : first)) lines.push(line);
  }
  return {
    lines,
    /** @param last no further one is before it */
    add(found: readonly DriftText[], last?: DriftText): void {
      for (const line of found) {
        const counted = counts.get(line.id) ?? 0;
        const devices = isOfFew ? counted : line.devices - counted;
        if (devices <= 0) continue;
        chars += line.line.length + line.section.length + line.intent.length;
        open.push({ ...line, devices });
        if (++held > intentLimits.lines || chars > intentLimits.lineChars) throw tooMany();
      }
      if (last !== undefined) settle((line) => isBefore(line, last));
    },
    end(): void {
      settle(() => true);
      open = [];
    },
  };
}

const tooMany = () =>
  invalid(
    "select",
    `has devices with more than ${intentLimits.lines} different lines: ask for fewer devices, or for an \`intent\`, a \`section\` or a \`text\``,
  );

function devicesByIntent(pairs: readonly DriftPair[]): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>();
  for (const { device, intent } of pairs) {
    const devices = all.get(intent) ?? new Set();
    all.set(intent, devices.add(device));
  }
  return all;
}

type Pieces = ReturnType<typeof createPieces>;

/** Each piece is as large as takes a few milliseconds, and gives way before it begins. @returns also how large it was */
function createPieces(whose: string, signal: AbortSignal) {
  let size: number = rows.first;
  return async <T>(read: (limit: number) => Promise<T>): Promise<readonly [found: T, size: number]> => {
    await giveWay(whose);
    if (signal.aborted) throw abortReason(signal);
    const asked = size;
    const from = performance.now();
    const found = await read(asked);
    const fitting = Math.round((asked * pieceMs) / Math.max(0.1, performance.now() - from));
    size = Math.max(rows.least, Math.min(rows.most, fitting, 2 * asked));
    return [found, asked];
  };
}
