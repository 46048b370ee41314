/** A move of the store, in all directions: whole or not at all, wherever it is killed, and nothing is left out. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { libsqlPlace } from "../../../src/store/move/libsql-place.ts";
import { abandonMove, moveStore } from "../../../src/store/move/move.ts";
import { movedTables, type Place } from "../../../src/store/move/place.ts";
import { postgresPlace } from "../../../src/store/move/postgres-place.ts";
import { allTables } from "../../../src/store/tables.ts";
import type { AnyStore } from "../../support/any-store.ts";
import { masterKey, startNode } from "../../support/node.ts";
import { configure, query } from "../../support/requests.ts";
import { sampled } from "../../support/sampled.ts";
import {
  closeStore,
  facts,
  makeEmptyPlace,
  makePlace,
  newJob,
  nodeAt,
  openStore,
  type StoreKind,
  storeKinds,
  type TestPlace,
} from "../support.ts";

const keys = { current: masterKey, former: [] };
const silent = () => {};

async function open(kind: StoreKind, { directory, url }: TestPlace): Promise<Place> {
  if (kind === "postgres") return postgresPlace(url ?? "", undefined);
  return libsqlPlace({ file: join(directory, "patchbay.db"), directory, url, token: undefined });
}

/** Opens both, and closes them again. */
async function withBoth<T>(
  [from, source]: readonly [StoreKind, TestPlace],
  [to, target]: readonly [StoreKind, TestPlace],
  work: (from: Place, to: Place) => Promise<T>,
): Promise<T> {
  const places = [await open(from, source), await open(to, target)] as const;
  try {
    return await work(...places);
  } finally {
    for (const place of places) await place.close();
    // libSQL closes a file when it is garbage collected, and with it drops the locks of others.
    Bun.gc(true);
  }
}

/** Jobs of a node, and rows in every table that it left empty. */
async function filled(kind: StoreKind, place: TestPlace) {
  const node = await startNode(nodeAt(place, { patienceMs: 60_000 }));
  const id = await node.submit(query("r1", ["show a", "show b"]));
  await node.ended(id);
  const failed = await node.submit(configure("r2", ["vlan ü 1"]));
  await node.ended(failed);
  await node.stop();
  Bun.gc(true);
  const store = await openStore(place);
  await store.jobs.insert(Array.from({ length: 1_200 }, (_, at) => newJob(store, { host: `h${at}` })));
  for (const table of movedTables) {
    const { rows } = await store.raw(`select count(*) from ${table.name}`);
    if (Number(rows[0]?.[0]) === 0) await fill(store, kind, table);
  }
  await closeStore(store);
  return { id, failed };
}

async function fill(store: AnyStore, kind: StoreKind, { name, columns }: (typeof movedTables)[number]) {
  const triggers = kind === "postgres";
  if (triggers) await store.raw(`alter table ${name} disable trigger user`);
  for (const at of [1, 2, 3]) {
    const cells = columns.map((column, place) => {
      if (column.type === "text") return `'${name}.${column.name} ${at}'`;
      if (column.type === "boolean") return triggers ? String(at === 2) : String(Number(at === 2));
      if (column.type === "bytea") return triggers ? `'\\x00ff0${at}'` : `x'00ff0${at}'`;
      return String(at * 1_000 + place);
    });
    await store.raw(
      `insert into ${name} (${columns.map(({ name }) => name).join(", ")}) values (${cells.join(", ")})`,
    );
  }
  if (triggers) await store.raw(`alter table ${name} enable trigger user`);
}

class Killed extends Error {}

