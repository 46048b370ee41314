/** Lists of jobs, page by page. */

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { JobFilter } from "../../src/api/filters.ts";
import { createIso } from "../../src/api/time.ts";

import type { Caller } from "../../src/auth/port.ts";
import { jsonWithRaw } from "../../src/base/json/json-pieces.ts";
import { createJobEvents } from "../../src/events/job-events.ts";
import { createQuery } from "../../src/jobs/query.ts";
import { createAdmission, ordinaryLimits } from "../../src/limits/admission.ts";
import type { StoreOptions } from "../../src/store/libsql/store.ts";
import { inventoryOn } from "../inventory/make.ts";
import { closeStore, makePlace, newJob, openStore } from "../store/support.ts";
import { patiently } from "../support/patiently.ts";
import { admin, query } from "../support/requests.ts";
import { useNode } from "./support.ts";

const node = useNode();

test("pages of jobs continue from their cursor and end after the last job", async () => {
  const submitted = Array.from({ length: 23 }, (_, at) => node().submit(query(`p${at}`, "show a")));
  await Promise.all(submitted);
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let turn = 0; turn < 200; turn++) {
    const page: string[] = [];
    const { next, pieces } = await node().jobs.page({ driver: "netmiko" }, admin, {
      limit: 7,
      ...(cursor ? { cursor } : {}),
    });
    for await (const part of pieces) page.push(...part.map((job) => job.id));
    ids.push(...page);
    cursor = next;
    if (cursor === undefined) break;
    expect(page).toHaveLength(7);
  }
  const whole: string[] = [];
  for await (const part of node().jobs.list({ driver: "netmiko" }, admin, {}))
    whole.push(...part.map((job) => job.id));
  expect(ids).toEqual(whole);
  expect(ids).toHaveLength(23);
  await expect(async () => {
    for await (const _ of node().jobs.list({}, admin, { cursor: "none" }));
  }).rejects.toMatchObject({ kind: "BadRequest" });
});

test("resolving a cursor does not read the result of its job", async () => {
  const ids: string[] = [];
  for (const command of ["show a", "show b"])
    ids.push(await patiently(() => node().submit(query("c1", command), admin, command), true));
  for (const id of ids) await node().ended(id);
  const { store, inventory } = node();
  const jobs = { ...store.jobs, find: () => Promise.reject(new Error("it was read whole")) };
  const iso = createIso();
  const admission = createAdmission(ordinaryLimits);
  const queries = createQuery({
    store: { ...store, jobs },
    inventory,
    jobEvents: createJobEvents(),
    iso,
    admission,
  });
  const { pieces } = await queries.page({ host: "c1" }, admin, { limit: 1, cursor: ids[1] ?? "" });
  const page: string[] = [];
  for await (const part of pieces) page.push(...part.map((job) => job.id));
  expect(page).toEqual([ids[0]]);
});

test("only a queued job shows what it waits for and its position", async () => {
  const host = "waits";
  const running = await node().submit(query(host, "hold"));
  await expect.poll(async () => (await node().jobs.statusesOf([running])).get(running)).toBe("running");
  const waiting = [await node().submit(query(host, "show a")), await node().submit(query(host, "show b"))];
  const shown = async (id: string) => {
    for await (const [record] of node().jobs.list({ id }, admin, {})) return record?.waits_for;
  };
  expect(await shown(running)).toBeUndefined();
  const common = { reason: "host", queue: `pinned_${host}`, host };
  expect(await shown(waiting[1] ?? "")).toEqual({ ...common, position: 2 });
  for await (const records of node().jobs.list({ host }, admin, {}))
    expect(records.every((record) => record.waits_for === undefined)).toBe(true);
  node().pool.release();
  await Promise.all([running, ...waiting].map((id) => node().ended(id)));
  expect(await shown(waiting[1] ?? "")).toBeUndefined();
});

