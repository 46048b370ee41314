/** Searches configurations within reach: a page of devices that have what was searched for. */
import type { SearchResult } from "../api/history.ts";
import type { Caller } from "../auth/port.ts";
import type { Deadline } from "../base/time/deadline.ts";
import { giveWay } from "../base/time/yield.ts";
import { compileSearch, type SearchQuery } from "../configtext/search.ts";
import type { Store, StoredConfigDevice, StoredConfigVersion } from "../store/port.ts";
import type { Page } from "./port.ts";
import { versionRecordOf } from "./records.ts";
import type { FoundText, SearchedText, TextWork } from "./text-work.ts";
import { withinLimit } from "./work-limit.ts";

export interface SearchTools {
  readonly store: Pick<Store, "history">;
  readonly textWork: TextWork;
  readonly iso: (ms: number) => string;
}

export interface SearchRange {
  readonly query: SearchQuery;
  /** All good versions, not only the newest. */
  readonly ever: boolean;
  maySee(device: StoredConfigDevice): boolean;
}

export interface SearchPage {
  readonly limit: number;
  /** Id of the device behind which it continues. */
  readonly position: number;
  readonly signal?: AbortSignal | undefined;
}

/** A version that is searched. */
interface Seen {
  readonly device: StoredConfigDevice;
  readonly version: StoredConfigVersion;
}

/** Devices of one read, and versions of a device. */
const atOnce = { devices: 400, versions: 200 } as const;
/** Hits of one answer; the cursor continues behind the last device. */
const maxHits = 5_000;
/** Lines that are shown of a device, if all its versions are searched. */
const maxLines = 100;
/** A search of all versions ends after this time, with a cursor. */
const answerMs = 10_000;

export function createSearch({ store, textWork, iso }: SearchTools) {
  const { history } = store;

  return async (range: SearchRange, caller: Caller, page: SearchPage): Promise<Page<SearchResult>> => {
    // Refused before anything is read.
    await compileSearch(range.query);
    return withinLimit(page.signal, (deadline) =>
      range.ever ? everywhere(range, caller, page, deadline) : newest(range, caller, page, deadline),
    );
  };

  /** The newest versions of devices within reach, by device. */
  async function* heads({ maySee }: SearchRange, caller: Caller, position: number): AsyncGenerator<Seen> {
    for (let after = position; ; ) {
      await giveWay(caller.keyId);
      const versions = await history.newest("running", after, atOnce.devices);
      const devices = await history.devicesOf(versions.map(({ device }) => device));
      const byId = new Map(devices.map((device) => [device.id, device]));
      for (const version of versions) {
        const device = byId.get(version.device);
        if (device && maySee(device)) yield { device, version };
      }
      const last = versions.at(-1);
      if (last === undefined) return;
      after = last.device;
    }
  }

  /** Packed, some hundreds at once; damaged and deleted ones are left out. */
  async function* packed(versions: AsyncIterable<Seen> | Iterable<Seen>): AsyncGenerator<SearchedText<Seen>> {
    let waiting: Seen[] = [];
    for await (const one of versions) {
      waiting.push(one);
      if (waiting.length < atOnce.versions) continue;
      yield* await read(waiting);
      waiting = [];
    }
    if (waiting.length > 0) yield* await read(waiting);
  }

  async function read(seen: readonly Seen[]): Promise<SearchedText<Seen>[]> {
    const texts = await history.texts(seen.map(({ version }) => version.textId));
    const byId = new Map(texts.map((text) => [text.id, text]));
    return seen.flatMap((of) => {
      const text = byId.get(of.version.textId);
      const base = text?.base === null ? undefined : byId.get(text?.base ?? "")?.body;
      if (text === undefined || (text.base !== null && base === undefined)) return [];
      return [{ of, body: text.body, base }];
    });
  }

  function found(
    query: SearchQuery,
    texts: AsyncIterable<Seen> | Iterable<Seen>,
    caller: Caller,
    deadline: Deadline,
  ) {
    const options = { deadline, share: { key: caller.keyId, job: false }, maxHits };
    return textWork.search(query, packed(texts), options);
  }

  async function newest(
    range: SearchRange,
    caller: Caller,
    { limit, position }: SearchPage,
    deadline: Deadline,
  ): Promise<Page<SearchResult>> {
    const items: SearchResult[] = [];
    let count = 0;
    for await (const text of found(range.query, heads(range, caller, position), caller, deadline)) {
      if (text.isDamaged) continue;
      const { device, version } = text.of;
      if (items.length === limit || count >= maxHits) return { items, next: String(device.id - 1) };
      items.push({
        version: versionRecordOf(version, device.shown, iso),
        total: text.total,
        hits: [...text.hits],
      });
      count += text.hits.length;
    }
    return { items, next: undefined };
  }

  async function everywhere(
    range: SearchRange,
    caller: Caller,
    { limit, position }: SearchPage,
    deadline: Deadline,
  ): Promise<Page<SearchResult>> {
    const until = performance.now() + answerMs;
    const items: SearchResult[] = [];
    for await (const head of heads(range, caller, position)) {
      const texts: FoundText<Seen>[] = [];
      for await (const text of found(range.query, goodVersions(head), caller, deadline)) texts.push(text);
      const result = everOf(texts);
      if (result !== undefined) items.push(result);
      if (items.length === limit || performance.now() > until) return { items, next: String(head.device.id) };
    }
    return { items, next: undefined };
  }

  /** Newest first. */
  async function* goodVersions({ device, version }: Seen): AsyncGenerator<Seen> {
    let versions = [version];
    while (versions.length > 0) {
      for (const one of versions) yield { device, version: one };
      const before = versions.at(-1);
      const of = { device: device.id, part: "running", before, state: "good" } as const;
      versions = await history.versions(of, atOnce.versions);
    }
  }

  /** Each line once, where it stands in the newest version that has it. */
  function everOf(texts: readonly FoundText<Seen>[]): SearchResult | undefined {
    const matched = texts.filter(({ total }) => total > 0);
    const [first] = matched;
    const oldest = matched.at(-1);
    if (first === undefined || oldest === undefined) return undefined;
    const lines = new Map<string, SearchResult["hits"][number]>();
    for (const { hits } of matched)
      for (const hit of hits) {
        const key = [...hit.parents, hit].map(({ text }) => text).join("\n");
        if (!lines.has(key)) lines.set(key, hit);
      }
    const { device, version } = first.of;
    return {
      version: versionRecordOf(version, device.shown, iso),
      first_version: oldest.of.version.version,
      total: lines.size,
      hits: [...lines.values()].slice(0, maxLines),
    };
  }
}
