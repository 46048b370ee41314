/** A schedule that a node cannot read: its others fire. */
import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";
import { movedClock, owner, query, type ScheduledNode, startScheduled } from "./support.ts";

type Spec = Record<string, unknown>;

/** As another version would have stored it. */
async function rewrite({ store, ...node }: ScheduledNode, id: string, change: (spec: Spec) => Spec | string) {
  const stored = await store.schedules.find(id);
  if (!stored) throw new Error("it is not there");
  const changed = change(JSON.parse(stored.spec));
  const spec = typeof changed === "string" ? changed : JSON.stringify(changed);
  const request = await store.schedules.requestOf(id);
  const { name, state, why, anchor, next, revision } = stored;
  const values = { name, owner: stored.owner, state, why, spec, request, anchor, next };
  const by = await owner({ ...node, store });
  expect(await store.schedules.change(id, revision, values, by, "schedule.change")).toBe("changed");
}

const refusedAt = (path: string) => ({
  kind: "Validation",
  detail: { issues: [{ path, message: expect.stringContaining("another version wrote it") }] },
});

test("an unreadable schedule is listed with the names of its unreadable fields", async () => {
  const folder = temporary();
  const node = await startScheduled({ directory: folder.path });
  const mine = await owner(node);
  const daily = (name: string) => node.add({ name, every: "1d", label: "nightly", what: query("r1") });
  const [kind, zone, text] = [await daily("kind"), await daily("zone"), await daily("text")];
  await daily("plain");
  await rewrite(node, kind, (spec) => ({ ...spec, what: { kind: "reboot" } }));
  await rewrite(node, zone, (spec) => ({ ...spec, time_zone: "Mars/Olympus" }));
  await rewrite(node, text, () => "{");
  const { schedules: listed } = await node.schedules.list(mine, { limit: 10 });
  expect(listed.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
    "kind stopped",
    "plain active",
    "text stopped",
    "zone stopped",
  ]);
  expect(await node.schedules.read("kind", mine)).toMatchObject({
    ...{ name: "kind", state: "stopped", every: "1d", label: "nightly", what: {}, next: [] },
    why: expect.stringContaining("cannot read its what: another version wrote it"),
  });
  const read = await node.schedules.read("zone", mine);
  expect(read).toMatchObject({ what: query("r1"), why: expect.stringContaining("its time_zone") });
  expect(read).not.toHaveProperty("time_zone");
  expect((await node.schedules.read("text", mine)).why).toContain("its what");
  await node.stop();
  folder.remove();
});

test("an unreadable schedule cannot be run or resumed, but paused, repaired and removed", async () => {
  const folder = temporary();
  const node = await startScheduled({ directory: folder.path });
  const { schedules } = node;
  const mine = await owner(node);
  const id = await node.add({ name: "zone", every: "1d", what: query("r1") });
  await rewrite(node, id, (spec) => ({ ...spec, time_zone: "Mars/Olympus" }));
  await expect(schedules.run("zone", mine)).rejects.toMatchObject(refusedAt("time_zone"));
  expect(await schedules.pause("zone", mine)).toMatchObject({ state: "paused" });
  await expect(schedules.resume("zone", mine)).rejects.toMatchObject(refusedAt("time_zone"));
  const label = schedules.change("zone", bodyOf({ label: "x" }), mine);
  await expect(label).rejects.toMatchObject(refusedAt("time_zone"));
  expect(
    await schedules.change("zone", bodyOf({ time_zone: "UTC", every: null, cron: "0 4 * * *" }), mine),
  ).toMatchObject({ time_zone: "UTC", state: "paused", what: query("r1") });
  expect(await schedules.resume("zone", mine)).toMatchObject({ state: "active" });
  await rewrite(node, id, (spec) => ({ ...spec, what: { kind: "reboot" } }));
  expect(await schedules.remove("zone", mine)).toBe(id);
  await node.stop();
  folder.remove();
});

test("a schedule in a time zone unknown to this machine does not delay other schedules", async () => {
  const folder = temporary();
  const clock = movedClock();
  const start = Date.now();
  clock.fixed = start;
  const events: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void events.push(event) };
  const node = await startScheduled({ directory: folder.path, store: { clock: clock.source }, log });
  const { schedules } = node.store;
  const hourly = (name: string) => node.add({ name, every: "1h", what: query("r1") });
  const [strange, plain] = [await hourly("strange"), await hourly("plain")];
  await rewrite(node, strange, (spec) => ({ ...spec, time_zone: "Mars/Olympus" }));
  clock.fixed = start + 3_600_000;
  node.schedules.start();
  const statuses = async (id: string) => (await schedules.firings(id, 10)).map(({ status }) => status);
  await expect.poll(() => statuses(plain), { timeout: 120_000 }).toEqual(["submitted"]);
  expect(await statuses(strange)).toEqual([]);
  // It stays due: each further look comes across it, and says nothing more of it.
  clock.fixed = start + 7_200_000;
  await expect.poll(() => statuses(plain)).toEqual(["submitted", "submitted"]);
  expect(events.filter((event) => event === "schedule.unreadable")).toHaveLength(1);
  await node.stop();
  folder.remove();
});
