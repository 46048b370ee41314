/** Contract of `hooks`: one of each name, and a delivery that is remembered once. */
import { expect, test } from "vitest";
import { hookLimits } from "../../../src/api/recipes/hook.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";

const by = { keyId: "k1", name: "admin", from: null };
const hook = (id: string, recipe = "a") => ({
  ...{ id, recipe, name: id, owner: "k1", token: `token of ${id}` },
  ...{ spec: `{"of":"${id}"}`, secret: `secret of ${id}` },
});
const delivery = (content: string, id = content) => ({
  hook: "h",
  content,
  delivery: id,
  run: `run of ${id}`,
});

export function hooksContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a hook is found by its name and by its token, changed and removed with what it remembers", async () => {
    const { hooks, audit } = fixture.store;
    expect(await hooks.add(hook("h"), by)).toBe("added");
    expect(await hooks.add({ ...hook("other"), name: "h" }, by)).toBe("taken");
    expect(await hooks.add(hook("b", "b"), by)).toBe("added");
    const found = { id: "h", spec: '{"of":"h"}', secret: "secret of h", owner: "k1" };
    expect(await hooks.find("a", "h")).toMatchObject(found);
    expect(await hooks.byToken("token of h")).toMatchObject(found);
    expect([await hooks.byToken("token"), await hooks.find("b", "h")]).toEqual([undefined, undefined]);
    expect(await hooks.change({ ...hook("h"), owner: "k2", secret: "another" }, by)).toBe(true);
    expect(await hooks.list("a")).toMatchObject([{ id: "h", owner: "k2", secret: "another" }]);
    expect(await hooks.remember(delivery("c"))).toHaveLength(1);
    expect(await hooks.remove(hook("h"), by)).toBe(true);
    expect([await hooks.remove(hook("h"), by), await hooks.change(hook("h"), by)]).toEqual([false, false]);
    expect(await hooks.deliveries(delivery("c"))).toEqual([]);
    expect(await hooks.remember(delivery("c"))).toEqual([]);
    expect((await audit.page({}, 9)).map(({ action }) => action)).toEqual([
      ...["hook.remove", "hook.change", "hook.add", "hook.add"],
    ]);
  });

  test("a delivery is remembered once, by its content and by its id", async () => {
    const { hooks } = fixture.store;
    await hooks.add(hook("h"), by);
    const first = { ...delivery("c", "1"), begun: false };
    expect(await hooks.remember(delivery("c", "1"))).toEqual([first]);
    expect(await hooks.remember({ ...delivery("c", "1"), run: "another" })).toEqual([first]);
    expect(await hooks.remember(delivery("c", "2"))).toEqual([first]);
    expect(await hooks.remember(delivery("d", "1"))).toEqual([first]);
    await hooks.begun(delivery("c", "1"));
    expect(await hooks.deliveries(delivery("c", "x"))).toEqual([{ ...first, begun: true }]);
    const both = await Promise.all(["x", "y"].map((run) => hooks.remember({ ...delivery("e"), run })));
    expect(both[0]).toEqual(both[1]);
  });

  test("a recipe has a bound of hooks that leaves room for others", async () => {
    const { hooks } = fixture.store;
    for (let at = 0; at < hookLimits.ofRecipe; at++)
      expect(await hooks.add(hook(`h${at}`), by)).toBe("added");
    expect(await hooks.add(hook("one-more"), by)).toBe("full");
    expect(await hooks.add(hook("b", "b"), by)).toBe("added");
  });
}
