/** Votes: a person's, for exactly the plan that was read, and never for one's own change. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChangeState, changeLimits } from "../../src/api/changes/change.ts";
import { createHolders } from "../../src/auth/holders.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createChanges } from "../../src/changes/changes.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import type { Store } from "../../src/store/port.ts";
import { newJob } from "../store/support.ts";
import { masterKey } from "../support/node.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();
let store: Store;
beforeAll(async () => {
  store = await createStore({ directory: folder.path, masterKey, log: silentLog });
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

const admin: Caller = { keyId: "k1", name: "ops", scope: "admin", hosts: [], from: null };
function person(name: string, more: Partial<Caller> = {}): Caller {
  const itself = { keyId: `p-${name}`, name, person: { id: `p-${name}`, name }, from: null };
  return {
    ...{ ...itself, scope: "operate", hosts: [], rights: ["approve"] },
    submitter: { kind: "person", name },
    ...more,
  };
}
const author = person("anna");
const notCompared = () => Promise.reject(new Error("nothing is compared here"));
const changes = () =>
  createChanges({
    store,
    iso: (ms) => new Date(ms).toISOString(),
    // No line is shown here.
    inventory: { snapshot: () => Promise.resolve({ device: () => undefined } as never) },
    holders: createHolders(store),
    jobs: {
      async checkGates() {},
      changeDevices: () => Promise.resolve([]),
      ...{ compare: notCompared, changeBulk: notCompared, changeRoom: notCompared },
    },
    returns: { effect: notCompared, between: notCompared, plan: notCompared, byLines: () => true },
    platform: () => undefined,
    onMoved() {},
    async planned() {},
  });
const bodyOf = (value: object) => ({ text: JSON.stringify(value), value });
const hash = "a".repeat(64);

/** A planned change that waits for votes. */
async function waiting(needed = 1, expiresAt = Date.now() + 60_000, by = author, notAuthor?: boolean) {
  const { id } = await changes().draft(
    bodyOf({
      ...{ name: "ntp", devices: ["r1"], config: "ntp" },
      approvals: { count: needed, ...(notAuthor === undefined ? {} : { not_author: notAuthor }) },
    }),
    by,
  );
  const found = await store.changes.find(id);
  if (found === undefined) throw new Error("no change");
  const move = { state: "waiting_approval", hash, expiresAt } as const;
  expect(await store.changes.move(found, move, { what: "planned", by: null })).toBe(true);
  return id;
}
const vote = (id: string, caller: Caller, more: object = {}) =>
  changes().vote(id, bodyOf({ revision: 1, hash, verdict: "approve", ...more }), caller);

test("as many persons as it needs approve it, each of them once", async () => {
  const id = await waiting(2);
  expect(await vote(id, person("bert"))).toMatchObject({
    state: "waiting_approval",
    approvals: { given: 1 },
  });
  expect(await vote(id, person("bert"))).toMatchObject({
    state: "waiting_approval",
    approvals: { given: 1 },
  });
  expect(await vote(id, person("carl"))).toMatchObject({
    state: "approved",
    approvals: { needed: 2, given: 2 },
  });
  await expect(vote(id, person("dora"))).rejects.toMatchObject({ kind: "InUse" });
});

test("an author is known by who they are, with whatever key or name they come", async () => {
  const signedIn = async (name: string) =>
    store.persons.signIn({ issuer: "https://id", subject: "s-1", name, email: null, groups: [] }, null);
  const { id: personId = "" } = (await signedIn("eva")) ?? {};
  const own = await store.keys.addOwn(
    { scope: "operate", hosts: [], name: `${personId}/laptop`, key: "pb_eva", personId },
    admin,
  );
  const keyId = typeof own === "object" && "id" in own ? own.id : "";
  const eva = person("eva", { keyId, name: "eva/laptop", person: { id: personId, name: "eva" } });
  const id = await waiting(1, Date.now() + 60_000, eva);
  await signedIn("eva.maria");
  const renamed = person("eva.maria", { keyId: personId, person: { id: personId, name: "eva.maria" } });
  await expect(vote(id, renamed)).rejects.toThrow("eva.maria is the author");
});

