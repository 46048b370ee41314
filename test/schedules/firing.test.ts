/** Firings on a node: submitted as their owner, once, by their schedule's policies, across clock jumps. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import { rightsOf } from "../../src/auth/rights.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { doFiring } from "../../src/schedules/firing.ts";
import type { TakenFiring } from "../../src/store/port.ts";
import { fakePool } from "../support/fake-pool.ts";
import { admin, bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";
import {
  type MovedClock,
  makeKey,
  movedClock,
  owner,
  query,
  type ScheduledNode,
  startScheduled,
} from "./support.ts";

let folder: ReturnType<typeof temporary>;
let clock: MovedClock;
let node: ScheduledNode;
let mine: Caller;
const synced: string[] = [];
let isFull = false;

beforeEach(async () => {
  folder = temporary();
  clock = movedClock();
  // The clock stands still, so that what is due does not depend on the machine.
  clock.fixed = start;
  synced.length = 0;
  isFull = false;
  node = await startScheduled({
    directory: folder.path,
    pool: fakePool(),
    store: { clock: clock.source },
    work: {
      async sync(source, by) {
        synced.push([source, by.name, ...rightsOf(by)].join(" "));
        return "3 added";
      },
      async drift(body, by) {
        synced.push(`${JSON.stringify(body)} ${by.name}`);
        return "2 devices are to be compared";
      },
      async recipe(name, { text }, by, key) {
        if (isFull) throw new ServiceError("TooManyRequests", "too many runs are open");
        synced.push(`${name} ${text} ${by.name} ${by.submitter?.kind} ${key}`);
        return `run r-1 of ${name}`;
      },
    },
  });
  mine = await owner(node);
});
afterEach(async () => {
  node.pool.release();
  await node.stop();
  folder.remove();
});

const start = Date.now();
const budget = { timeout: 120_000, interval: 20 };
const hourMs = 3_600_000;

/** All firings so far, oldest first. */
async function statuses(id: string): Promise<string> {
  const found = await node.store.schedules.firings(id, 100);
  return found
    .map(({ status }) => status)
    .reverse()
    .join(" ");
}

async function until(id: string, expected: string): Promise<void> {
  await expect.poll(() => statuses(id), budget).toBe(expected);
}

/** Advances the clock and triggers a check. */
function goOn(ms: number): void {
  clock.fixed = (clock.fixed ?? start) + ms;
  node.schedules.start();
}

const hourly = (more: object = {}) => ({ name: "hourly", every: "1h", what: query("r1"), ...more });
const command = (text: string) => ({ kind: "query", request: { ...query("r1").request, command: text } });

test("a due schedule submits its request as its owner and records the firing", async () => {
  const id = await node.add(hourly({ what: query("r1", "r2"), label: "night", ticket: "CHG-1" }));
  goOn(hourMs);
  await until(id, "submitted");
  const [firing] = await node.store.schedules.firings(id, 1);
  const record = await node.jobs.bulkRecord(firing?.bulkId ?? "", mine);
  expect(record).toMatchObject({ label: "night", ticket: "CHG-1", total: 2 });
  expect((await node.schedules.read(id, mine)).last).toMatchObject({
    status: "submitted",
    bulk_id: record.id,
  });
  await expect
    .poll(async () => (await node.schedules.list(mine, { limit: 10 })).schedules[0]?.last?.result, budget)
    .toMatchObject({ status: "ended", counts: { finished: 2, failed: 0 }, error_types: {} });
  const entries = (await node.admin.audit({ limit: 20 }, admin)).entries;
  expect(entries.find(({ action }) => action === "schedule.fire")).toMatchObject({
    who: `owner (${mine.keyId})`,
    outcome: "submitted",
    detail: expect.stringMatching(new RegExp(`^${id}: \\S+ .*${record.id}$`)),
  });
  expect(node.fired).toEqual(["submitted"]);
});

