/** Contract of `history`: versions are written with the end of their take, once, and found by device, time and job. */
import { expect, test } from "vitest";
import { type DeviceHistoryState, deviceHistoryStates } from "../../../src/api/history/history.ts";
import type {
  ClaimFence,
  ImportedVersion,
  NewConfigVersion,
  NodeFence,
  Store,
  TakenConfigurations,
} from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, type MakeStorePlace, useStore } from "./fixture.ts";
import { inventoryEntry, inventoryWrite } from "./inventory.ts";

const [oldKey, newKey] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)];
const device = { name: "SW1", host: "192.0.2.1", group: "access", platform: "cisco_ios" };
const by = { keyId: "k1", name: "ann", from: null };

const version = (compare: string, more: Partial<NewConfigVersion> = {}): NewConfigVersion => ({
  ...{ part: "running", state: "good", reason: null, compare, lines: 3, bytes: 30, added: 1, removed: 0 },
  ...{ text: { body: Buffer.from(`body of ${compare}`), secrets: `[[0,1,"canary-${compare}"]]` } },
  ...more,
});

const taken = (versions: readonly NewConfigVersion[], more: Partial<TakenConfigurations> = {}) => ({
  ...{ device, source: "manual" as const, who: "ann", versions },
  ...more,
});

export function historyContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  async function claimed(node: NodeFence, store: Store): Promise<ClaimFence> {
    const job = newJob(store, { device: "sw1" });
    await store.jobs.insert([job]);
    return (await fixture.claimOne(node, job.queue)).fence;
  }

  /** @returns the id of its job */
  async function take(node: NodeFence, what: TakenConfigurations): Promise<string> {
    const { store } = fixture;
    const fence = await claimed(node, store);
    const ended = await store.settlements.end({ ...endOf(fence.id), taken: what }, { fence });
    expect(ended).toBe(true);
    return fence.id;
  }

  async function all(store: Store) {
    const found = await store.history.device("sw1");
    return found === undefined ? [] : store.history.versions({ device: found.id, part: "running" }, 100);
  }

  test("a text is a new version if it differs from the newest good one; else only that one is seen again", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    const first = await take(node, taken([version("a")]));
    await take(node, taken([version("a")]));
    const third = await take(node, taken([version("b", { added: 2, removed: 1 })]));
    await take(node, taken([version("a")]));
    const versions = await all(store);
    expect(versions.map(({ version, compare, jobId }) => [version, compare, jobId === first])).toEqual([
      [3, "a", false],
      [2, "b", false],
      [1, "a", true],
    ]);
    expect(versions[1]).toMatchObject({ jobId: third, added: 2, removed: 1, who: "ann", source: "manual" });
    expect(versions[2]?.seenAt).toBeGreaterThanOrEqual(versions[2]?.takenAt ?? 0);
    const [heads] = await store.history.devices({}, 10);
    expect(heads).toMatchObject({
      device: { name: "sw1", shown: "SW1", host: "192.0.2.1" },
      good: 3,
      suspects: 0,
    });
    expect(heads?.latest?.version).toBe(3);
    const texts = await store.history.texts(versions.map(({ textId }) => textId));
    expect(texts).toHaveLength(3);
    expect(texts.find(({ id }) => id === versions[1]?.textId)).toMatchObject({
      secrets: '[[0,1,"canary-b"]]',
      base: null,
    });
    expect(await store.history.versionsOfJob(first)).toMatchObject([{ version: 1 }]);
  });

  test("devices that may be in a state are all that are in it", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    const of = (name: string) => ({ device: { ...device, name } });
    const suspect = version("half", { state: "suspect", reason: "its end is missing" });
    await take(node, taken([version("a")], of("good")));
    await take(node, taken([suspect], of("cut")));
    await take(node, taken([version("a")], { ...of("open"), unsaved: true }));
    await take(node, taken([version("a")], { ...of("saved"), unsaved: false }));
    await take(node, taken([], { ...of("lost"), error: "ReadTimeout" }));
    await take(node, taken([], { ...of("open"), error: "ReadTimeout" }));
    const found = async (state: DeviceHistoryState, more: object = {}) =>
      (await store.history.devices({ state, ...more }, 10)).map((heads) => heads.device.name);
    expect(await found("suspect")).toEqual(["cut"]);
    expect(await found("failed")).toEqual(["lost", "open"]);
    expect(await found("unsaved")).toEqual(["open"]);
    expect(await found("missing")).toEqual(["cut", "lost"]);
    expect(await found("missing", { until: "good" })).toEqual(["cut"]);
    expect(await store.history.readNames("", 10)).toEqual(["good", "open", "saved"]);
    expect(await store.history.readNames("good", 1)).toEqual(["open"]);
    expect(await found("failed", { after: "lost" })).toEqual(["open"]);
    expect(await found("failed", { names: ["cut", "lost"] })).toEqual(["lost"]);
  });

  test("what nothing is known of is an empty list", async () => {
    const { history, ledger } = fixture.store;
    for (const state of [undefined, ...deviceHistoryStates])
      expect(await history.devices(state === undefined ? {} : { state }, 10)).toEqual([]);
    expect(await history.devices({ names: [] }, 10)).toEqual([]);
    expect(await history.readNames("", 10)).toEqual([]);
    expect(await history.texts([])).toEqual([]);
    expect(await ledger.personsBehind([])).toEqual(new Map());
  });

  test("an end that is sent again, or of a node that has lost the job, adds nothing", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    const fence = await claimed(node, store);
    const end = { ...endOf(fence.id), taken: taken([version("a")]) };
    const stale = { ...fence, attempt: fence.attempt + 1 };
    expect(await store.settlements.end(end, { fence: stale })).toBe(false);
    expect(await all(store)).toEqual([]);
    await store.settlements.end(end, { fence });
    await store.settlements.end(end, { fence });
    expect(await all(store)).toHaveLength(1);
  });

  test("a suspect text is kept, is not the newest good one, and a repeated one is seen again", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    await take(node, taken([version("a")]));
    const suspect = version("half", { state: "suspect", reason: "its end is missing" });
    await store.inventory.write(inventoryWrite(0, { devices: [inventoryEntry("sw1")] }));
    await take(node, taken([suspect]));
    await take(node, taken([suspect]));
    expect(await store.history.summary()).toMatchObject({ suspects: 1 });
    expect(await store.history.suspects(10)).toMatchObject([{ name: "sw1" }]);
    expect((await store.history.devices({}, 10))[0]).toMatchObject({
      good: 1,
      suspects: 1,
      latest: { compare: "a" },
    });
    expect(await store.history.head("sw1", "running")).toMatchObject({ compare: "a" });
    await take(node, taken([version("a")]));
    expect(await all(store)).toHaveLength(2);
    // The good text was not new, and was read after the suspect one.
    expect((await store.history.devices({}, 10))[0]).toMatchObject({ good: 1, suspects: 0 });
    expect(await store.history.summary()).toMatchObject({ devices: 1, versions: 2, suspects: 0 });
    const at = Date.now();
    expect([await store.history.stale(at - 60_000, 9), await store.history.suspects(9)]).toEqual([[], []]);
    expect(await store.history.stale(at + 60_000, 9)).toMatchObject([{ name: "sw1" }]);
    expect(await store.history.bytes()).toBeGreaterThan(0);
    await store.inventory.write(inventoryWrite(1, { devices: [inventoryEntry("sw1", null)] }));
    expect(await store.history.stale(at + 60_000, 9)).toEqual([]);
    expect(await store.history.summary()).toMatchObject({ devices: 1, oldestGoodAt: undefined });
    expect(await store.history.changes({ state: "suspect" }, 10)).toMatchObject([
      { reason: "its end is missing" },
    ]);
  });

  test("a take that failed, and whether the startup configuration differs, stand with the device", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    await store.inventory.write(inventoryWrite(0, { devices: [inventoryEntry("sw1")] }));
    await take(node, taken([version("a")], { unsaved: true }));
    expect(await store.history.device("sw1")).toMatchObject({ unsaved: true, failedAt: null });
    await take(node, taken([], { error: "AuthenticationFailed" }));
    expect(await store.history.device("sw1")).toMatchObject({
      unsaved: true,
      errorType: "AuthenticationFailed",
    });
    expect(await store.history.summary()).toMatchObject({ failed: 1, unsaved: 1, suspects: 0 });
    expect(await store.history.stale(0, 10)).toMatchObject([{ name: "sw1" }]);
    await take(node, taken([version("a")], { unsaved: false }));
    expect(await store.history.device("sw1")).toMatchObject({
      unsaved: false,
      failedAt: null,
      errorType: null,
    });
  });

  test("a text that differs from a whole one is stored with it; texts are sealed anew with another key", async () => {
    await fixture.reopen({ masterKey: oldKey });
    const node = await fixture.node("n1");
    let { store } = fixture;
    const key = await store.history.markKey();
    await take(node, taken([version("a")]));
    const first = await store.history.device("sw1");
    const base = await store.history.base(first?.id ?? 0, "running");
    await take(node, taken([version("b", { text: { base: base?.id, body: Buffer.from("delta") } })]));
    const rotating = await fixture.reopen({ masterKey: newKey, formerKeys: [oldKey] });
    await rotating.rotation.reseal();
    store = await fixture.reopen({ masterKey: newKey });
    const [newest] = await all(store);
    const texts = await store.history.texts([newest?.textId ?? ""]);
    expect(texts.map(({ base }) => base).sort()).toEqual([base?.id, null].sort());
    expect(texts.find(({ id }) => id === base?.id)?.secrets).toBe('[[0,1,"canary-a"]]');
    expect(await store.history.markKey()).toBe(key);
  });

  test("versions are found by who asked for them: a person also by their keys, and nobody by a part of the name", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    for (const who of ["anna/laptop", "anna", "annabel"]) await take(node, taken([version(who)], { who }));
    const of = { device: (await store.history.device("sw1"))?.id ?? 0, part: "running" } as const;
    const expected = { anna: ["anna", "anna/laptop"], "anna/laptop": ["anna/laptop"], an: [] };
    for (const [who, found] of Object.entries(expected)) {
      expect((await store.history.versions({ ...of, who }, 9)).map(({ compare }) => compare)).toEqual(found);
      expect((await store.history.changes({ who }, 9)).map(({ compare }) => compare)).toEqual(found);
    }
  });

  test("versions are found by number, time and page, and across devices in their order", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    for (const name of ["SW1", "sw2", "Sw3"])
      for (const compare of ["a", "b", "c"])
        await take(node, taken([version(`${name}${compare}`)], { device: { ...device, name } }));
    const sw2 = await store.history.device("sw2");
    const of = { device: sw2?.id ?? 0, part: "running" } as const;
    const [newest, middle] = await store.history.versions(of, 2);
    expect([newest?.version, middle?.version]).toEqual([3, 2]);
    expect(
      (await store.history.versions({ ...of, before: middle }, 2)).map(({ version }) => version),
    ).toEqual([1]);
    expect(await store.history.version(of.device, "running", 2)).toMatchObject({ compare: "sw2b" });
    expect(await store.history.versionAt(of.device, "running", middle?.takenAt ?? 0)).toBeDefined();
    expect(await store.history.versionAt(of.device, "running", 1)).toBeUndefined();
    const changes = await store.history.changes({}, 4);
    expect(changes.map(({ compare }) => compare)).toEqual(["Sw3c", "Sw3b", "Sw3a", "sw2c"]);
    expect((await store.history.changes({ before: changes[3]?.n }, 2)).map(({ compare }) => compare)).toEqual(
      ["sw2b", "sw2a"],
    );
    expect((await store.history.changes({ after: changes[1]?.n }, 2)).map(({ compare }) => compare)).toEqual([
      "Sw3c",
    ]);
    expect((await store.history.devices({ after: "sw1" }, 1)).map(({ device }) => device.shown)).toEqual([
      "sw2",
    ]);
    const searched = await store.history.newest("running", 0, 2);
    expect(searched.map(({ name, host }) => [name, host])).toEqual([
      ["sw1", "192.0.2.1"],
      ["sw2", "192.0.2.1"],
    ]);
    const heads = await store.history.versionsOf(searched.map(({ n }) => n));
    expect(heads.map(({ compare }) => compare)).toEqual(["SW1c", "sw2c"]);
    const devices = searched.map(({ device }) => device);
    expect([...(await store.history.countGood("running", devices))]).toEqual(devices.map((id) => [id, 3]));
    const good = await store.history.good("running", devices);
    expect(good.map(({ device }) => device)).toEqual(devices.flatMap((id) => [id, id, id]));
    expect(good.filter((_, at) => at % 3 === 0)).toEqual(
      searched.map(({ device, n, textId, bytes }) => ({ device, n, textId, bytes })),
    );
    const bodies = await store.history.bodies(searched.map(({ textId }) => textId));
    expect(bodies.map(({ body }) => String(body)).sort()).toEqual(["body of SW1c", "body of sw2c"]);
    // A device of which nothing good was read does not end the list.
    await take(node, taken([], { device: { ...device, name: "aa" }, error: "ReadTimeout" }));
    await take(node, taken([version("zz")], { device: { ...device, name: "zz" } }));
    expect((await store.history.newest("running", devices[1] ?? 0, 2)).at(-1)).toMatchObject({ name: "zz" });
    expect((await store.history.newest("running", devices[1] ?? 0, 10)).map(({ name }) => name)).toEqual([
      "sw3",
      "zz",
    ]);
  });

  test("imported versions have times of their own, once for each origin, and are no newer than what is", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    await take(node, taken([version("now")]));
    const imported = (compare: string, takenAt: number): ImportedVersion => ({
      ...version(compare),
      ...{ takenAt, who: "Bob <bob@example.net>", note: "from before", origin: `git:${compare}` },
    });
    const old = [imported("old", 1_000), imported("older", 500)];
    expect(await store.history.add(device, old)).toBe(2);
    expect(await store.history.add(device, old)).toBe(0);
    const versions = await all(store);
    expect(versions.map(({ compare }) => compare)).toEqual(["now", "old", "older"]);
    expect(versions[1]).toMatchObject({ source: "import", takenAt: 1_000, who: "Bob <bob@example.net>" });
    expect(await store.history.head("sw1", "running")).toMatchObject({ compare: "now" });
    await take(node, taken([version("now")]));
    expect(await all(store)).toHaveLength(3);
  });

  test("a device is renamed and forgotten, each with an entry of the trail", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    await take(node, taken([version("a")]));
    await take(node, taken([version("a")], { device: { ...device, name: "sw2" } }));
    expect(await store.history.rename("sw1", { ...device, name: "sw2" }, by)).toBe("taken");
    expect(await store.history.rename("sw9", { ...device, name: "sw8" }, by)).toBe("gone");
    expect(await store.history.rename("sw1", { ...device, name: "Core-1" }, by)).toBe("renamed");
    expect((await store.history.devices({}, 10)).map(({ device }) => device.shown)).toEqual([
      "Core-1",
      "sw2",
    ]);
    expect(await store.history.forget("core-1", by)).toBe(true);
    expect(await store.history.forget("core-1", by)).toBe(false);
    expect(await store.history.device("core-1")).toBeUndefined();
    expect(await store.history.changes({}, 10)).toHaveLength(1);
    const trail = await store.audit.page({}, 20);
    expect(trail.map(({ action }) => action).filter((action) => action.startsWith("history"))).toEqual([
      "history.delete",
      "history.rename",
    ]);
  });

  test("old versions are deleted with their texts, but never the newest good one, nor what a text differs from", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    await take(node, taken([version("a")]));
    const id = (await store.history.device("sw1"))?.id ?? 0;
    const base = (await store.history.base(id, "running"))?.id;
    for (const compare of ["b", "c", "d"])
      await take(node, taken([version(compare, { text: { base, body: Buffer.from(compare) } })]));
    const textIds = (await all(store)).map(({ textId }) => textId);
    expect(await store.history.prune({ days: 1, versions: 2 })).toBe(2);
    expect((await all(store)).map(({ compare }) => compare)).toEqual(["d", "c"]);
    expect(await store.history.texts(textIds)).toHaveLength(3);
    expect(await store.history.prune({ days: -1, versions: 10 })).toBe(1);
    expect((await all(store)).map(({ compare }) => compare)).toEqual(["d"]);
    expect(await store.history.prune({ days: -1, versions: 10 })).toBe(0);
    expect(await store.history.texts(textIds)).toHaveLength(2);
  });

  test("looks at the same time take each due device once", async () => {
    const { store } = fixture;
    const names = Array.from({ length: 40 }, (_, n) => `sw${n}`);
    for (const name of names)
      await store.history.ask(
        { name, caller: "k1", source: "push", causeJobId: null, who: null, note: null },
        0,
      );
    const taken = await Promise.all(Array.from({ length: 8 }, () => store.history.takeDue(10)));
    expect(taken.flatMap((list) => list.map(({ name }) => name)).sort()).toEqual(names.sort());
  });

  test("a device is due once, however often it was asked for, and again if it was asked for since", async () => {
    const { store } = fixture;
    const due = {
      name: "sw1",
      caller: "k1",
      source: "notify",
      causeJobId: null,
      who: "ann",
      note: null,
    } as const;
    expect(await store.history.nextDueMs()).toBeUndefined();
    await store.history.ask(due, 60_000);
    expect(await store.history.nextDueMs()).toBeGreaterThan(50_000);
    expect(await store.history.takeDue(10)).toEqual([]);
    await store.history.ask({ ...due, who: "bob" }, 0);
    const [one, ...others] = await store.history.takeDue(10);
    expect([one?.who, others]).toEqual(["bob", []]);
    expect(await store.history.takeDue(10)).toEqual([]);
    await store.history.ask(due, 0);
    await store.history.done(one ? [one] : []);
    const [again] = await store.history.takeDue(10);
    expect(again?.who).toBe("ann");
    await store.history.done(again ? [again] : []);
    expect(await store.history.nextDueMs()).toBeUndefined();
  });

  test("a push of an inventory device that sent lines is followed by a take; a dry run is not", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    for (const dryRun of [true, undefined]) {
      const job = newJob(store, { operation: "config", device: "sw1", dryRun });
      await store.jobs.insert([job]);
      const { fence } = await fixture.claimOne(node, job.queue);
      await store.settlements.end({ ...endOf(job.id), takeInMs: 0 }, { fence });
      const due = await store.history.takeDue(10);
      expect(due.map(({ name, causeJobId, source }) => [name, causeJobId === job.id, source])).toEqual(
        dryRun ? [] : [["sw1", true, "push"]],
      );
    }
  });
}
