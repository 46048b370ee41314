/** Contract of `remotes`: who pushes what when, and under which name each version is exported. */
import { expect, test } from "vitest";
import type { ImportedVersion, Store } from "../../../src/store/port.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";

const by = { keyId: "k1", name: "ann", from: null };
const device = { name: "SW1", host: "192.0.2.1", group: "access", platform: "cisco_ios" };

const version = (takenAt: number): ImportedVersion => ({
  ...{ part: "running", state: "good", reason: null, compare: `c${takenAt}`, lines: 3, bytes: 30 },
  ...{ added: 1, removed: 0, takenAt, who: "ann", note: undefined, origin: `git:${takenAt}` },
  text: { body: Buffer.from(`at ${takenAt}`) },
});

const add = (store: Store, takenAt: number, of = device) => store.history.add(of, [version(takenAt)]);
const exported = async (store: Store, after = 0) =>
  (await store.remotes.exported(after, 100)).map(({ takenAt }) => takenAt);

export function remotesContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("versions are exported in the order in which they were stored, without those that were older then", async () => {
    const { store } = fixture;
    await add(store, 2_000);
    await add(store, 1_000);
    await store.history.add(device, [{ ...version(2_500), state: "suspect", reason: "cut off" }]);
    await add(store, 3_000);
    await add(store, 500, { ...device, name: "sw2" });
    expect(await exported(store)).toEqual([2_000, 3_000, 500]);
    const [first] = await store.remotes.exported(0, 1);
    expect(await exported(store, first?.n)).toEqual([3_000, 500]);
    const [, second] = await store.remotes.exported(0, 2);
    expect(second && (await store.remotes.exportedBefore(second))?.takenAt).toBe(2_000);
    expect(first && (await store.remotes.exportedBefore(first))).toBeUndefined();
    expect(await store.remotes.countAfter(first?.n ?? 0)).toBe(3);
  });

  test("a version keeps the name and group that its device had then, whatever it is called now", async () => {
    const { store } = fixture;
    await add(store, 1_000);
    expect(await store.history.rename("sw1", { ...device, name: "core-1" }, by)).toBe("renamed");
    expect(await store.history.rename("core-1", { ...device, name: "core-2", group: "core" }, by)).toBe(
      "renamed",
    );
    await add(store, 2_000, { ...device, name: "core-2", group: "core" });
    await add(store, 100);
    const { id = 0 } = (await store.history.device("core-2")) ?? {};
    const { id: other = 0 } = (await store.history.device("sw1")) ?? {};
    const versions = await store.remotes.exported(0, 10);
    const names = await store.remotes.names([id]);
    expect(names.map(({ shown, group }) => [shown, group])).toEqual([
      ["SW1", "access"],
      ["core-2", "core"],
    ]);
    expect(names.map(({ since }) => since)).toEqual([versions[0]?.n, versions[1]?.n]);
    expect((await store.remotes.names([other]))[0]?.since).toBe(versions[2]?.n);
    const [before] = names;
    expect(before && (await store.remotes.isNameTaken(before, versions[1]?.n ?? 0))).toBe(false);
    expect(before && (await store.remotes.isNameTaken(before, versions[2]?.n ?? 0))).toBe(true);
    await store.history.forget("core-2", by);
    expect(await store.remotes.names([id])).toEqual([]);
  });

  test("a remote is pushed by one at a time when there is something new, later and later if it fails", async () => {
    const { store } = fixture;
    const { remotes } = store;
    const own = '{"url":"https://git.test/x"}';
    expect(await remotes.put({ name: "main", own, owner: "k1" }, by)).toBe("added");
    expect(await remotes.claim(60_000)).toBeUndefined();
    await add(store, 1_000);
    const claimed = await remotes.claim(60_000);
    expect(claimed).toMatchObject({ name: "main", own, owner: "k1", pushedN: 0, head: null, error: null });
    expect(await remotes.claim(60_000)).toBeUndefined();
    expect(await remotes.claim(60_000, "main")).toMatchObject({ name: "main" });
    await remotes.settle({ name: "main", own, error: "no route", againMs: 0 });
    await remotes.settle({ name: "main", own, error: "no route", againMs: 0 });
    const failing = await remotes.claim(60_000);
    expect(failing).toMatchObject({ failures: 2, error: "no route", failingSince: expect.any(Number) });
    const pushedN = await remotes.newestN();
    await remotes.settle({ name: "main", own, pushedN, head: "abc", againMs: 0 });
    expect(await remotes.get("main")).toMatchObject({
      pushedN,
      head: "abc",
      error: null,
      failures: 0,
      failingSince: null,
    });
    expect(await remotes.claim(60_000)).toBeUndefined();
    await add(store, 2_000);
    expect(await remotes.claim(60_000)).toMatchObject({ name: "main" });
    // Of a definition that was replaced meanwhile.
    expect(await remotes.put({ name: "main", own: '{"url":"https://git.test/y"}', owner: "k2" }, by)).toBe(
      "changed",
    );
    await remotes.settle({ name: "main", own, pushedN, head: "old", againMs: 0 });
    expect(await remotes.get("main")).toMatchObject({ owner: "k2", pushedN: 0, error: null });
    expect(await remotes.remove("main", by)).toBe(true);
    expect(await remotes.remove("main", by)).toBe(false);
    const trail = (await store.audit.page({}, 20)).map(({ action }) => action);
    expect(trail.filter((action) => action.startsWith("history.remote"))).toEqual([
      "history.remote.remove",
      "history.remote.put",
      "history.remote.put",
    ]);
  });

  test("there are no more remotes than may be", async () => {
    const { remotes } = fixture.store;
    for (let at = 0; at < 20; at++) await remotes.put({ name: `r${at}`, own: "{}", owner: "k1" }, by);
    expect(await remotes.put({ name: "more", own: "{}", owner: "k1" }, by)).toBe("full");
    expect(await remotes.put({ name: "r3", own: '{"a":1}', owner: "k1" }, by)).toBe("changed");
    expect(await remotes.list()).toHaveLength(20);
  });
}