test("a schedule stops when its key is revoked or expires", async () => {
  const id = await node.add(hourly());
  const brief = await makeKey(node.store, "brief", { expiresAt: Date.now() - 1 });
  const other = await node.add(hourly(), brief);
  await node.store.keys.revoke(mine.keyId, admin);
  expect(await node.schedules.read(id, admin)).toMatchObject({
    state: "stopped",
    why: expect.stringContaining("revoked"),
  });
  goOn(hourMs);
  for (const stopped of [id, other])
    await expect.poll(async () => (await node.store.schedules.find(stopped))?.state, budget).toBe("stopped");
  expect(await statuses(id)).toBe("");
  await expect(node.schedules.run(id, admin)).rejects.toMatchObject({ kind: "BusinessFailure" });
  const actions = (await node.admin.audit({ limit: 20 }, admin)).entries.map(({ action }) => action);
  expect(actions.filter((action) => action === "schedule.stop")).toHaveLength(2);
  await expect.poll(() => node.fired, budget).toEqual(["stopped", "stopped"]);
});

test("a firing reaches only the hosts that the owner's key reaches at that time", async () => {
  const limited = await makeKey(node.store, "limited", { hosts: ["r1"] });
  // Stored while the name of r2 still led to an address within reach.
  const id = await node.add(hourly({ what: query("r1", "r2") }), { ...limited, hosts: [] });
  goOn(hourMs);
  await until(id, "submitted");
  const [firing] = await node.store.schedules.firings(id, 1);
  const jobs = await node.store.jobs.page({ bulkId: firing?.bulkId ?? "" }, 10);
  const refused = jobs.filter(({ host }) => host === "r2");
  expect(refused).toMatchObject([{ status: "failed", result: expect.stringContaining("may not reach") }]);
  expect(node.pool.log.map(({ host }) => host)).not.toContain("r2");
});

test.each<[string, string]>([
  ["skip", "submitted skipped submitted"],
  ["queue", "submitted submitted submitted"],
  ["replace", "submitted submitted submitted"],
])(
  "a firing that is due while the previous one runs follows the overlap policy: %s",
  async (overlap, expected) => {
    const id = await node.add(hourly({ overlap, what: command("hold") }));
    goOn(hourMs);
    await until(id, "submitted");
    goOn(hourMs);
    const second = { skip: "skipped", queue: "waiting", replace: "submitted" }[overlap];
    await until(id, `submitted ${second}`);
    node.pool.release();
    await until(id, expected.split(" ").slice(0, 2).join(" "));
    const bulks = (await node.jobs.bulks({}, mine, { limit: 10 })).bulks.reverse();
    for (const { id: bulk } of bulks)
      await node.jobs.waitForBulk(bulk, 120_000, new AbortController().signal);
    goOn(hourMs);
    await until(id, expected);
    expect(node.fired.includes("skipped")).toBe(overlap === "skip");
    const first = await node.jobs.bulkRecord(bulks[0]?.id ?? "", mine);
    expect(first.error_types.Cancelled).toBe(overlap === "replace" ? 1 : undefined);
  },
);

test("a paused schedule neither fires nor misses a firing, and can still be run by hand", async () => {
  const id = await node.add(hourly({ overlap: "queue", missed: { policy: "all" } }));
  await node.schedules.pause(id, mine);
  goOn(5 * hourMs);
  expect(await node.schedules.run(id, mine)).toMatchObject({ manual: true });
  await until(id, "submitted");
  await node.schedules.resume(id, mine);
  goOn(hourMs);
  await until(id, "submitted submitted");
});

test("a clock that jumps ahead follows the missed policy; one that jumps back fires nothing twice", async () => {
  const skip = await node.add(hourly({ name: "skip" }));
  const once = await node.add(hourly({ name: "once", missed: { policy: "once" } }));
  const all = await node.add(hourly({ name: "all", missed: { policy: "all", most: 3 } }));
  goOn(6 * hourMs + 120_000);
  await until(skip, "missed");
  await until(once, "submitted");
  await until(all, "missed submitted submitted submitted");
  goOn(-3 * hourMs);
  // The clock was set back by hours: times count from now, and past firings do not repeat.
  await expect
    .poll(async () => ((await node.store.schedules.find(all))?.next?.dueAt ?? 0) < start + 5 * hourMs, budget)
    .toBe(true);
  goOn(3 * hourMs);
  await expect
    .poll(async () => ((await node.store.schedules.find(all))?.next?.dueAt ?? 0) > start + 6 * hourMs, budget)
    .toBe(true);
  const fired = (await node.store.schedules.firings(all, 100)).map(({ dueAt }) => dueAt);
  expect(new Set(fired).size).toBe(fired.length);
  expect(await node.jobs.bulks({}, mine, { limit: 100 })).toMatchObject({ bulks: { length: 4 } });
});