test("one rejection ends it, and the author may take back their own", async () => {
  const id = await waiting(2);
  await vote(id, person("bert"));
  expect(await vote(id, author, { verdict: "reject", note: "wrong server" })).toMatchObject({
    ...{ state: "rejected", reason: "rejected by a vote" },
    votes: [{ person: "bert" }, { person: "anna", verdict: "reject", note: "wrong server" }],
  });
  await expect(changes().say(id, "start", undefined, author)).rejects.toMatchObject({ kind: "InUse" });
});

test.each<[string, Caller, object, string]>([
  ["a key", { ...admin, rights: ["approve"] }, {}, "A key cannot vote"],
  ["the author", author, {}, "anna is the author"],
  ["somebody for an older revision", person("bert"), { revision: 0 }, "revision 0"],
  ["somebody for another plan", person("bert"), { hash: "b".repeat(64) }, "another plan"],
  ["somebody without the right", person("bert", { rights: [] }), {}, 'does not have the right "approve"'],
])("%s does not approve it", async (_who, caller, more, text) => {
  const id = await waiting();
  await expect(vote(id, caller, more)).rejects.toThrow(text);
  expect(await changes().read(id, admin)).toMatchObject({ state: "waiting_approval", votes: [] });
});

test("an author approves it where the change says that they may, and nobody after it has expired", async () => {
  expect(await vote(await waiting(1, Date.now() + 60_000, author, false), author)).toMatchObject({
    state: "approved",
  });
  const late = await waiting(1, Date.now() - 1);
  await expect(vote(late, person("bert"))).rejects.toThrow("expired");
});

test("an edit is a new revision, for which no vote was given", async () => {
  const id = await waiting(1);
  await vote(id, person("bert"));
  const edited = await changes().edit(
    id,
    bodyOf({ name: "ntp 2", devices: ["r1"], config: "ntp 2" }),
    author,
  );
  expect(edited).toMatchObject({
    state: "draft",
    revision: 2,
    hash: null,
    approvals: { needed: 1, given: 0 },
  });
  await expect(changes().say(id, "start", undefined, admin)).rejects.toMatchObject({ kind: "InUse" });
  await expect(
    changes().edit(id, bodyOf({ name: "x", devices: ["r1"], config: "x" }), admin),
  ).rejects.toMatchObject({
    kind: "Forbidden",
  });
});

/** The request as an answer shows it, and as it is stored. */
async function shownAndStored(request: object) {
  const { id, ...shown } = await changes().draft(
    bodyOf({ name: "ntp", devices: ["r1"], ...request }),
    author,
  );
  const stored = async () => JSON.parse((await store.changes.find(id))?.request ?? "");
  return { id, shown: shown.request, stored };
}

test("what is read can be edited and sent back: it keeps the lines", async () => {
  const { id, shown, stored } = await shownAndStored({ config: ["ntp server 192.0.2.1"] });
  expect(shown).not.toHaveProperty("config");
  const edit = (more: object) => changes().edit(id, bodyOf({ ...shown, ...more }), author);
  expect(await edit({ name: "ntp 2", strategy: { canary: 2 } })).toMatchObject({
    revision: 2,
    name: "ntp 2",
  });
  expect(await stored()).toMatchObject({ config: ["ntp server 192.0.2.1"], strategy: { canary: 2 } });
  await expect(edit({ rendering: { name: "jinja2", template: "ntp {{ a }}" } })).rejects.toMatchObject({
    detail: { issues: [{ path: "rendering" }] },
  });
  await edit({ config: "ntp 3" });
  expect(await stored()).toMatchObject({ config: "ntp 3" });
  // In place of the lines: it is not kept that both are asked for.
  await expect(edit({ restore: { version: 1 } })).rejects.toMatchObject({ kind: "Forbidden" });
  expect(await stored()).toMatchObject({ config: "ntp 3" });
});

