/**
 * Searches in processes that keep texts: the same answers as looking at each text, whatever is kept; only what is new is
 * read from the store; and hostile ones stop nobody else.
 */
import { resolve } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline, type Deadline } from "../../src/base/time/deadline.ts";
import { makeDelta } from "../../src/configtext/delta.ts";
import { compileSearch, lineKey, type SearchQuery } from "../../src/configtext/search.ts";
import { createSearchTask } from "../../src/executor/text/text-tasks.ts";
import {
  createTextSearch,
  type SearchOptions,
  type TextSearch,
} from "../../src/history/reading/text-search.ts";
import type { Pool, RunOptions, TemplatePool } from "../../src/pool/port.ts";
import { createTemplatePool, withSearches } from "../../src/pool/template-pool.ts";
import { templateProcessFlag } from "../../src/protocol/message-port.ts";
import type { SearchTask, Task, TaskValues, TemplateTask } from "../../src/protocol/task.ts";
import { spawnChild } from "../../src/runtime/child.ts";
import { packText } from "../../src/runtime/text-pack.ts";
import type { SearchedVersion, StoredBody } from "../../src/store/port.ts";
import { plainSettings } from "../executor/fixtures.ts";
import { runs } from "../support/runs.ts";

let stored: Map<string, StoredBody>;
/** Ids of the texts that were read. */
let read: string[];
let deadline: Deadline;

beforeAll(() => {
  deadline = createDeadline(120_000, () => new ServiceError("JobTimeout", "too late"));
});
afterAll(() => deadline.dispose());
beforeEach(() => {
  stored = new Map();
  read = [];
});

const history = {
  async bodies(ids: readonly string[]) {
    read.push(...ids);
    const found = ids.flatMap((id) => stored.get(id) ?? []);
    const bases = found.flatMap(({ base }) => (base === null ? [] : (stored.get(base) ?? [])));
    return [...new Set([...found, ...bases])];
  },
};

/** @param bytes of the text, whatever is stored */
function store(id: string, device: number, text: string, base?: readonly [id: string, text: string]) {
  const delta = base && makeDelta(base[1], text);
  const isDelta = base !== undefined && delta !== undefined;
  stored.set(id, { id, base: isDelta ? base[0] : null, body: packText(isDelta ? delta : text) });
  return { device, n: stored.size, textId: id, bytes: text.length };
}

async function* given<T>(...lists: readonly (readonly T[])[]) {
  yield* lists;
}

const options = (more: Partial<SearchOptions> = {}): SearchOptions => ({
  ...{ deadline, key: "k1", maxHits: 1_000, maxFound: 1_000 },
  ...more,
});

async function found(
  how: TextSearch["newest"],
  query: SearchQuery,
  versions: readonly SearchedVersion[],
  more: Partial<SearchOptions> = {},
) {
  const all = [];
  for await (const { of, hits, total } of how(query, given(versions), options(more)))
    all.push({ device: of.device, n: of.n, hits, total });
  return all;
}

/** Searches in this process, with memory for a few texts. */
function inProcess(keptBytes: number): TextSearch {
  const shards = [createSearchTask(keptBytes), createSearchTask(keptBytes)];
  const run = (task: SearchTask) => shards[task.shard]?.(task);
  // Only searches are run.
  return createTextSearch({ run: run as unknown as Pool["run"] }, { history });
}

describe("the answer is that of looking at each text", () => {
  const line = fc.constantFrom("interface A", " shutdown", " ip address 10.0.0.1", "\u0130 K", "end", "");
  const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.map((one) => `${one}\n`).join(""));
  const filler = Array.from({ length: 60 }, (_, at) => `line ${at}\n`).join("");
  const query = fc.oneof(
    fc.record({
      q: fc.constantFrom("SHUT", "i", "10.0", "k", "line 7", "nowhere"),
      caseSensitive: fc.boolean(),
    }),
    fc.record({
      regex: fc.constantFrom("^ (ip|shut)", "0\\.1$", "^$", "E n?", "(?i)END"),
      section: fc.constantFrom("^interface", "end"),
    }),
  );

  test("for the newest texts, searched again and again while they change", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text, fc.boolean()), { minLength: 1, maxLength: 12 }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 500, 2_000, 100_000),
        async (devices, queries, keptBytes) => {
          stored.clear();
          const { newest } = inProcess(keptBytes);
          const texts = devices.map(([first]) => first + filler);
          // Devices far apart belong to different processes.
          const versions = texts.map((one, at) => store(`a${at}`, at * 700, one));
          for (const [round, query] of queries.entries()) {
            const searcher = await compileSearch(query);
            const expected = texts.flatMap((one, at) => {
              const { hits, total } = searcher.search(one);
              return total === 0 ? [] : [{ device: at * 700, n: versions[at]?.n, hits, total }];
            });
            expect(await found(newest, query, versions)).toEqual(expected);
            for (const [at, [first, second, changes]] of devices.entries())
              if (changes) {
                texts[at] = second.repeat(round + 1) + filler;
                versions[at] = store(`b${at}-${round}`, at * 700, texts[at] ?? "", [
                  `a${at}`,
                  first + filler,
                ]);
              }
          }
        },
      ),
      { numRuns: runs(200) },
    );
  });

  test("for all versions, of which each line of a device is returned once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(text, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 }),
        query,
        async (devices, query) => {
          stored.clear();
          const { all } = inProcess(0);
          const searcher = await compileSearch(query);
          const expected: object[] = [];
          const versions = devices.flatMap((texts, device) => {
            const whole = (texts[0] ?? "") + filler;
            const seen = new Set<string>();
            return texts.map((one, at) => {
              const version = store(
                `${device}-${at}`,
                device,
                one + filler,
                at === 0 ? undefined : [`${device}-0`, whole],
              );
              const { hits, total } = searcher.search(one + filler);
              const fresh = hits.filter((hit) => !seen.has(lineKey(hit)));
              for (const hit of fresh) seen.add(lineKey(hit));
              if (total > 0) expected.push({ device, n: version.n, hits: fresh, total });
              return version;
            });
          });
          expect(await found(all, query, versions)).toEqual(expected);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  test("with bounds: hits are counted beyond theirs, and devices beyond theirs may be left out", async () => {
    const { newest } = inProcess(10_000);
    const versions = Array.from({ length: 30 }, (_, at) => store(`t${at}`, at, "a\na\na\n"));
    const all = await found(newest, { q: "a" }, versions, { maxHits: 40 });
    expect(all.map(({ hits, total }) => [hits.length, total])).toEqual(
      versions.map((_, at) => [at < 13 ? 3 : at === 13 ? 1 : 0, 3]),
    );
    expect((await found(newest, { q: "a" }, versions, { maxFound: 5 })).map(({ device }) => device)).toEqual([
      ...[0, 1, 2, 3, 4],
    ]);
  });

  test("without texts that are damaged, gone or a bomb", async () => {
    const { newest, all } = inProcess(10_000);
    const good = store("good", 5, "port\n");
    const bomb = store("bomb", 3, `port ${"a".repeat(70 * 1024 * 1024)}`);
    stored.set("cut", { id: "cut", base: null, body: new Uint8Array([1, 2, 3]) });
    stored.set("lost", { id: "lost", base: "nowhere", body: packText("[1,2]") });
    stored.set("unfit", { id: "unfit", base: "good", body: packText('[99,5,"port\\n"]') });
    const bad = ["cut", "lost", "unfit", "gone"].map((textId, device) => ({
      device,
      n: 0,
      textId,
      bytes: 9,
    }));
    for (const how of [newest, all])
      expect((await found(how, { q: "port" }, [...bad, bomb, good])).map(({ device }) => device)).toEqual([
        5,
      ]);
  });
});