test("a scheduled sync runs as the owner of the schedule", async () => {
  const writer = await makeKey(node.store, "writer", { scope: "admin" });
  const id = await node.add(hourly({ what: { kind: "sync", source: "netbox" } }), writer);
  goOn(hourMs);
  await until(id, "done");
  expect(synced).toEqual(["netbox writer history"]);
  expect((await node.schedules.read(id, writer)).last).toMatchObject({ status: "done", reason: "3 added" });
});

test("a scheduled comparison with intents runs as the owner of the schedule, and is refused with what it does not know", async () => {
  const writer = await makeKey(node.store, "writer", { scope: "operate" });
  const misspelt = hourly({ what: { kind: "drift", drift: { selekt: "tag:edge" } } });
  await expect(node.add(misspelt, writer)).rejects.toMatchObject({
    detail: { issues: [{ path: "what.drift.selekt" }] },
  });
  const id = await node.add(hourly({ what: { kind: "drift", drift: { select: "tag:edge" } } }), writer);
  goOn(hourMs);
  await until(id, "done");
  expect(synced).toEqual(['{"select":"tag:edge"} writer']);
  const { last } = await node.schedules.read(id, writer);
  expect(last).toMatchObject({ status: "done", reason: "2 devices are to be compared" });
});

test("a recipe is run as the owner of the schedule, under a key of the firing, with the ticket of the schedule", async () => {
  const writer = await makeKey(node.store, "writer", { scope: "operate" });
  const what = { kind: "recipe", recipe: { name: "vlan", parameters: { vlan: 20 }, select: "tag:access" } };
  const id = await node.add(hourly({ what, ticket: "CHG-7" }), writer);
  expect((await node.schedules.read(id, writer)).what).toEqual(what);
  isFull = true;
  goOn(hourMs);
  await until(id, "submitting");
  isFull = false;
  const due = (await node.store.schedules.firings(id, 1))[0]?.dueAt;
  goOn(60_000);
  await until(id, "done");
  const body = '{"parameters":{"vlan":20},"select":"tag:access","ticket":"CHG-7"}';
  expect(synced).toEqual([`vlan ${body} writer schedule schedule:${id}:${due}`]);
  const { last } = await node.schedules.read(id, writer);
  expect(last).toMatchObject({ status: "done", reason: "run r-1 of vlan" });
});

test("a firing has the rights of the owner's key at that time", async () => {
  const writer = await makeKey(node.store, "writer", { scope: "admin" });
  const id = await node.add(hourly({ what: { kind: "sync", source: "netbox" } }), writer);
  await node.store.keys.change(writer.keyId, { rights: ["history_secrets"] }, admin);
  goOn(hourMs);
  await until(id, "done");
  await node.store.keys.change(writer.keyId, { rights: [] }, admin);
  goOn(hourMs);
  await until(id, "done done");
  expect(synced).toEqual(["netbox writer history history_secrets", "netbox writer history"]);
});

test("a one-time schedule ends after its firing; its firings are listed in pages", async () => {
  const id = await node.add({
    name: "once",
    overlap: "queue",
    at: new Date(start + hourMs).toISOString(),
    what: query("r1"),
  });
  goOn(hourMs + 5_000);
  await until(id, "submitted");
  expect(await node.schedules.read(id, mine)).toMatchObject({ state: "ended", next: [] });
  await node.schedules.run(id, mine);
  await until(id, "submitted submitted");
  const { firings, next } = await node.schedules.firings(id, mine, { limit: 1 });
  expect(firings).toMatchObject([{ manual: true }]);
  const rest = await node.schedules.firings(id, mine, { limit: 1, cursor: next ?? "" });
  expect(rest).toMatchObject({ firings: [{ status: "submitted" }], next: undefined });
});

