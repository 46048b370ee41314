/** Searches texts in processes that keep the newest ones: what they do not have is read from the store and sent. */
import { giveWay } from "../../base/time/yield.ts";
import type { SearchQuery, TextMatches } from "../../configtext/search.ts";
import { type Pool, type RunOptions, searchShards } from "../../pool/port.ts";
import type { PackedText, SearchTask } from "../../protocol/task.ts";
import type { ConfigHistory, SearchedVersion } from "../../store/port.ts";
import { maxTextBytes } from "./texts.ts";

export interface SearchOptions extends Pick<RunOptions, "deadline"> {
  /** Id of the caller's key. */
  readonly key: string;
  /** Hits that are returned of all texts together; the others are counted. */
  readonly maxHits: number;
  /** Devices with matches that are needed: more may be returned. */
  readonly maxFound: number;
}

/** A version with matches. */
export interface FoundVersion<T> extends TextMatches {
  readonly of: T;
}

/**
 * All methods return texts that have matches, in the order given; damaged ones and those that are gone are left out. They
 * throw ServiceError Validation (the query), Unavailable, TemplateTimeout and TemplateLimit above the limits of the
 * processes, TooManyRequests if too much waits for them, the reason of the deadline.
 */
export interface TextSearch {
  /** The newest versions of devices, by device id. */
  newest<T extends SearchedVersion>(
    query: SearchQuery,
    versions: AsyncIterable<readonly T[]>,
    options: SearchOptions,
  ): AsyncGenerator<FoundVersion<T>>;
  /** Versions of devices, those of one next to each other. `hits`: of each line only the first one of a device, mostly. */
  all<T extends SearchedVersion>(
    query: SearchQuery,
    versions: AsyncIterable<readonly T[]>,
    options: SearchOptions,
  ): AsyncGenerator<FoundVersion<T>>;
}

/** Devices next to each other whose texts one process keeps: a small installation needs one. */
const devicesPerShard = 1_000;
/**
 * Of one task: others wait for it a few tenths of a second, but for expressions of many repetitions, whose steps for each
 * character are many. Marks of lines add no more than a share (`searchLimits`).
 */
const ofTask = { texts: 1_000, bytes: 16 * 1024 * 1024 } as const;
/** Texts that are read at once: packing and sending them takes the main thread about a millisecond. */
const ofRead = { texts: 200, bytes: 4 * 1024 * 1024 } as const;
/** Tasks that wait or run at the same time: both processes always have one. */
const ahead = 2 * searchShards;

