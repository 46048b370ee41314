/**
 * Maintenance windows of groups delay pushes: held until they open, not started after they close, released
 * manually.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../../../src/auth/port.ts";
import { createHostAddresses } from "../../../src/jobs/request/device/host-addresses.ts";
import type { CheckedOperation } from "../../../src/jobs/request/operation.ts";
import { createPushGate } from "../../../src/jobs/request/push-gate.ts";
import { type MovedClock, movedClock } from "../../schedules/support.ts";
import { type Node, startNode } from "../../support/node.ts";
import { admin, configure, query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

const folder = temporary();
/** Results of the resolver; other names do not exist. */
const resolvable: Record<string, readonly string[]> = {
  r1: ["192.0.2.1", "2001:db8::1"],
  "r1.mgmt.example": ["2001:db8::1"],
  "r7.example": ["192.0.2.7"],
  r3: ["192.0.2.3"],
};
async function resolve(name: string): Promise<readonly string[]> {
  const found = resolvable[name];
  if (found) return found;
  throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
}
let clock: MovedClock;
let node: Node;

/** It opens at noon and closes at one, on a clock that the tests set. */
const noon = Date.parse("2027-03-10T12:00:00Z");
const hourMs = 3_600_000;
const window = ["daily 12:00-13:00"];

beforeAll(async () => {
  clock = movedClock();
  node = await startNode({ directory: folder.path, store: { clock: clock.source }, resolve });
  const group = (name: string, more: object) => ({ name, ...more });
  const groups = [
    group("core", { window }),
    group("berlin", { parent: "core" }),
    group("night", { window: ["20:00-21:00"] }),
    group("free", {}),
  ];
  const connection = { username: "u" };
  const driver = { driver: "netmiko", platform: "cisco_ios" };
  const devices = [
    { name: "edge-1", host: "r1", group: "berlin", connection, ...driver },
    { name: "edge-2", host: "192.0.2.7", group: "core", connection, ...driver },
    { name: "free-1", host: "r3", group: "free", connection, ...driver },
    { name: "both-1", host: "r4", group: "core", ...driver },
    { name: "both-2", host: "r4", group: "night", ...driver },
  ];
  await node.inventory.apply({ groups, devices }, {}, admin);
});
afterAll(async () => {
  node.pool.release();
  await node.stop();
  folder.remove();
});

function setTime(ms: number): void {
  clock.fixed = ms;
}

async function recordOf(id: string) {
  const { pieces } = await node.jobs.page({ id }, admin, { limit: 1 });
  for await (const [record] of pieces) if (record) return record;
  throw new Error(`no job ${id}`);
}

test("outside the window pushes are held, however the host is spelt; queries run", async () => {
  setTime(noon - 2 * hourMs);
  const named = [
    configure("r1", ["hostname a"]),
    configure("R1", ["hostname b"]),
    configure("::ffff:192.0.2.7", ["hostname c"]),
    configure("0xc0000207", ["hostname c"]),
    configure("192.519", ["hostname c"]),
    configure("192.0.2.1", ["hostname by address"]),
    configure("2001:DB8:0::1", ["hostname by another address"]),
    configure("r1.mgmt.example", ["hostname by another name"]),
    configure("R7.example.", ["hostname by a name"]),
    { device: "edge-2", config: ["hostname d"] },
  ];
  for (const request of named) {
    const id = await node.submit(request);
    const record = await recordOf(id);
    expect(record).toMatchObject({
      held: true,
      not_before: "2027-03-10T12:00:00.000+00:00",
      waits_for: { reason: "window", until: "2027-03-10T12:00:00.000+00:00" },
    });
    expect(record.warnings?.join()).toMatch(
      /held until 2027-03-10T12:00.*daily 12:00-13:00.*not started after 2027-03-10T13:00/,
    );
    await node.jobs.cancel({ id }, false, admin);
  }
  for (const request of [
    query("r1", "show version"),
    configure("r3", ["hostname e"]),
    configure("r9", ["x"]),
    configure("192.0.2.3", ["x"]),
  ])
    expect(await node.ended(await node.submit(request))).toMatchObject({ status: "finished" });
});

