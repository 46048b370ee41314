/** What groups ask of changes: in the plan, when one starts, and when its first wave begins. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangeRequest } from "../../src/api/changes/change.ts";
import { silentLog } from "../../src/base/log.ts";
import { makePlan } from "../../src/changes/planning/plan.ts";
import { demandsOf, noDemands, originFault, votesNeeded } from "../../src/changes/planning/policy.ts";
import { createPolicyCheck } from "../../src/changes/planning/policy-check.ts";
import { wavesOf } from "../../src/changes/planning/waves.ts";
import { createSubmission } from "../../src/changes/rollout/submit.ts";
import { createTargetReading } from "../../src/changes/targets.ts";
import { createInventory } from "../../src/inventory/inventory.ts";
import type { Inventory } from "../../src/inventory/port.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import type { Store } from "../../src/store/port.ts";
import { masterKey } from "../support/node.ts";
import { admin } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();
let store: Store;
let inventory: Inventory;
const names = Array.from({ length: 12 }, (_, at) => `r${at + 1}`);

beforeAll(async () => {
  store = await createStore({ directory: folder.path, masterKey, log: silentLog });
  inventory = createInventory({
    ...{ store, log: silentLog, iso: String, isSecretField: () => false },
    nameCredential: async () => ({ name: "none", kept: true }),
  });
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

/** Twelve devices, the first eight of them in a group below `core`. */
const policy = (change: object | null, below: object | null = null) =>
  inventory.apply(
    {
      groups: [{ name: "core", change }, { name: "berlin", parent: "core", change: below }, { name: "free" }],
      devices: names.map((name, at) => ({ name, group: at < 8 ? "berlin" : "free" })),
    },
    { mode: "replace" },
    admin,
  );

const heads = new Map(names.map((name) => [name, { version: 1, compare: "x" }]));
const base = { name: "ntp", devices: names, config: "ntp server 192.0.2.1" };
async function planOf(more: Partial<ChangeRequest> = {}, origin: "agent" | null = null) {
  const snapshot = await inventory.snapshot();
  const never = () => Promise.reject(new Error("not here"));
  const devices = [...snapshot.all()];
  return makePlan({ ...base, ...more }, admin, origin, new AbortController().signal, {
    jobs: { render: never, changeBulk: never, changeRoom: never, changeDevices: async () => devices },
    driver: () => undefined,
    platform: () => undefined,
    fixes: {} as never,
    returns: { heads: async () => heads, whyNot: () => undefined } as never,
  });
}

test("the plan has the votes and the waves that groups ask for, and is refused without their ticket", async () => {
  await policy({ required: true, approvals: 2, ticket: "^CHG-\\d+$" }, { max_wave: "25%" });
  await expect(planOf()).rejects.toMatchObject({
    kind: "Validation",
    detail: { issues: [{ path: "ticket", message: expect.stringContaining("^CHG-\\d+$") }] },
  });
  await expect(planOf({ ticket: "INC-1" })).rejects.toMatchObject({ kind: "Validation" });
  const ticket = "CHG-7";
  const made = await planOf({ ticket, approvals: { count: 1, not_author: false } });
  expect(made.needed).toBe(2);
  // 25 % of the eight are two a wave; the four others go with the waves as they were asked for.
  expect(made.plan.waves).toEqual([1, 3, 3, 2, 2, 1]);
  const first = new Map(made.targets.map(({ device, wave }) => [device, wave]));
  for (let wave = 1; wave <= 6; wave++)
    expect(names.slice(0, 8).filter((name) => first.get(name) === wave).length).toBeLessThanOrEqual(2);
  expect(made.plan.warnings.join("\n")).toMatch(
    /2 votes, as the group core.*\n.*own vote does not count.*\n.*6 waves in place of 3/,
  );
  expect((await planOf({ ticket, approvals: { count: 3 } })).needed).toBe(3);
  await policy({ required: true, approvals: 1, ticket: "^CHG-\\d+$" }, { max_wave: "25%" });
  const other = await planOf({ ticket, approvals: { count: 1, not_author: false } });
  expect([other.needed, other.hash === made.hash]).toEqual([1, false]);
});

