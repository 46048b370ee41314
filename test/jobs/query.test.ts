/** Lists of jobs, page by page. */
import { expect, test } from "vitest";
import { admin, query } from "../support/requests.ts";
import { useNode } from "./support.ts";

const node = useNode();

test("pages go on from their cursor and end", async () => {
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

test("a job that waits for its host says so, and its place; one that runs or has ended does not", async () => {
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
