/** Searches configurations within reach: a page of devices that have what was searched for. */
import type { SearchResult } from "../../api/history/history.ts";
import type { PageOf } from "../../api/page.ts";
import { shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { giveWay } from "../../base/time/yield.ts";
import { compileSearch, lineKey, type SearchHit, type SearchQuery } from "../../configtext/search.ts";
import type { SearchedDevice, SearchedVersion, Store } from "../../store/port.ts";
import { versionRecordOf } from "../records.ts";
import type { FoundVersion, SearchOptions, TextSearch } from "./text-search.ts";
import { withinLimit } from "./work-limit.ts";

export interface SearchTools {
  readonly store: Pick<Store, "history">;
  readonly textSearch: TextSearch;
  readonly iso: (ms: number) => string;
}

export interface SearchRange {
  readonly query: SearchQuery;
  /** All good versions, not only the newest. */
  readonly ever: boolean;
  maySee(device: Pick<SearchedDevice, "name" | "host">): boolean;
}

export interface SearchPage {
  readonly limit: number;
  /** Id of the device behind which it continues. */
  readonly position: number;
  readonly signal?: AbortSignal | undefined;
}

const part = "running";
/** Devices of one read. */
const devicesAtOnce = 1_000;
/** Versions of some devices that are searched together, if all are; a device may have more. */
const versionsAtOnce = 4_000;
/** Hits of one answer; the cursor continues behind the last device. */
const maxHits = 5_000;
/** Lines that are shown of a device, if all its versions are searched. */
const maxLines = 100;
/** A search of all versions ends after this time, with a cursor. */
const answerMs = 10_000;

/** What was found in a device: the newest version that has it, and the oldest one if all were searched. */
interface Match {
  readonly newest: SearchedVersion;
  readonly oldest?: SearchedVersion;
  readonly total: number;
  readonly hits: readonly SearchHit[];
}

export function createSearch({ store, textSearch, iso }: SearchTools) {
  const { history } = store;

  return async (range: SearchRange, caller: Caller, page: SearchPage): Promise<PageOf<SearchResult>> => {
    // Refused before anything is read.
    await compileSearch(range.query);
    return withinLimit(page.signal, (deadline) => {
      const options = { deadline, key: shareOf(caller), maxHits, maxFound: page.limit + 1 };
      return range.ever ? everywhere(range, page, options) : newest(range, page, options);
    });
  };

  /** Devices within reach, by id, with their newest versions. */
  async function* heads(
    { maySee }: SearchRange,
    { position }: SearchPage,
    key: string,
  ): AsyncGenerator<SearchedDevice[]> {
    for (let after: number | undefined = position; after !== undefined; ) {
      await giveWay(key);
      const devices: SearchedDevice[] = await history.newest(part, after, devicesAtOnce);
      const seen = devices.filter(maySee);
      if (seen.length > 0) yield seen;
      after = devices.at(-1)?.device;
    }
  }

  async function newest(
    range: SearchRange,
    page: SearchPage,
    options: SearchOptions,
  ): Promise<PageOf<SearchResult>> {
    const matches: Match[] = [];
    let count = 0;
    for await (const { of, hits, total } of textSearch.newest(
      range.query,
      heads(range, page, options.key),
      options,
    )) {
      if (matches.length === page.limit || count >= maxHits)
        return { items: await records(matches), next: String(of.device - 1) };
      matches.push({ newest: of, total, hits });
      count += hits.length;
    }
    return { items: await records(matches), next: undefined };
  }

  async function everywhere(
    range: SearchRange,
    page: SearchPage,
    options: SearchOptions,
  ): Promise<PageOf<SearchResult>> {
    const until = performance.now() + answerMs;
    const matches: Match[] = [];
    for await (const devices of heads(range, page, options.key))
      for await (const some of fewVersions(devices)) {
        const found: FoundVersion<SearchedVersion>[] = [];
        for await (const one of textSearch.all(range.query, goodVersions(some), options)) found.push(one);
        for (const [device, ofDevice] of Map.groupBy(found, ({ of }) => of.device)) {
          const match = everOf(ofDevice);
          if (match !== undefined) matches.push(match);
          if (matches.length === page.limit) return { items: await records(matches), next: String(device) };
        }
        const last = some.at(-1);
        if (last !== undefined && performance.now() > until)
          return { items: await records(matches), next: String(last) };
      }
    return { items: await records(matches), next: undefined };
  }

  /** Ids of as many devices as are searched together. */
  async function* fewVersions(devices: readonly SearchedDevice[]): AsyncGenerator<number[]> {
    const ids = devices.map(({ device }) => device);
    const counts = await history.countGood(part, ids);
    let [some, versions]: [number[], number] = [[], 0];
    for (const id of ids) {
      const count = counts.get(id) ?? 0;
      if (some.length > 0 && versions + count > versionsAtOnce) {
        yield some;
        [some, versions] = [[], 0];
      }
      some.push(id);
      versions += count;
    }
    if (some.length > 0) yield some;
  }

  async function* goodVersions(devices: readonly number[]): AsyncGenerator<SearchedVersion[]> {
    yield await history.good(part, devices);
  }

  async function records(matches: readonly Match[]): Promise<SearchResult[]> {
    const named = matches.flatMap(({ newest, oldest }) => [
      newest,
      ...(oldest === undefined ? [] : [oldest]),
    ]);
    const [versions, devices] = await Promise.all([
      history.versionsOf([...new Set(named.map(({ n }) => n))]),
      history.devicesOf(named.map(({ device }) => device)),
    ]);
    const versionAt = new Map(versions.map((version) => [version.n, version]));
    const deviceAt = new Map(devices.map((device) => [device.id, device]));
    return matches.flatMap(({ newest, oldest, total, hits }) => {
      const [version, device] = [versionAt.get(newest.n), deviceAt.get(newest.device)];
      // Deleted meanwhile.
      if (version === undefined || device === undefined) return [];
      const first = oldest && versionAt.get(oldest.n)?.version;
      return [
        {
          version: versionRecordOf(version, device.shown, iso),
          ...(first === undefined ? {} : { first_version: first }),
          ...{ total, hits: [...hits] },
        },
      ];
    });
  }
}

/** Each line once, where it stands in the newest version that has it. @param found of a device, newest first */
function everOf(found: readonly FoundVersion<SearchedVersion>[]): Match | undefined {
  const [newest, oldest] = [found[0]?.of, found.at(-1)?.of];
  if (newest === undefined || oldest === undefined) return undefined;
  const lines = new Map<string, SearchHit>();
  for (const { hits } of found)
    for (const hit of hits) if (!lines.has(lineKey(hit))) lines.set(lineKey(hit), hit);
  return { newest, oldest, total: lines.size, hits: [...lines.values()].slice(0, maxLines) };
}