test("a list takes one store read per page, and one more per large result", async () => {
  const place = await makePlace("file");
  let reads = 0;
  const wrap: StoreOptions["wrap"] = (link) => ({
    ...link,
    read(statement) {
      if (/ from jobs\b/.test(statement.sql)) reads++;
      return link.read(statement);
    },
  });
  const store = await openStore(place, { wrap });
  const resultOf = (retval: string) => JSON.stringify({ type: "failed", retval, error: null });
  const jobs = Array.from({ length: 900 }, () => newJob(store, { failure: resultOf("small") }));
  const large = randomBytes(20_000).toString("hex");
  await store.jobs.insert(jobs.with(450, newJob(store, { failure: resultOf(large) })));
  const iso = createIso();
  const admission = createAdmission(ordinaryLimits);
  const jobEvents = createJobEvents();
  const inventory = inventoryOn(store);
  const queries = createQuery({ store, inventory, jobEvents, iso, admission });
  reads = 0;
  const seen: string[] = [];
  for await (const records of queries.list({}, admin, {})) seen.push(...records.map(jsonWithRaw));
  expect(seen).toHaveLength(900);
  expect(seen.filter((text) => text.includes(large))).toHaveLength(1);
  expect(seen[449]).toContain(large);
  expect(reads).toBe(4);
  await closeStore(store);
  await place.remove();
});

test("jobs hidden from a key are skipped in large pages without blocking the event loop", async () => {
  const place = await makePlace("file");
  const store = await openStore(place);
  const own = newJob(store, { host: "10.0.0.1" });
  await store.jobs.insert([
    own,
    ...Array.from({ length: 3_000 }, () => newJob(store, { host: "192.0.2.1" })),
  ]);
  let reads = 0;
  const counted = <A extends unknown[], R>(read: (...asked: A) => R) => {
    return (...asked: A) => {
      reads++;
      return read(...asked);
    };
  };
  const { listed, heads } = store.jobs;
  const jobs = { ...store.jobs, listed: counted(listed), heads: counted(heads) };
  const iso = createIso();
  const inventory = inventoryOn(store);
  const admission = createAdmission(ordinaryLimits);
  const queries = createQuery({
    store: { ...store, jobs },
    inventory,
    jobEvents: createJobEvents(),
    iso,
    admission,
  });
  const limited = { ...admin, keyId: "k9", hosts: ["10.0.0.0/8"] };
  let turns = 0;
  const turn = () => {
    turns++;
    turning = setImmediate(turn);
  };
  let turning = setImmediate(turn);
  for (const ask of [
    async () => (await queries.page({}, limited, { limit: 1 })).pieces,
    async () => queries.list({}, limited, {}),
  ]) {
    [reads, turns] = [0, 0];
    const found: string[] = [];
    for await (const records of await ask()) found.push(...records.map(({ id }) => id));
    expect(found).toEqual([own.id]);
    expect(reads).toBeLessThanOrEqual(9);
    expect(turns).toBeGreaterThanOrEqual(1);
  }
  clearImmediate(turning);
  const cancel = new AbortController();
  cancel.abort();
  reads = 0;
  const { signal } = cancel;
  await expect(queries.page({}, limited, { limit: 1, signal })).rejects.toMatchObject({
    kind: "Cancelled",
  });
  expect(reads).toBe(1);
  await closeStore(store);
  await place.remove();
});

const idsOf = async (filter: JobFilter, caller: Caller = admin) => {
  const ids: string[] = [];
  const { pieces } = await node().jobs.page(filter, caller, { limit: 50 });
  for await (const part of pieces) ids.push(...part.map((job) => job.id));
  return ids;
};

test("finds jobs and bulks by the first characters of their ids", async () => {
  const id = await node().submit(query("x1", "show a"));
  const { bulk_id } = await node().bulk({ ...query("", "show a"), devices: [{ host: "x2" }] });
  expect(await idsOf({ id_prefix: id })).toEqual([id]);
  expect(await idsOf({ id_prefix: id.slice(0, 35) })).toEqual([id]);
  expect(await idsOf({ id_prefix: id.slice(0, 4) })).toContain(id);
  expect(await idsOf({ id_prefix: "ffff" })).toEqual([]);
  const limited = { ...admin, keyId: "key-limited", hosts: ["x9"] };
  expect(await idsOf({ id_prefix: id }, limited)).toEqual([]);
  const found = await node().jobs.bulks({ id_prefix: bulk_id.slice(0, 30) }, admin, { limit: 5 });
  expect(found.bulks.map((bulk) => bulk.id)).toEqual([bulk_id]);
  expect((await node().jobs.bulks({ id_prefix: "ffff" }, admin, { limit: 5 })).bulks).toEqual([]);
});

test("jobs submitted by me are those of the key that asks", async () => {
  const other = { ...admin, keyId: "key-other", name: "other" };
  const id = await node().submit(query("x3", "show a"), other);
  expect(await idsOf({ submitted_by: "me" }, other)).toEqual([id]);
  expect(await idsOf({ submitted_by: "me", host: "x3" })).toEqual([]);
});