export function createTextSearch(
  pool: Pick<Pool, "run">,
  { history }: { readonly history: Pick<ConfigHistory, "bodies"> },
): TextSearch {
  /** Processes that have had texts, if they have not ended since. */
  const warm = new Set<number>();

  type Wanted = Pick<SearchTask, "query" | "shard" | "maxHits" | "maxFound">;

  function run(task: Wanted & Pick<SearchTask, "texts" | "bases">, { deadline, key }: SearchOptions) {
    const { query, shard, maxHits, maxFound, texts, bases } = task;
    return pool.run(
      { kind: "search", ...{ query, shard, texts, bases, maxHits, maxFound, maxBytes: maxTextBytes } },
      { deadline, share: { key, job: false } },
    );
  }

  /** What the process has, and then what it lacks. */
  async function searchKept<T extends SearchedVersion>(
    versions: readonly T[],
    wanted: Wanted,
    options: SearchOptions,
  ): Promise<FoundVersion<T>[]> {
    const keys = versions.map(({ textId, device }): PackedText => ({ key: textId, group: device }));
    // A process that has not started has nothing: the texts are read meanwhile.
    const isWarm = warm.has(wanted.shard);
    const { found, missing } = isWarm
      ? await run({ ...wanted, texts: keys, bases: [] }, options)
      : { found: [], missing: [...versions.keys()] };
    const matches = found.map(({ at, hits, total }) => ({ at, hits, total }));
    const isLacking = new Set(missing);
    const lacking = versions.flatMap((version, at) => (isLacking.has(at) ? [{ version, at }] : []));
    for (const some of pieces(lacking, ({ version }) => version, ofRead)) {
      const read = await packed(some, options, ({ version }) => version, true);
      const more = await run({ ...wanted, ...read }, options);
      warm.add(wanted.shard);
      for (const { at, hits, total } of more.found) {
        const place = read.of[at]?.at;
        if (place !== undefined) matches.push({ at: place, hits, total });
      }
    }
    return matches
      .sort((one, other) => one.at - other.at)
      .flatMap(({ at, hits, total }) => {
        const of = versions[at];
        return of === undefined ? [] : [{ of, hits, total }];
      });
  }

  async function searchRead<T extends SearchedVersion>(
    versions: readonly T[],
    wanted: Wanted,
    options: SearchOptions,
  ): Promise<FoundVersion<T>[]> {
    const read = await packed(versions, options, (version) => version, false);
    const { found } = await run({ ...wanted, ...read }, options);
    return found.flatMap(({ at, hits, total }) => {
      const of = read.of[at];
      return of === undefined ? [] : [{ of, hits, total }];
    });
  }

  /** Texts as a task has them, and whose they are. @param isKept whether the process keeps them */
  async function packed<T>(
    wanted: readonly T[],
    { key }: SearchOptions,
    versionOf: (one: T) => SearchedVersion,
    isKept: boolean,
  ) {
    await giveWay(key);
    const ids = wanted.map((one) => versionOf(one).textId);
    const stored = new Map((await history.bodies([...new Set(ids)])).map((body) => [body.id, body]));
    const places = new Map<string, number>();
    const bases: string[] = [];
    const placeOf = (base: string): number | undefined => {
      const [known, body] = [places.get(base), stored.get(base)?.body];
      if (known !== undefined || body === undefined) return known;
      places.set(base, bases.length);
      return bases.push(base64(body)) - 1;
    };
    const of: T[] = [];
    const texts: PackedText[] = [];
    for (const one of wanted) {
      const { textId, device } = versionOf(one);
      const text = stored.get(textId);
      const base = typeof text?.base === "string" ? placeOf(text.base) : undefined;
      if (text === undefined || (text.base !== null && base === undefined)) continue;
      of.push(one);
      texts.push({
        ...{ body: base64(text.body), group: device },
        ...(isKept ? { key: textId } : {}),
        ...(base === undefined ? {} : { base }),
      });
    }
    return { of, texts, bases };
  }

  /** Some tasks ahead of what is taken. */
  async function* inOrder<T>(
    searches: AsyncIterable<() => Promise<FoundVersion<T>[]>>,
    { maxHits }: SearchOptions,
  ): AsyncGenerator<FoundVersion<T>> {
    let room = maxHits;
    const running: Promise<FoundVersion<T>[]>[] = [];
    const takeFirst = async () => {
      const found = (await running.shift()) ?? [];
      return found.map((version) => {
        // Tasks that ran at the same time each had all of the room.
        const hits = version.hits.slice(0, room);
        room -= hits.length;
        return { ...version, hits };
      });
    };
    for await (const search of searches) {
      const started = search();
      // Awaited later, or not at all if an earlier one fails.
      started.catch(() => {});
      running.push(started);
      if (running.length >= ahead) yield* await takeFirst();
    }
    while (running.length > 0) yield* await takeFirst();
  }

  return {
    newest(query, versions, options) {
      const { maxHits, maxFound } = options;
      async function* searches() {
        for await (const some of versions)
          for (const [block, ofBlock] of Map.groupBy(some, ({ device }) =>
            Math.floor(device / devicesPerShard),
          ))
            for (const piece of pieces(ofBlock, (version) => version, ofTask)) {
              const wanted = { query, shard: block % searchShards, maxHits, maxFound };
              yield () => searchKept(piece, wanted, options);
            }
      }
      return inOrder(searches(), options);
    },
    all(query, versions, options) {
      const { maxHits, maxFound } = options;
      async function* searches() {
        let shard = 0;
        for await (const some of versions)
          for (const piece of pieces(some, (version) => version, ofTask)) {
            const wanted = { query, shard: shard++ % searchShards, maxHits, maxFound };
            yield () => searchRead(piece, wanted, options);
          }
      }
      return inOrder(searches(), options);
    },
  };
}

/** In order, each within the limits, or a single one. */
function* pieces<T>(
  list: readonly T[],
  versionOf: (one: T) => SearchedVersion,
  most: { readonly texts: number; readonly bytes: number },
): Generator<T[]> {
  let [piece, bytes]: [T[], number] = [[], 0];
  for (const one of list) {
    const size = versionOf(one).bytes;
    if (piece.length > 0 && (piece.length >= most.texts || bytes + size > most.bytes)) {
      yield piece;
      [piece, bytes] = [[], 0];
    }
    piece.push(one);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
