/** Contract of `ledger`: an entry for what may change a device, in the transaction that ends it; one chain, no gaps. */
import { expect, test } from "vitest";
import { createCheck } from "../../../src/ledger/check.ts";
import type { ChangeEvent, ChangeMove, NewJob, NodeFence, SentWork, Store } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, type MakeStorePlace, operator, useStore } from "./fixture.ts";

const [oldKey, newKey] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)];
const work: SentWork = { kind: "push", lines: 2, sha256: "ab".repeat(32) };

/** Every entry, checked with the keys of the store. */
export async function checkedEntries(store: Pick<Store, "ledger">) {
  const check = createCheck({ macKeys: await store.ledger.macKeys(), checkpoints: [] });
  const entries = [];
  for (let seq = 0; ; ) {
    const page = await store.ledger.after(seq, 500);
    for (const { body, kind, ref, at, ...entry } of page) {
      check.entry({ ...entry, body, columns: { at: new Date(at).toISOString(), kind, ref } });
      entries.push({ ...JSON.parse(body), ref });
    }
    seq = page.at(-1)?.seq ?? seq;
    if (page.length < 500) break;
  }
  expect(check.end(true).breaks).toEqual([]);
  expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, at) => at + 1));
  return entries;
}

export function ledgerContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  async function claimed(node: NodeFence, more: Partial<NewJob> = {}) {
    const job = newJob(fixture.store, { operation: "config", ...more });
    await fixture.store.jobs.insert([job]);
    return { job, fence: (await fixture.claimOne(node, job.queue)).fence };
  }

  test("the end of a push has an entry that says who sent what where", async () => {
    const node = await fixture.node();
    const { store } = fixture;
    const { job, fence } = await claimed(node, {
      device: "SW1",
      ticket: "CHG-1",
      label: "night",
      submitter: { kind: "person", name: "anna" },
      caller: { keyId: "k1", name: "ops", from: "10.0.0.9" },
    });
    await store.claims.recordIntent(fence, ["a", "b"], 0);
    const end = { ...endOf(job.id), work: { ...work, credential: "file:lab" } };
    expect(await store.settlements.end(end, { fence })).toBe(true);
    // Sent again after a lost answer.
    expect(await store.settlements.end(end, { fence })).toBe(false);
    expect((await checkedEntries(store)).slice(1)).toEqual([
      {
        ...{ v: 1, seq: 2, kind: "push", ref: job.id, job: job.id, at: expect.any(String) },
        actor: { kind: "person", name: "anna", key: "k1", address: "10.0.0.9" },
        ...{ device: "SW1", host: "r1", driver: "netmiko", ticket: "CHG-1", note: "night" },
        ...{ started_at: expect.any(String), credential: "file:lab" },
        sent: { lines: 2, sha256: work.sha256 },
        outcome: "finished",
      },
    ]);
    const found = async (conditions: object) =>
      (await store.ledger.page(conditions, 9)).map(({ seq }) => seq);
    expect(await found({ device: "sw1" })).toEqual([2]);
    expect(await found({ job: job.id, ticket: "CHG-1", kind: "push" })).toEqual([2]);
    expect(await found({ ticket: "CHG-2" })).toEqual([]);
    expect(await found({ since: 0 })).toEqual([2, 1]);
    expect(await found({ until: 1 })).toEqual([]);
    expect(await found({ since: Date.now() + 3_600_000 })).toEqual([]);
  });

  test("what a device may have is said to be unknown; what only reads has no entry", async () => {
    const node = await fixture.node();
    const { store } = fixture;
    const [lost, read, stale] = [
      await claimed(node),
      await claimed(node, { host: "r2", operation: "query" }),
      await claimed(node, { host: "r3" }),
    ];
    const result =
      '{"type":"failed","retval":null,"error":{"type":"WorkerLost","message":"","outcome":"unknown"}}';
    const end = { ...endOf(lost.job.id, "failed"), result, errorType: "WorkerLost", work };
    await store.settlements.end(end, { fence: lost.fence });
    await store.settlements.end(endOf(read.job.id), { fence: read.fence });
    const other = { ...stale.fence, attempt: stale.fence.attempt + 1 };
    expect(await store.settlements.end({ ...endOf(stale.job.id), work }, { fence: other })).toBe(false);
    expect((await checkedEntries(store)).slice(1)).toMatchObject([
      { job: lost.job.id, outcome: "unknown", error: "WorkerLost" },
    ]);
  });

  test("a push that waits to be sent again and is cancelled has one as well", async () => {
    const node = await fixture.node();
    const { store } = fixture;
    const { job, fence } = await claimed(node, { retries: 2 });
    await store.claims.recordIntent(fence, ["a"], 0);
    await store.settlements.requeue({ fence, lostAttempts: 1 });
    await store.settlements.cancelQueued([{ id: job.id, hasWebhook: false }], endOf(job.id).result, operator);
    expect((await checkedEntries(store)).slice(1)).toMatchObject([
      { job: job.id, outcome: "unknown", sent: { lines: 1 } },
    ]);
  });

  test("many ends at once are one chain, also if some do not end", async () => {
    const node = await fixture.node();
    const { store } = fixture;
    const all = await Promise.all(Array.from({ length: 120 }, (_, at) => claimed(node, { host: `h${at}` })));
    const ends = await Promise.all(
      all.map(({ job, fence }, at) => {
        const attempt = at % 7 === 3 ? fence.attempt + 1 : fence.attempt;
        return store.settlements.end({ ...endOf(job.id), work }, { fence: { ...fence, attempt } });
      }),
    );
    const jobs = (await checkedEntries(store)).flatMap(({ job }) => job ?? []);
    expect(jobs.toSorted()).toEqual(all.flatMap(({ job }, at) => (ends[at] ? [job.id] : [])).toSorted());
    expect(jobs).toHaveLength(120 - 17);
  });

  test("keys, credentials and host keys have entries, each of them once", async () => {
    const { store } = fixture;
    const key = { key: "secret", name: "ops", scope: "admin", hosts: [] } as const;
    await store.keys.add(key, operator);
    await store.keys.add(key, operator);
    await store.keys.change("ops", { credentials: ["a"] }, operator);
    await store.keys.change("ops", { credentials: ["a"] }, operator);
    await store.keys.revoke("ops", operator);
    await store.credentials.set({ source: "file", ref: "lab", fields: { password: "canary" } }, operator);
    await store.credentials.remove("file", "lab", operator);
    await store.hostKeys.learn("r1", 22, { type: "ssh-ed25519", fingerprint: "SHA256:a" });
    await store.hostKeys.learn("r1", 22, { type: "ssh-ed25519", fingerprint: "SHA256:a" });
    await store.hostKeys.offer("r1", 22, { type: "ssh-ed25519", fingerprint: "SHA256:b" });
    expect(await store.hostKeys.accept("r1", "SHA256:b", undefined, operator)).toBe(1);
    expect(await store.hostKeys.forget("r1", undefined, operator)).toBe(1);
    const entries = await checkedEntries(store);
    expect(entries.map(({ kind }) => kind)).toEqual([
      ...["ledger.begin", "key.add", "key.change", "key.revoke", "credential.set", "credential.remove"],
      ...["hostkey.learn", "hostkey.accept", "hostkey.forget"],
    ]);
    expect(entries[1].actor).toEqual({ kind: "command line", name: "ada" });
    expect(JSON.stringify(entries)).not.toContain("canary");
  });

  test("keys that end because their person is forgotten have an entry, which names nobody", async () => {
    const { store } = fixture;
    const issuer = "https://id.example.net";
    for (const name of ["anna", "berta"])
      await store.persons.signIn({ issuer, subject: name, name, email: null, groups: [] }, null);
    const [anna, berta] = await store.persons.page(10);
    const own = { scope: "read", hosts: [], credentials: null, rights: null, expiresAt: null } as const;
    await store.keys.add({ ...own, name: `${anna?.id}/x`, key: "k", personId: anna?.id ?? "" }, operator);
    for (const id of [anna?.id, berta?.id, anna?.id]) await store.persons.forget(id ?? "", operator);
    const entries = (await checkedEntries(store)).filter(({ kind }) => kind === "key.revoke");
    expect(entries).toMatchObject([{ detail: `all keys of ${anna?.id}, who was forgotten` }]);
  });

  test("votes, starts, stops, returns and cancellations have entries, each of them once, with the plan and person", async () => {
    const { store } = fixture;
    const id = "c1";
    const hash = "cd".repeat(32);
    const submitter = { submitterKind: "person", submitter: "anna", holder: "p1" } as const;
    await store.changes.add(
      { id, name: id, ticket: "CHG-7", needed: 1, request: "{}", ...submitter },
      operator,
    );
    const anna = {
      ...{ keyId: "0c0ffee0-0000-7000-8000-000000000001", name: "anna/laptop", from: "10.0.0.9" },
      ...{ submitter: { kind: "person", name: "anna" } as const, person: { id: "p1", name: "anna" } },
    };
    let step = 1;
    const move = async (to: ChangeMove, event: ChangeEvent) => {
      const at = { id, step: step++ };
      expect(await store.changes.move(at, to, event)).toBe(true);
      // In the same millisecond it is the same move, repeated after a lost answer.
      await store.changes.move(at, to, event);
    };
    await move({ state: "waiting_approval", hash }, { what: "planned", by: null });
    const vote = {
      revision: 1,
      hash,
      personId: "p1",
      person: "anna",
      verdict: "approve",
      note: "canary",
    } as const;
    const voted = { what: "voted", by: anna };
    const votes = await Promise.all([1, 2, 3].map(() => store.changes.vote({ id, step }, vote, voted)));
    expect(votes).toContain(true);
    step++;
    await move({ state: "running" }, { what: "started", detail: "canary", by: anna });
    await move({ state: "stopping", stopsBulks: true }, { what: "stopped", detail: "1 failed", by: null });
    await move({ state: "returning" }, { what: "returning", by: anna });
    await move({ state: "cancelled" }, { what: "cancelled", by: operator });
    const entries = (await checkedEntries(store)).slice(1);
    const of = { v: 1, change: id, revision: 1, revision_hash: hash, ticket: "CHG-7" };
    const person = { kind: "person", name: "p1", key: anna.keyId, address: "10.0.0.9" };
    expect(entries.map(({ at: _, ref: __, seq: ___, ...entry }) => entry)).toEqual([
      { ...of, kind: "change.vote", actor: person, verdict: "approve" },
      { ...of, kind: "change.start", actor: person, needed: 1 },
      { ...of, kind: "change.stop", actor: { kind: "service", name: "patchbay" }, detail: "1 failed" },
      { ...of, kind: "change.return", actor: person },
      { ...of, kind: "change.cancel", actor: { kind: "command line", name: "ada" } },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/anna|canary/);
    expect((await store.ledger.page({ change: id }, 9)).map(({ seq }) => seq)).toEqual([6, 5, 4, 3, 2]);
    expect((await store.ledger.acts([id])).map(({ kind }) => kind)).toEqual([
      ...["change.vote", "change.start", "change.return"],
    ]);
  });

  test("a push of a change says of which revision and plan, and that it returns; of a person, the id", async () => {
    const node = await fixture.node();
    const { store } = fixture;
    const hash = "cd".repeat(32);
    const submitter = { submitterKind: "key", submitter: "ops", holder: "k1" } as const;
    await store.changes.add(
      { id: "c1", name: "c1", ticket: null, needed: 0, request: "{}", ...submitter },
      operator,
    );
    await store.changes.move(
      { id: "c1", step: 1 },
      { state: "running", hash },
      { what: "started", by: null },
    );
    const person = await store.persons.signIn(
      { issuer: "https://id", subject: "s1", name: "anna", email: null, groups: [] },
      null,
    );
    if (person === undefined) throw new Error("not signed in");
    for (const [bulkId, changePart] of [
      ["b1", "wave.1.pushing"],
      ["b2", "return.1.pushing.2"],
    ] as const) {
      const caller = { keyId: person.id, name: "anna", from: null };
      const job = newJob(store, {
        ...{ operation: "config", bulkId, host: bulkId, caller, submitter: { kind: "person", name: "anna" } },
      });
      await store.jobs.insert([job], {
        bulk: {
          ...{ id: bulkId, caller: "k1", driver: "netmiko", operation: "config", submitter: job.submitter },
          ...{ changeId: "c1", changePart },
        },
        changeStep: 2,
      });
      const { fence } = await fixture.claimOne(node, job.queue);
      await store.settlements.end({ ...endOf(job.id), work }, { fence });
    }
    const of = { change: "c1", revision: 1, revision_hash: hash, actor: { kind: "person", name: person.id } };
    const pushes = (await checkedEntries(store)).filter(({ kind }) => kind === "push");
    expect(pushes).toMatchObject([of, { ...of, returns: true }]);
    expect(pushes[0]).not.toHaveProperty("returns");
    expect([...(await store.ledger.personsBehind([person.id, "k9"]))]).toEqual([
      [person.id, { id: person.id, name: "anna" }],
    ]);
  });

  test("changes that began before there were such entries have one, each of them once", async () => {
    const { store } = fixture;
    const submitter = { submitterKind: "key", submitter: "ops", holder: "k1" } as const;
    for (const id of ["c1", "c2"]) {
      await store.changes.add(
        { id, name: id, ticket: null, needed: 2, request: "{}", ...submitter },
        operator,
      );
      const hash = "cd".repeat(32);
      // As an earlier version did, without an entry.
      await store.changes.move({ id, step: 1 }, { state: "running", hash }, { what: "resumed", by: null });
    }
    await fixture.reopen({ masterKey: oldKey });
    const again = await fixture.reopen({ masterKey: oldKey });
    const entries = await checkedEntries(again);
    const starts = entries.filter(({ kind }) => kind === "change.start");
    expect(starts).toMatchObject([
      { change: "c1", revision: 1, detail: expect.stringContaining("before") },
      { change: "c2" },
    ]);
    expect(starts[0]).not.toHaveProperty("needed");
  });

  test("keys for emergencies: made, used, pushed with, revoked", async () => {
    const { store } = fixture;
    const rights = ["break_glass"];
    const key = (name: string) =>
      ({ key: `secret-${name}`, name, scope: "admin", hosts: [], rights }) as const;
    await store.keys.addBreakGlass(key("g1"), operator);
    await store.keys.addBreakGlass(key("g1"), operator);
    await store.keys.addBreakGlass(key("g2"), operator);
    const entry = {
      caller: operator,
      action: "break_glass.used" as const,
      outcome: "used",
      detail: "PUT /x",
    };
    await store.webhooks.noteBreakGlass(entry);
    await store.webhooks.noteBreakGlass(entry, "SW1");
    await store.keys.revoke("g2", operator);
    const entries = await checkedEntries(store);
    expect(entries.slice(1).map(({ kind, detail }) => [kind, detail])).toEqual([
      ["breakglass.make", expect.stringContaining("g1")],
      ["breakglass.make", expect.stringContaining("g2")],
      ["breakglass.revoke", "those before g2"],
      ["breakglass.use", "PUT /x"],
      ["breakglass.push", "PUT /x"],
      ["breakglass.revoke", expect.stringMatching(/^g2 \([0-9a-f-]{36}\)$/)],
    ]);
    expect(await store.ledger.page({ device: "sw1" }, 9)).toHaveLength(1);
  });

  test("another master key goes on with the chain, and former entries stay provable", async () => {
    const first = await fixture.reopen({ masterKey: oldKey });
    const signing = { id: "i1", publicKey: "public", privateKey: "private" };
    await first.ledger.signingKey(() => signing);
    const before = await first.ledger.total();
    const rotating = await fixture.reopen({ masterKey: newKey, formerKeys: [oldKey] });
    await rotating.rotation.reseal();
    const store = await fixture.reopen({ masterKey: newKey });
    const entries = await checkedEntries(store);
    expect(entries.slice(before).map(({ kind }) => kind)).toEqual(["masterkey.rotate"]);
    expect(await store.ledger.signingKey(() => ({ ...signing, id: "i2" }))).toEqual(signing);
  });

  test("entries are only deleted up to a checkpoint, with one entry that says so", async () => {
    const { store } = fixture;
    for (const ref of ["a", "b", "c"])
      await store.credentials.set({ source: "file", ref, fields: { password: "x" } }, operator);
    expect(await store.ledger.cut(3, "old")).toBe(0);
    const checkpoint = { at: 1, body: "{}", signature: "", pending: null };
    expect(await store.ledger.addCheckpoint({ ...checkpoint, seq: 3 })).toBe(true);
    expect(await store.ledger.addCheckpoint({ ...checkpoint, seq: 3 })).toBe(false);
    await store.ledger.addCheckpoint({ ...checkpoint, seq: 4, pending: "file" });
    expect(await store.ledger.cut(3, "old")).toBe(3);
    expect(await store.ledger.cut(3, "old")).toBe(0);
    await store.credentials.set({ source: "file", ref: "d", fields: { password: "x" } }, operator);
    expect((await store.ledger.after(0, 9)).map(({ seq }) => seq)).toEqual([4, 5, 6]);
    expect(await store.ledger.counts(0, 6)).toEqual({ "credential.set": 2, "ledger.cut": 1 });
    const [pending] = await store.ledger.pendingCheckpoints(9);
    expect(pending).toMatchObject({ seq: 4, pending: "file" });
    await store.ledger.setPending(pending?.n ?? 0, null);
    expect(await store.ledger.pendingCheckpoints(9)).toEqual([]);
    expect(await store.ledger.newestCheckpoint()).toMatchObject({ seq: 4 });
    await store.ledger.addCheckpoint({ ...checkpoint, seq: 6 });
    expect(await store.ledger.cut(6, "old")).toBe(3);
    expect((await store.ledger.after(0, 9)).map(({ seq }) => seq)).toEqual([7]);
  });

  test("every push that ended is found with whether it has an entry", async () => {
    const node = await fixture.node();
    const { store } = fixture;
    const [sent, unsent] = [await claimed(node), await claimed(node, { host: "r2" })];
    await store.claims.recordIntent(sent.fence, ["a"], 0);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await store.settlements.end({ ...endOf(sent.job.id), work }, { fence: sent.fence });
    await store.settlements.end(endOf(unsent.job.id, "failed"), { fence: unsent.fence });
    expect(await store.ledger.endedPushes(0, 9)).toEqual([
      { seq: expect.any(Number), id: sent.job.id, hasEntry: true },
    ]);
  });
}