const taken: TakenFiring = {
  scheduleId: "s1",
  name: "nightly",
  dueAt: 1_000,
  owner: "k1",
  overlap: "skip",
  spec: '{"overlap":"skip","missed":{"policy":"skip","most":10},"what":{"kind":"query"}}',
  request: JSON.stringify(query("r1").request),
  damaged: false,
  lastBulk: null,
  ageMs: 0,
};

test("a schedule whose stored request is damaged fails without submitting anything", async () => {
  const settle = vi.fn(async () => true);
  const bulk = vi.fn();
  const tools = {
    jobs: { bulk, cancelBulk: async () => ({ cancelled: 0, stopping: 0 }) },
    store: { schedules: { settle } },
    work: {},
    ownerOf: async () => admin,
  };
  const firing = { ...taken, request: null, damaged: true };
  expect(await doFiring(firing, { name: "n1", generation: 1 }, tools)).toBe("failed");
  expect(bulk).not.toHaveBeenCalled();
});

test.each<[string, number, ServiceError, string | undefined]>([
  ["is retried while the queue is full", 1_000, new ServiceError("TooManyRequests", "full"), undefined],
  ["fails after an hour of full queue", hourMs + 1, new ServiceError("TooManyRequests", "full"), "failed"],
  [
    "fails at once if its request is invalid",
    1_000,
    new ServiceError("Validation", "x", { issues: [{ path: "select", message: "matches nothing" }] }),
    "failed",
  ],
  ["is recorded as missed after a day", 24 * hourMs, new ServiceError("Internal", "never asked"), "missed"],
])("a firing that cannot be submitted: %s", async (_name, ageMs, error, expected) => {
  const settle = vi.fn(async () => true);
  const bulk = vi.fn(async () => Promise.reject(error));
  const status = await doFiring(
    { ...taken, ageMs },
    { name: "n1", generation: 1 },
    {
      jobs: { bulk, cancelBulk: async () => ({ cancelled: 0, stopping: 0 }) },
      store: { schedules: { settle } },
      work: {},
      ownerOf: async () => admin,
    },
  );
  expect(status).toBe(expected);
  expect(settle).toHaveBeenCalledTimes(expected === undefined ? 0 : 1);
  expect(bulk).toHaveBeenCalledTimes(expected === "missed" ? 0 : 1);
  if (error.kind === "Validation")
    expect(settle.mock.calls[0]).toContainEqual({ status: "failed", reason: "select: matches nothing" });
});

test("a retried firing sends the same body, with label and ticket of the schedule as defaults", async () => {
  const bodies: unknown[] = [];
  const spec = taken.spec.replace("{", '{"label":"night","ticket":"CHG-1",');
  for (const request of ['{ "a": 2.0 }', '{"label":"own"}', "{}"]) {
    await doFiring(
      { ...taken, spec, request },
      { name: "n1", generation: 1 },
      {
        jobs: {
          bulk: async (body, _caller, key) => {
            bodies.push([body.text, body.value, key]);
            return { succeeded: [], failed: [], failed_jobs: [], bulk_id: "b1" };
          },
          cancelBulk: async () => ({ cancelled: 0, stopping: 0 }),
        },
        store: { schedules: { settle: async () => true } },
        work: {},
        ownerOf: async () => admin,
      },
    );
  }
  const words = { label: "night", ticket: "CHG-1" };
  expect(bodies).toEqual([
    ['{"label":"night","ticket":"CHG-1", "a": 2.0 }', { ...words, a: 2 }, "schedule:s1:1000"],
    ['{"ticket":"CHG-1","label":"own"}', { ticket: "CHG-1", label: "own" }, "schedule:s1:1000"],
    ['{"label":"night","ticket":"CHG-1"}', words, "schedule:s1:1000"],
  ]);
  expect(bodyOf(words).text).toBe((bodies[2] as unknown[])[0]);
});