test("an edit does not store a mask in place of a secret", async () => {
  const strategy = {
    questions: [
      {
        url: "https://monitoring.example/",
        headers: { Authorization: "Bearer 12345678" },
        expression: "true",
      },
    ],
  };
  const rendering = { name: "jinja2", template: "snmp-server community {{ community }}" };
  const config = { community: { secret: "canary-9-secret" } };
  const { id, shown, stored } = await shownAndStored({ config, rendering, strategy });
  const edit = (more: object) => changes().edit(id, bodyOf({ ...shown, ...more }), author);
  await expect(edit({})).rejects.toMatchObject({
    detail: {
      issues: [{ path: "strategy.questions.0.headers.Authorization" }, { path: "config.community.secret" }],
    },
  });
  await expect(edit({ strategy, config: null, rendering: null })).rejects.toMatchObject({
    detail: { issues: [{ path: "rendering" }] },
  });
  await edit({ name: "ntp 2", strategy, config: null });
  expect(await stored()).toMatchObject({ name: "ntp 2", strategy, config });
});

test("of two moves from the same step one is made: the other reads again", async () => {
  const id = await waiting(0);
  const at = await store.changes.find(id);
  if (at === undefined) throw new Error("no change");
  const moves = ["approved", "cancelled"] as const;
  const made = await Promise.all(
    moves.map((state) => store.changes.move(at, { state }, { what: state, by: null })),
  );
  expect([...made].sort()).toEqual([false, true]);
  expect((await store.changes.steps(id, 0, 10)).map(({ n }) => n)).toEqual([1, 2, 3]);
});

test("a change waits for those whose vote would count, until they have voted, and then for its author", async () => {
  const id = await waiting(1);
  const waits = async (caller: Caller) => (await changes().read(id, caller)).waits_for_you;
  const listed = async (caller: Caller) =>
    (await changes().list({ waits: true }, caller, { limit: 500 })).items.some((one) => one.id === id);
  expect([await waits(person("bert")), await listed(person("bert"))]).toEqual([true, true]);
  expect(await waits(author)).toBe(false);
  expect(await waits(person("carl", { rights: [] }))).toBe(false);
  expect(await waits({ ...admin, rights: ["approve"] })).toBe(false);
  await vote(id, person("bert"));
  expect([await waits(person("bert")), await listed(person("bert"))]).toEqual([false, false]);
  expect([await waits(author), await listed(author)]).toEqual([true, true]);
});

test("a change that is planned and started again finds nothing of the start before", async () => {
  const id = await waiting();
  await vote(id, person("bert"));
  await changes().say(id, "start", undefined, author);
  const started = await store.changes.find(id);
  if (started === undefined) throw new Error("no change");
  const bulk = { id: "b1", caller: author.keyId, driver: "netmiko", operation: "query" } as const;
  const part = { changeId: id, changePart: "wave.1.reading" };
  const insertion = {
    bulk: { ...bulk, submitter: { kind: "person", name: "anna" }, ...part },
    changeStep: started.step,
  } as const;
  expect(await store.jobs.insert([newJob(store, { bulkId: "b1" })], insertion)).toBeUndefined();
  const again = { state: "approved", needed: 0, revision: 2, wave: 0, phase: null } as const;
  expect(await store.changes.move(started, again, { what: "planned", by: null })).toBe(true);
  await changes().say(id, "start", undefined, author);
  expect(await store.changes.bulkOf(id, "wave.1.reading")).toBeUndefined();
});

test.each([
  ["before its gates are judged", { wave: 0, phase: "judging" }],
  ["before its first wave", { wave: 1, phase: "reading" }],
] as const)("a change that is resumed %s begins no earlier than it says", async (_when, place) => {
  const not_before = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = await changes().draft(
    bodyOf({ name: "late", devices: ["r1"], config: "ntp", not_before }),
    author,
  );
  const paused = { ...place, state: "paused", dueAt: null } as const;
  expect(await store.changes.move({ id, step: 1 }, paused, { what: "paused", by: null })).toBe(true);
  expect(await changes().say(id, "resume", undefined, author)).toMatchObject({ due_at: not_before });
});

