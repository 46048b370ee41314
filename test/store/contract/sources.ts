/** Contract of `sources`: stored with their audit entries and their latest runs. */
import { expect, test } from "vitest";
import { sourceLimits } from "../../../src/api/inventory/inventory-source.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";

const by = { keyId: "k1", name: "admin", from: null };
const own = (version: number) => JSON.stringify({ name: "s", version });
const run = (added: number) =>
  JSON.stringify({
    ...{ started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:00:01Z", status: "succeeded" },
    ...{ by: "k1", dry_run: false, added, changed: 0, removed: 0, unchanged: 0, error: null },
  });

export function sourcesContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("sources are added, changed, listed by name and removed", async () => {
    const { sources, audit } = fixture.store;
    expect(await sources.put({ key: "b", own: own(1) }, by)).toBe("added");
    expect(await sources.put({ key: "a", own: own(2) }, by)).toBe("added");
    expect(await sources.put({ key: "b", own: own(3) }, by)).toBe("changed");
    expect(await sources.list()).toMatchObject([
      { key: "a", own: own(2), runs: [] },
      { key: "b", own: own(3), runs: [] },
    ]);
    expect([await sources.remove("a", by), await sources.remove("a", by)]).toEqual([true, false]);
    expect(await sources.get("a")).toBeUndefined();
    const actions = (await audit.page({}, 10)).map(({ action, detail }) => `${action} ${detail}`);
    expect(actions).toEqual([
      "inventory.source.remove a",
      "inventory.source.put b",
      "inventory.source.put a",
      "inventory.source.put b",
    ]);
  });

  test("a source is changed only in the expected version; otherwise nothing is recorded", async () => {
    const { sources, audit } = fixture.store;
    expect(await sources.put({ key: "a", own: own(1) }, by, own(0))).toBe("moved");
    expect(await sources.get("a")).toBeUndefined();
    expect(await sources.put({ key: "a", own: own(1) }, by, null)).toBe("added");
    expect(await sources.put({ key: "a", own: own(2) }, by, null)).toBe("moved");
    expect(await sources.put({ key: "a", own: own(2) }, by, own(1))).toBe("changed");
    await sources.addRun("a", run(0), {
      caller: by,
      action: "inventory.source.sync",
      outcome: "y",
      detail: "a",
    });
    expect(await sources.remove("a", by, own(1))).toBe(false);
    expect(await sources.get("a")).toMatchObject({ own: own(2), runs: [run(0)] });
    expect(await sources.remove("a", by, own(2))).toBe(true);
    const actions = (await audit.page({}, 10)).map(({ action }) => action);
    expect(actions).toEqual([
      "inventory.source.remove",
      "inventory.source.sync",
      "inventory.source.put",
      "inventory.source.put",
    ]);
  });

  test("the newest runs of a source are kept, and deleted with it", async () => {
    const { sources } = fixture.store;
    await sources.put({ key: "a", own: own(1) }, by);
    const entry = { caller: by, action: "inventory.source.sync" as const, outcome: "succeeded", detail: "a" };
    for (let at = 0; at < sourceLimits.runs + 3; at++) await sources.addRun("a", run(at), entry);
    const runs = (await sources.get("a"))?.runs ?? [];
    expect(runs).toHaveLength(sourceLimits.runs);
    expect([runs[0], runs.at(-1)]).toEqual([run(sourceLimits.runs + 2), run(3)]);
    await sources.remove("a", by);
    await sources.addRun("a", run(0), entry);
    await sources.put({ key: "a", own: own(2) }, by);
    expect((await sources.get("a"))?.runs).toEqual([]);
  });

  test("the number of sources is limited", async () => {
    const { sources } = fixture.store;
    const names = Array.from({ length: sourceLimits.most }, (_, at) => `s${at}`);
    await Promise.all(names.map((key) => sources.put({ key, own: own(1) }, by)));
    expect(await sources.put({ key: "more", own: own(1) }, by)).toBe("full");
    expect(await sources.put({ key: "s1", own: own(2) }, by)).toBe("changed");
    expect(await sources.get("more")).toBeUndefined();
  });
}