test("more waves than there may be are refused", () => {
  const devices = Array.from({ length: 60 }, (_, at) => ({
    ...{ device: `r${at}`, spread: null, apart: null, bound: "core" },
  }));
  const divided = wavesOf(devices, { canary: 1 }, 50, new Map([["core", 1]]));
  expect(divided).toMatchObject({ issue: { path: "strategy.waves" } });
});

/** A change with the plan of now, as if it had been approved. */
async function approved(more: Partial<ChangeRequest> = {}) {
  const request = { ...base, approvals: { count: 0, not_author: false }, ...more };
  const made = await planOf(request);
  const id = store.makeId();
  await store.changes.add(
    {
      ...{ id, name: "ntp", holder: "k1", submitterKind: "key", submitter: "ops" },
      ...{ ticket: request.ticket ?? null, needed: made.needed, request: JSON.stringify(request) },
    },
    admin,
  );
  await store.changes.setTargets({ id, step: 1 }, made.targets, made.texts, 1);
  const change = await store.changes.find(id);
  if (change === undefined) throw new Error("no change");
  return { change, request, made };
}

test.each<[string, object, RegExp | undefined]>([
  ["nothing new", {}, undefined],
  ["more votes", { approvals: 1 }, /core asks for 1 votes since, and the plan has 0/],
  ["votes of others", { required: true }, /core requires changes since/],
  ["a ticket", { ticket: "^CHG-" }, /its ticket must match \^CHG-/],
  ["smaller waves", { max_wave: 1 }, /wave \d has more devices of the group core than the 1/],
])("a policy that became stricter after the plan stops the start: %s", async (_title, later, why) => {
  await policy({});
  const { change, request, made } = await approved();
  await policy(later);
  const objection = await createPolicyCheck({ store, inventory, returns: { byLines: () => true } })(
    change,
    request,
    made.plan,
  );
  if (why === undefined) expect(objection).toBeUndefined();
  else expect(objection?.why).toMatch(why);
});

test("the first wave is not begun either if the policy became stricter after the start", async () => {
  await policy({});
  const { change, made } = await approved();
  const running = { state: "running", wave: 1, phase: "reading" } as const;
  await store.changes.move(change, running, { what: "started", by: null });
  await policy({ approvals: 1 });
  const submitted: unknown[] = [];
  const submit = createSubmission({
    ...{ store, inventory, log: silentLog, reading: createTargetReading(store) },
    jobs: {
      changeDevices: async () => [],
      changeRoom: async () => () => true,
      changeBulk: async (part) => String(submitted.push(part)),
    },
    returns: {} as never,
    ownerOf: async () => admin,
  });
  const now = await store.changes.find(change.id);
  if (now === undefined) throw new Error("no change");
  await submit(now, made.plan);
  expect(submitted).toEqual([]);
  expect(await store.changes.find(change.id)).toMatchObject({
    state: "expired",
    phase: null,
    reason: expect.stringMatching(/asks for 1 votes since.*nothing was begun. Plan it again/),
  });
  await policy({});
  await store.changes.move({ id: change.id, step: now.step + 1 }, running, { what: "started", by: null });
  const again = await store.changes.find(change.id);
  if (again !== undefined) await submit(again, made.plan);
  expect(submitted).toHaveLength(1);
});

test("an agent's change needs a vote whatever it asks for, and groups can take none", async () => {
  const none = { approvals: { count: 0 } };
  expect((await planOf({ ...none, ticket: "CHG-1" }, "agent")).needed).toBeGreaterThanOrEqual(1);
  expect(votesNeeded({ ...base, ...none }, noDemands, "agent")).toBe(1);
  expect(votesNeeded({ ...base, ...none }, noDemands, null)).toBe(0);
  expect(votesNeeded({ ...base, ...none }, noDemands, "recipe")).toBe(0);
  const closed = demandsOf([{ change: { agents: false }, changeFrom: { agents: "core" } }]);
  expect(originFault("agent", closed)).toBe("the group core of the inventory takes no changes from agents");
  expect(originFault(null, closed)).toBeUndefined();
  expect(originFault("agent", noDemands)).toBeUndefined();
});
