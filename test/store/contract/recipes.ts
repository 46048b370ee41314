/** Contract of `recipes`: versions under an expected one, and runs that are moved on once. */
import { expect, test } from "vitest";
import { recipeLimits } from "../../../src/api/recipes/recipe.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";

const by = { keyId: "k1", name: "admin", from: null };
const doc = (document: string) => ({ document, listed: `line ${document}` });
const run = (id: string, holder = "k1") => ({
  ...{ id, recipe: "a", version: 1, holder, submitterKind: "key" as const, submitter: "admin", ticket: null },
  dry: null,
  ...{ request: `{"id":"${id}"}`, steps: "[]" },
});

export function recipesContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("each version is kept, up to the limit, and the newest one is in force", async () => {
    const { recipes, audit } = fixture.store;
    expect(await recipes.put("a", doc("1"), by)).toEqual({ version: 1, added: true });
    expect(await recipes.put("a", doc("2"), by)).toEqual({ version: 2, added: false });
    expect(await recipes.put("b", doc("1"), by)).toEqual({ version: 1, added: true });
    expect(await recipes.list()).toMatchObject([
      { name: "a", version: 2, listed: "line 2", document: undefined, who: "admin" },
      { name: "b", version: 1, listed: "line 1", document: undefined },
    ]);
    expect(await recipes.find("a", 1)).toMatchObject({ document: "1" });
    expect((await recipes.versions("a")).map(({ version }) => version)).toEqual([2, 1]);
    for (let at = 3; at <= recipeLimits.versions + 2; at++) await recipes.put("a", doc(String(at)), by);
    expect(await recipes.versions("a")).toHaveLength(recipeLimits.versions);
    expect(await recipes.find("a", 2)).toBeUndefined();
    expect((await audit.page({}, 1))[0]).toMatchObject({ action: "recipe.put" });
  });

  test("a version is written, and a recipe removed, only if the expected one is in force", async () => {
    const { recipes, audit } = fixture.store;
    expect(await recipes.put("a", doc("1"), by, 1)).toBe("moved");
    expect(await recipes.put("a", doc("1"), by, null)).toEqual({ version: 1, added: true });
    expect(await recipes.put("a", doc("2"), by, null)).toBe("moved");
    expect(await recipes.put("a", doc("2"), by, 1)).toEqual({ version: 2, added: false });
    expect([await recipes.remove("a", by, 1), await recipes.remove("a", by, 2)]).toEqual([false, true]);
    expect(await recipes.remove("a", by)).toBe(false);
    const actions = (await audit.page({}, 10)).map(({ action }) => action);
    expect(actions).toEqual(["recipe.remove", "recipe.put", "recipe.put"]);
  });

  test("of two that write the same version at once one is told", async () => {
    const { recipes } = fixture.store;
    const both = await Promise.all([recipes.put("a", doc("x"), by), recipes.put("a", doc("y"), by)]);
    const stored = await recipes.find("a");
    const won = both.filter((done) => typeof done === "object");
    expect(won.map(({ version }) => version)).toContain(stored?.version);
    expect(await recipes.versions("a")).toHaveLength(won.length);
  });

  test("a run is moved on only from the move that was read, and not after its end", async () => {
    const { recipes } = fixture.store;
    expect(await recipes.addRun(run("r1"), by)).toBe("added");
    expect(await recipes.addRun(run("r1"), by)).toBe("added");
    expect(await recipes.run("r1")).toMatchObject({
      state: "running",
      move: 0,
      request: '{"id":"r1"}',
      steps: "[]",
    });
    expect(await recipes.moveRun({ id: "r1", move: 0 }, { steps: "[1]" })).toBe(true);
    expect(await recipes.moveRun({ id: "r1", move: 0 }, { steps: "[2]" })).toBe(false);
    expect(await recipes.openRuns()).toEqual([{ id: "r1", move: 1 }]);
    expect(await recipes.moveRun({ id: "r1", move: 1 }, { state: "failed", reason: "x", ends: true })).toBe(
      true,
    );
    expect(await recipes.moveRun({ id: "r1", move: 2 }, { state: "running" })).toBe(false);
    expect(await recipes.run("r1")).toMatchObject({ state: "failed", reason: "x", steps: "[1]" });
    expect(await recipes.openRuns()).toEqual([]);
  });

  test("one key has a bound of open runs that leaves room for others", async () => {
    const { recipes } = fixture.store;
    for (let at = 0; at < recipeLimits.openRunsOfOne; at++)
      expect(await recipes.addRun(run(`r${at}`), by)).toBe("added");
    expect(await recipes.addRun(run("more"), by)).toBe("full");
    expect(await recipes.addRun(run("other", "k2"), by)).toBe("added");
    await recipes.moveRun({ id: "r0", move: 0 }, { state: "finished", ends: true });
    expect(await recipes.addRun(run("more"), by)).toBe("added");
  });

  test("runs are listed newest first, in pages, also of one owner", async () => {
    const { recipes } = fixture.store;
    for (const id of ["r1", "r2", "r3"]) await recipes.addRun(run(id, id === "r2" ? "k2" : "k1"), by);
    const ids = async (page: Parameters<typeof recipes.runs>[1]) =>
      (await recipes.runs("a", page)).map(({ id }) => id);
    expect(await ids({ limit: 2 })).toEqual(["r3", "r2"]);
    expect(await ids({ limit: 2, before: "r2" })).toEqual(["r1"]);
    expect(await ids({ limit: 5, owner: "k2" })).toEqual(["r2"]);
    expect(await recipes.pruneRuns()).toBe(0);
  });

  test("ended runs beyond the number or the bytes of all go, the oldest first", async () => {
    const { recipes } = fixture.store;
    const large = { ...run("x"), request: JSON.stringify(Array.from({ length: 400 }, (_, at) => at * 7919)) };
    for (const id of ["a", "b", "c", "d"]) await recipes.addRun({ ...large, id }, by);
    for (const id of ["a", "b", "d"])
      await recipes.moveRun({ id, move: 0 }, { state: "finished", ends: true });
    const left = async () => (await recipes.runs("a", { limit: 10 })).map(({ id }) => id).sort();
    expect(await recipes.pruneRuns({ runs: 4, bytes: 1_000_000 })).toBe(0);
    expect(await recipes.pruneRuns({ runs: 3, bytes: 1_000_000 })).toBe(1);
    expect(await left()).toHaveLength(3);
    // One that has not ended stays, however large.
    await recipes.pruneRuns({ runs: 3, bytes: 1 });
    expect(await left()).toEqual(["c"]);
  });
}