/** Dies at a step that writes, before or after it; then nothing answers any more. */
function dying(place: Place, life: { left: number; after: boolean; dead: boolean }): Place {
  const step = <A extends unknown[], R>(work: (...args: A) => Promise<R>, writes: boolean) => {
    return async (...args: A): Promise<R> => {
      const last = writes && life.left-- === 0;
      if (life.dead || (last && !life.after)) {
        life.dead = true;
        throw new Killed("killed");
      }
      const done = await work(...args);
      if (!last) return done;
      life.dead = true;
      throw new Killed("killed");
    };
  };
  return {
    ...place,
    ...{ positions: step(place.positions, false), page: step(place.page, false) },
    ...{ mark: step(place.mark, true), make: step(place.make, true), add: step(place.add, true) },
    ...{ empty: step(place.empty, true), complete: step(place.complete, true) },
  };
}

/** Writes before the last one, each further on. */
const lives = [
  { at: "the mark", left: 0 },
  { at: "making the tables", left: 1 },
  { at: "rows", left: 3 },
  { at: "later rows", left: 12 },
];

const directions = storeKinds.flatMap((from) =>
  storeKinds.filter((to) => to !== from).map((to) => ({ from, to })),
);

test("everything that is stored is moved", () => {
  expect(movedTables.map(({ name }) => name).sort()).toEqual(
    allTables.map((table) => String(Reflect.get(table, Symbol.for("drizzle:Name")))).sort(),
  );
});

/** Of a plain run: into each store from one of the two others. */
const chosen = directions.flatMap((direction) => [false, true].map((after) => ({ ...direction, after })));

test.each(sampled(chosen, 3, ({ to }) => to))(
  "a move from $from to $to, killed at each step (after it: $after), goes on, and what was stored is there",
  { timeout: 600_000 },
  async ({ from, to, after }) => {
    const [source, target] = [await makePlace(from), await makeEmptyPlace(to)];
    const both = [
      [from, source],
      [to, { ...target, directory: source.directory }],
    ] as const;
    // A file lies in the one directory that both stores are of.
    const at = { ...target, directory: source.directory };
    const { id, failed } = await filled(from, source);
    const before = await jobsOf(source, [id, failed]);

    for (const { left } of lives) {
      const life = { left, after, dead: false };
      const killed = withBoth(...both, (a, b) => moveStore(dying(a, life), dying(b, life), keys, silent));
      await expect(killed).rejects.toThrow("killed");
      const begun = left > 0 || after;
      if (begun) await expect(openStore(source)).rejects.toThrow(/is being moved/);
    }
    await expect(openStore(at)).rejects.toThrow(/was interrupted/);

    const { sums } = await withBoth(...both, (a, b) => moveStore(a, b, keys, silent));
    expect(sums).toHaveLength(movedTables.length);
    expect(sums.find(({ table }) => table === "jobs")?.rows).toBe(1_202);
    await expect(openStore(source)).rejects.toThrow(/was moved to/);
    await expect(withBoth(...both, (a, b) => moveStore(a, b, keys, silent))).rejects.toThrow(
      /was moved already/,
    );

    expect(await jobsOf(at, [id, failed])).toEqual(before);
    const store = await openStore(at);
    await store.jobs.insert([newJob(store, { id: "after-the-move" })]);
    const { rows } = await store.raw("select id from jobs order by seq desc limit 1");
    expect(rows).toEqual([["after-the-move"]]);
    const events = await store.raw("select count(*) from events where job_id = 'after-the-move'");
    expect(Number(events.rows[0]?.[0]), "triggers work again").toBe(1);
    const held = await store.raw("select count(*) from jobs where status = 'held'");
    expect(Number(held.rows[0]?.[0]), "nothing is held").toBe(0);
    await closeStore(store);
    await source.remove();
    await target.remove();
  },
);