describe("in real processes", () => {
  let pool: TemplatePool;
  let search: TextSearch;

  beforeAll(() => {
    const shard = () =>
      createTemplatePool({
        ...{ spawn: () => spawnChild(resolve("src/main.ts"), [templateProcessFlag]), processes: 1 },
        ...{ settings: { ...plainSettings, keptTextBytes: 64 * 1024 * 1024 }, log: silentLog },
        ...{ limitMs: 60_000, memoryBytes: 1024 * 1024 * 1024, spareAfterMs: 200 },
      });
    pool = withSearches(shard(), [shard(), shard()]);
    const run = <T extends Task>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]> =>
      pool.run(task as T & TemplateTask, options);
    search = createTextSearch({ run }, { history });
  });
  afterAll(() => pool.close());

  const text = (at: number) => `hostname r${at}\ninterface A\n description port ${at}\n`;

  test("a text is read from the store once, and a new one when it is there", async () => {
    const versions = Array.from({ length: 3_000 }, (_, at) => store(`t${at}`, at, text(at)));
    const first = await found(search.newest, { q: "port 2999" }, versions);
    expect(first).toEqual([
      {
        ...{ device: 2_999, n: 3_000, total: 1 },
        hits: [
          {
            ...{ line: 3, text: " description port 2999", found: [{ from: 13, to: 22 }] },
            parents: [{ line: 2, text: "interface A" }],
          },
        ],
      },
    ]);
    expect(new Set(read).size).toBe(3_000);
    read = [];
    expect(await found(search.newest, { q: "PORT 2999" }, versions)).toEqual(first);
    expect(read).toEqual([]);
    versions[7] = store("new", 7, "port 2999\n");
    expect((await found(search.newest, { q: "port 2999" }, versions)).map(({ device }) => device)).toEqual([
      ...[7, 2_999],
    ]);
    expect(read).toEqual(["new"]);
  });

  test("a wrong query is refused, even with nothing to search", async () => {
    const versions = [store("one", 1, text(1))];
    await expect(found(search.newest, { regex: "(a)\\1" }, versions)).rejects.toMatchObject({
      kind: "Validation",
      detail: { issues: [{ path: "regex" }] },
    });
  });

  test("only some tasks are made ahead of what is taken", async () => {
    const lists = Array.from({ length: 40 }, (_, list) =>
      Array.from({ length: 100 }, (_, at) => store(`${list}-${at}`, list * 100 + at, text(at))),
    );
    for await (const _ of search.newest({ q: "port" }, given(...lists), options())) break;
    expect(read.length).toBeLessThanOrEqual(500);
  });

  test("one that takes long does not hold up those of other keys, and is stopped at its limit", async () => {
    // Forty megabytes, for busy machines, that the expression has to look at, each character in many states.
    const long = store("long", 1, `${"aaaaaaaaaaaaaaab".repeat(1_000)}\n`.repeat(2_700));
    const short = store("short", 2, text(2));
    const order: string[] = [];
    const strict = createDeadline(20_000, () => new ServiceError("ReadTimeout", "too late"));
    const hostile = found(search.newest, { regex: "(a?){400}[0-9]" }, [long], { deadline: strict }).then(
      () => order.push("hostile"),
      (error: ServiceError) => order.push(`hostile: ${error.kind}`),
    );
    const other = found(search.newest, { q: "port 2" }, [short], { key: "k2" }).then(([one]) =>
      order.push(`other: ${one?.device}`),
    );
    await other;
    strict.abort(new ServiceError("Cancelled", "left"));
    await hostile;
    expect(order).toEqual(["other: 2", "hostile: Cancelled"]);
    expect(await found(search.newest, { q: "port 2" }, [short])).toHaveLength(1);
  });
});