test("each device of a bulk is held by its own window, in addition to the limits of the bulk", async () => {
  setTime(noon - 2 * hourMs);
  const { driver, connection_args } = configure("", []) as { driver: string; connection_args: object };
  const shared = {
    driver,
    connection_args: { ...connection_args, host: undefined },
    config: ["x"],
    concurrency: 1,
  };
  const answer = await node.bulk({
    ...shared,
    devices: [{ host: "r1" }, { host: "r3" }, { host: "192.0.2.7" }],
  });
  expect(answer.succeeded.map(({ warnings }) => warnings?.length ?? 0)).toEqual([1, 0, 1]);
  const ids = answer.succeeded.map(({ id }) => id);
  await node.ended(ids[1] ?? "");
  expect([...(await node.store.jobs.statusesOf(ids)).values()].sort()).toEqual(["finished", "held", "held"]);
  await node.jobs.cancelBulk(answer.bulk_id, false, admin);
});

test("a held push starts when the window opens, or when it is released", async () => {
  setTime(noon - hourMs);
  const released = await node.submit(configure("r1", ["hostname early"]));
  expect(await node.jobs.release({ id: released }, admin)).toEqual([released]);
  expect(await node.ended(released)).toMatchObject({ status: "finished" });
  const [entry] = (await node.admin.audit({ limit: 50 }, admin)).entries.filter(
    ({ action }) => action === "job.release",
  );
  expect(entry).toMatchObject({ job_id: released });
  setTime(noon - 300);
  expect(await node.ended(await node.submit(configure("r1", ["hostname late"])))).toMatchObject({
    status: "finished",
  });
});

test("a push that has not started when the window closes expires", async () => {
  setTime(noon + hourMs - 1_500);
  const first = await node.submit(query("r1", "hold"));
  const id = await node.submit(configure("r1", ["hostname z"]));
  expect((await recordOf(id)).warnings?.join()).toMatch(/closes before its ttl is over/);
  const record = await node.ended(id);
  expect(record.result?.error).toMatchObject({
    type: "JobExpired",
    message: expect.stringContaining("window of its group closed at 2027-03-10T13:00:00.000Z"),
  });
  node.pool.release();
  await node.ended(first);
  expect(node.pool.log.map(({ command }) => command)).not.toContain("hostname z");
});

test("windows of nested groups that never overlap are reported", async () => {
  setTime(noon);
  const error = await node.submit(configure("r4", ["x"])).catch((reason) => reason);
  expect(error.detail.issues).toMatchObject([
    { message: expect.stringMatching(/do not overlap.*20:00-21:00/) },
  ]);
});

test("a key that does not reach the device learns nothing of its window", async () => {
  setTime(noon);
  const body = configure("r4", ["x"]);
  const other: Caller = { ...admin, keyId: "k2", scope: "operate", hosts: ["r9"] };
  const submitted = node.jobs.submit({ text: JSON.stringify(body), value: body }, other);
  await expect(submitted).rejects.toMatchObject({ kind: "Forbidden" });
});

test("the maintenance gate reads the inventory for pushes only, once per request", async () => {
  let reads = 0;
  const inventory = {
    snapshot() {
      reads++;
      return node.inventory.snapshot();
    },
  };
  const addresses = createHostAddresses(resolve);
  const restricted = createPushGate(
    { inventory, store: node.store, iso: String, addresses },
    { caller: admin, change: false },
  );
  const checked = (operation: string) => ({
    ok: true,
    operation: { operation, host: "r9", payload: {} },
    hosts: [],
  });
  // Only these members are used.
  const queried = checked("query") as unknown as CheckedOperation;
  const pushed = checked("config") as unknown as CheckedOperation;
  expect(await restricted(queried)).toBe(queried);
  expect(reads).toBe(0);
  for (let push = 0; push < 3; push++) expect(await restricted(pushed)).toBe(pushed);
  expect(reads).toBe(1);
});