test.each(sampled(directions, 3, ({ to }) => to))(
  "a move from $from to $to, killed before its last step, only has that one left",
  { timeout: 600_000 },
  async ({ from, to }) => {
    const [source, target] = [await makePlace(from), await makeEmptyPlace(to)];
    const at = { ...target, directory: source.directory };
    const both = [
      [from, source],
      [to, at],
    ] as const;
    const first = await openStore(source);
    const job = newJob(first);
    await first.jobs.insert([job]);
    await closeStore(first);
    const unfinished = withBoth(...both, (a, b) =>
      moveStore(a, { ...b, complete: () => Promise.reject(new Killed("killed")) }, keys, silent),
    );
    await expect(unfinished).rejects.toThrow("killed");
    await expect(withBoth(...both, (a) => abandonMove(a))).rejects.toThrow(/was moved to/);
    await expect(openStore(at)).rejects.toThrow(/was interrupted/);
    await withBoth(...both, (a, b) => moveStore(a, b, keys, silent));
    const store = await openStore(at);
    expect((await store.jobs.find(job.id))?.id).toBe(job.id);
    await closeStore(store);
    await source.remove();
    await target.remove();
  },
);

async function jobsOf(place: TestPlace, ids: readonly string[]) {
  const store = await openStore(place);
  const jobs = await Promise.all(ids.map((id) => store.jobs.find(id)));
  await closeStore(store);
  return jobs;
}

describe("a move is refused", () => {
  const [from, to] = ["file", "sqld"] as const;

  async function refused(prepare: (source: TestPlace, target: TestPlace) => Promise<unknown>, key = keys) {
    const [source, target] = [await makePlace(from), await makeEmptyPlace(to)];
    await closeStore(await openStore(source));
    await prepare(source, target);
    const moved = withBoth([from, source], [to, target], (a, b) => moveStore(a, b, key, silent));
    const why = await moved.then(
      () => "it was moved",
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    await source.remove();
    await target.remove();
    return why;
  }

  test("into a database that is not empty", async () => {
    const why = await refused(async (_, target) => closeStore(await openStore(target)));
    expect(why).toMatch(/is not empty/);
  });

  test("with another master key", async () => {
    const other = { current: new Uint8Array(32).fill(9), former: [] };
    expect(await refused(async () => {}, other)).toMatch(/another master key/);
  });

  test("from a store of another version", async () => {
    const why = await refused(async (source) => {
      const store = await openStore(source);
      await store.raw("delete from migrations where name = '0054_hooks'");
      await closeStore(store);
    });
    expect(why).toMatch(/earlier version/);
  });

  test("from a server on which a node is at work, until its lease has ended", async () => {
    const [source, target] = [await makePlace("sqld"), await makePlace("file")];
    const at = { ...target, url: source.url ?? "" };
    const store = await openStore(at);
    const node = await store.nodes.acquire({ ...facts, name: "n1" });
    const move = () =>
      withBoth(["sqld", at], ["file", { directory: target.directory, remove: target.remove }], (a, b) =>
        moveStore(a, b, keys, silent),
      );
    await expect(move()).rejects.toThrow(/is in use \(n1\)/);
    if (node === undefined) throw new Error("no node");
    await store.nodes.setState(node, "dead");
    await closeStore(store);
    expect((await move()).sums.length).toBeGreaterThan(0);
    await source.remove();
    await target.remove();
  });

  test("and abandoned, the source is a store again, and the target takes another move", async () => {
    const [source, target] = [await makePlace(from), await makeEmptyPlace(to)];
    const store = await openStore(source);
    await store.jobs.insert([newJob(store)]);
    await closeStore(store);
    const both = [
      [from, source],
      [to, target],
    ] as const;
    const life = { left: 5, after: true, dead: false };
    const killed = withBoth(...both, (a, b) => moveStore(dying(a, life), dying(b, life), keys, silent));
    await expect(killed).rejects.toThrow("killed");
    await withBoth(...both, (a) => abandonMove(a));
    const again = await openStore(source);
    await again.jobs.insert([newJob(again)]);
    await closeStore(again);
    const { sums } = await withBoth(...both, (a, b) => moveStore(a, b, keys, silent));
    expect(sums.find(({ table }) => table === "jobs")?.rows).toBe(2);
    await source.remove();
    await target.remove();
  });
});
