/** A schedule that a node can not read: its others fire. */
import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { temporary } from "../support/temporary.ts";
import { movedClock, owner, query, startScheduled } from "./support.ts";

test("one in a zone that this machine does not know holds up no other", async () => {
  const folder = temporary();
  const clock = movedClock();
  const start = Date.now();
  clock.fixed = start;
  const told: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void told.push(event) };
  const node = await startScheduled({ directory: folder.path, store: { clock: clock.source }, log });
  const { schedules } = node.store;
  const hourly = (name: string) => node.add({ name, every: "1h", what: query("r1") });
  const [strange, plain] = [await hourly("strange"), await hourly("plain")];
  const stored = await schedules.find(strange);
  if (!stored) throw new Error("it is not there");
  const spec = JSON.stringify({ ...JSON.parse(stored.spec), time_zone: "Mars/Olympus" });
  const request = await schedules.requestOf(strange);
  const { name, state, why, anchor, next, revision } = stored;
  const values = { name, state, why, spec, request, anchor, next };
  expect(await schedules.change(strange, revision, values, await owner(node), "test")).toBe("changed");
  clock.fixed = start + 3_600_000;
  node.schedules.start();
  const statuses = async (id: string) => (await schedules.firings(id, 10)).map(({ status }) => status);
  await expect.poll(() => statuses(plain), { timeout: 120_000 }).toEqual(["submitted"]);
  expect(await statuses(strange)).toEqual([]);
  // It stays due: each further look comes across it, and says nothing more of it.
  clock.fixed = start + 7_200_000;
  await expect.poll(() => statuses(plain)).toEqual(["submitted", "submitted"]);
  expect(told.filter((event) => event === "schedule.unreadable")).toHaveLength(1);
  await node.stop();
  folder.remove();
});