test("a list looks at 300 changes, and goes on behind those that the caller may not see", async () => {
  const by = { submitterKind: "key", submitter: "ops", holder: "k9" } as const;
  for (let at = 0; at < 310; at++) {
    const id = `zz-${String(at).padStart(3, "0")}`;
    await store.changes.add({ id, name: id, ticket: null, needed: 0, request: "{}", ...by }, admin);
  }
  const limited = { ...admin, keyId: "k8", scope: "read", hosts: ["10.0.0.*"] } as const;
  const first = await changes().list({}, limited, { limit: 2 });
  expect(first).toEqual({ items: [], next: "zz-010" });
  expect(await changes().list({}, limited, { limit: 2, cursor: first.next })).toEqual({
    items: [],
    next: undefined,
  });
});

test("edits, plans and votes end somewhere, and later words at twice as many: what is to be done instead is said", async () => {
  const id = await waiting(3);
  const at = await store.changes.find(id);
  if (at === undefined) throw new Error("no change");
  const { planning, all } = changeLimits.said;
  let { step } = at;
  const until = async (count: number) => {
    for (let said = await store.changes.saidSteps(id); said < count; said++, step++)
      expect(await store.changes.move({ id, step }, {}, { what: "noted", by: admin })).toBe(true);
  };
  await until(planning - 1);
  expect((await vote(id, person("ben"))).approvals).toMatchObject({ given: 1 });
  step++;
  const instead = `moved the change ${planning} times, which is the most: cancel it and draft another one`;
  await expect(vote(id, person("cora"))).rejects.toThrow(instead);
  await expect(changes().plan(id, author)).rejects.toThrow(instead);
  await expect(changes().edit(id, bodyOf({ name: "b" }), author)).rejects.toThrow(instead);
  const to = async (state: ChangeState) => {
    expect(await store.changes.move({ id, step }, { state }, { what: "moved", by: null })).toBe(true);
    step++;
  };
  await to("paused");
  expect((await changes().say(id, "resume", undefined, author)).state).toBe("running");
  step++;
  await until(all);
  await to("paused");
  await expect(changes().say(id, "resume", undefined, author)).rejects.toThrow(/stop it, and draft another/);
  await to("done");
  await expect(changes().say(id, "return", undefined, author)).rejects.toThrow(
    /back what they had by another/,
  );
  await to("paused");
  expect((await changes().say(id, "stop", undefined, author)).state).toBe("stopping");
});

test("what restores versions is approved by those who may read the history, and rejected by anybody", async () => {
  const none = { wave: null, total: null };
  const plan = JSON.stringify({
    ...{ waves: [1], concurrency: 1, warnings: [], notReturnable: {}, whys: [], restored: { r1: 2 } },
    rules: {
      limits: { failed: none, unreachable: none, unknown: none },
      soakMs: 0,
      asks: false,
      onStop: "keep",
    },
  });
  const restoring = async () => {
    const id = await waiting(2);
    const { step = 0 } = (await store.changes.find(id)) ?? {};
    expect(await store.changes.move({ id, step }, { plan }, { what: "planned", by: null })).toBe(true);
    return id;
  };
  const id = await restoring();
  const reader = person("ben", { rights: ["approve", "history"] });
  expect(await changes().read(id, person("ben"))).toMatchObject({ waits_for_you: false });
  expect(await changes().read(id, reader)).toMatchObject({ waits_for_you: true });
  await expect(vote(id, person("ben"))).rejects.toThrow('does not have the right "history"');
  expect((await vote(id, reader)).approvals).toMatchObject({ given: 1 });
  expect((await vote(id, person("cora"), { verdict: "reject" })).state).toBe("rejected");
});
