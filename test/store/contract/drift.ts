/** Contract of `intents`: revisions under an expected one, devices that are due, and results that say no more than is known. */
import { expect, test } from "vitest";
import { intentLimits } from "../../../src/api/intent/intent.ts";
import type { DriftSave, StoredDriftDue } from "../../../src/store/port.ts";
import { createTaker, versionOf } from "../../support/takes.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";

const by = { keyId: "k1", name: "admin", from: null };
const intent = (name: string, own = "{}") => ({ name, own, owner: "k1" });
const names = ["r1", "r2", "r3"];
const [good, other] = [versionOf("a\n"), versionOf("b\n")];

const result = (device: string, more: Partial<DriftSave["result"]> = {}): DriftSave["result"] => ({
  ...{ device, intent: "base", state: "drifted", reason: null, revision: 1, hash: "h", part: "running" },
  ...{ compare: good.compare, version: 1, changes: '"canary-change"', unmatched: 0 },
  sections: JSON.stringify([
    { name: "ntp", state: "drifted", missing: 1, extra: 0, differs: 0, unverified: 0 },
    { name: "dns", state: "compliant", missing: 0, extra: 0, differs: 0, unverified: 0 },
  ]),
  ...more,
});
const line = (text: string, section = "ntp") => JSON.stringify([section, "missing", text]);

export function driftContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  const save = (results: readonly DriftSave[], more: { due?: readonly StoredDriftDue[] } = {}) =>
    fixture.store.intents.save({ due: [], same: [], gone: [], fresh: 0, ...more, results });
  const staleOf = async (fresh = 0) =>
    (await fixture.store.intents.page({ names, fresh }, 10)).map(
      ({ device, state, stale }) => `${device} ${state} ${stale}`,
    );
  const countsOf = async (fresh = 0) =>
    Object.fromEntries(await fixture.store.intents.counts({ names, fresh }));

  test("an intent is written and removed only if the expected revision is in force, up to the limit", async () => {
    const { store } = fixture;
    const { intents } = store;
    expect(await intents.put(intent("base"), 1, by)).toBe("moved");
    expect(await intents.put(intent("base", "canary-1"), "none", by)).toEqual({ revision: 1 });
    expect(await intents.put(intent("base"), "none", by)).toBe("moved");
    expect(await intents.put(intent("base", "canary-2"), 1, by)).toEqual({ revision: 2 });
    const both = await Promise.all([
      intents.put(intent("base", "x"), 2, by),
      intents.put(intent("base", "y"), 2, by),
    ]);
    expect(both.filter((one) => one !== "moved")).toEqual([{ revision: 3 }]);
    const reopened = await fixture.reopen();
    expect(await reopened.intents.get("base")).toMatchObject({
      revision: 3,
      owner: "k1",
      own: expect.stringMatching(/^[xy]$/),
    });
    expect(await reopened.intents.remove("base", 2, by)).toBe("moved");
    expect(await reopened.intents.remove("base", 3, by)).toBe("removed");
    expect(await reopened.intents.remove("base", undefined, by)).toBe("gone");
    const actions = (await reopened.audit.page({}, 10)).map(({ action }) => action);
    expect(actions).toEqual(["intent.remove", "intent.put", "intent.put", "intent.put"]);
    for (let at = 0; at < intentLimits.most; at++) await reopened.intents.put(intent(`i${at}`), "none", by);
    expect(await reopened.intents.put(intent("more"), "none", by)).toBe("full");
    expect(await reopened.intents.put(intent("i0"), undefined, by)).toEqual({ revision: 2 });
  });

  test("a good version makes its device due, and one that came during a comparison keeps it so", async () => {
    const { store } = fixture;
    const { intents } = store;
    const taker = await createTaker(store);
    const take = (device: string, version = good) => taker.take([{ device, versions: [version] }]);
    await take("r1");
    expect(await intents.countDue(undefined)).toBe(0);
    await intents.put(intent("base"), "none", by);
    await take("r1", other);
    await take("r2", { ...good, state: "suspect", reason: "cut off" });
    const due = await intents.takeDue(10);
    expect(due.map(({ device }) => device)).toEqual(["r1"]);
    expect(await intents.takeDue(10)).toEqual([]);
    await take("r1");
    await save([], { due });
    expect(await intents.countDue(["r1"])).toBe(1);
    await save([], { due: await intents.takeDue(10) });
    expect(await intents.countDue(undefined)).toBe(0);
    await intents.ask(["r3", "r1"]);
    expect([await intents.countDue(["r3"]), await intents.countDue(undefined)]).toEqual([1, 2]);
  });

  test("a result says nothing without a good version, an old or suspect one, and after another version or intent", async () => {
    const { store } = fixture;
    const { intents } = store;
    const taker = await createTaker(store);
    await intents.put(intent("base"), "none", by);
    await save(names.map((device) => ({ result: result(device, { state: "compliant" }), lines: [] })));
    expect(await staleOf()).toEqual(names.map((name) => `${name} compliant never`));
    await taker.take(names.map((device) => ({ device, versions: [good] })));
    expect(await countsOf()).toEqual({ compliant: 3 });
    expect(await countsOf(store.clock.wall() + 60_000)).toEqual({ unknown: 3 });
    expect((await staleOf(store.clock.wall() + 60_000))[0]).toBe("r1 compliant old");
    await taker.take([
      { device: "r1", versions: [{ ...other, state: "suspect", reason: "cut off" }] },
      { device: "r2", versions: [other] },
    ]);
    expect(await staleOf()).toEqual(["r1 compliant suspect", "r2 compliant newer", "r3 compliant null"]);
    expect(await countsOf()).toEqual({ compliant: 1, unknown: 2 });
    expect(await intents.page({ names, fresh: 0, state: "compliant" }, 10)).toMatchObject([{ device: "r3" }]);
    await intents.put(intent("base"), 1, by);
    expect(await countsOf()).toEqual({ unknown: 3 });
    await intents.remove("base", undefined, by);
    expect([await staleOf(), await intents.known(names)]).toEqual([[], []]);
  });

  test("results are read by device, behind one, by section and state; a fix is theirs until the intent changes", async () => {
    const { store } = fixture;
    const { intents } = store;
    const taker = await createTaker(store);
    await intents.put(intent("base"), "none", by);
    await taker.take(names.map((device) => ({ device, versions: [good] })));
    await save(names.map((device) => ({ result: result(device), lines: [] })));
    const page = (more: object) => intents.page({ names, fresh: 0, ...more }, 2);
    expect((await page({})).map(({ device }) => device)).toEqual(["r1", "r2"]);
    expect((await page({ after: ["r2", "base"] })).map(({ device }) => device)).toEqual(["r3"]);
    expect(await page({ section: "dns", state: "drifted" })).toEqual([]);
    expect(await page({ section: "dns", state: "compliant", names: ["r3"] })).toMatchObject([
      { device: "r3", state: "drifted" },
    ]);
    expect(await page({ intent: "another" })).toEqual([]);
    const reopened = (await fixture.reopen()).intents;
    expect(await reopened.changes("r1", "base")).toBe('"canary-change"');
    await reopened.fixing("c1", [{ device: "r1", intent: "base" }]);
    await reopened.save({
      fresh: 0,
      due: [],
      same: [],
      gone: [],
      results: [{ result: result("r1"), lines: [] }],
    });
    expect((await reopened.known(["r1"]))[0]).toMatchObject({ fix: "c1", rounds: 0 });
    const next = { result: result("r1", { revision: 2 }), lines: [] };
    await reopened.save({
      fresh: 0,
      due: [],
      same: [],
      gone: [{ device: "r2", intent: "base" }],
      results: [next],
    });
    expect(await reopened.known(names)).toMatchObject([{ device: "r1", fix: null }, { device: "r3" }]);
  });

  test("lines are counted of the asked devices that are known to drift, and replaced with their result", async () => {
    const { store } = fixture;
    const { intents } = store;
    const taker = await createTaker(store);
    await intents.put(intent("base"), "none", by);
    await taker.take(names.map((device) => ({ device, versions: [good] })));
    await save([
      { result: result("r1"), lines: [line("ntp server x"), line("dns y", "dns")] },
      { result: result("r2"), lines: [line("ntp server x")] },
      { result: result("r3", { compare: other.compare }), lines: [line("ntp server x")] },
    ]);
    const { lines } = intents;
    const texts = async (more: object = {}) =>
      (await lines.texts({ after: undefined, ...more }, 9)).map(({ section, line, devices }) =>
        [section, line, devices].join(" "),
      );
    const told = async (more: object = {}) =>
      (await lines.pairs({ fresh: 0, ...more }, undefined, 9)).map(
        ({ device, isTold }) => `${device} ${isTold}`,
      );
    const all = ["ntp ntp server x 3", "dns dns y 1"];
    expect(await texts()).toEqual(all);
    expect(await texts({ section: "dns" })).toEqual(["dns dns y 1"]);
    expect(await texts({ text: "server", intent: "base" })).toEqual([all[0]]);
    expect(await texts({ intent: "another" })).toEqual([]);
    const [ntp, dns] = await lines.texts({ after: undefined }, 9);
    expect(await lines.texts({ ids: [dns?.id ?? 0] }, 9)).toEqual([dns]);
    expect(await lines.texts({ after: ntp }, 9)).toEqual([dns]);
    expect(await told()).toEqual(["r1 true", "r2 true", "r3 false"]);
    expect(await told({ fresh: store.clock.wall() + 60_000 })).toEqual(["r1 false", "r2 false", "r3 false"]);
    expect(await lines.pairs({ fresh: 0 }, { device: "r1", intent: "base" }, 1)).toMatchObject([
      { device: "r2" },
    ]);
    const pair = (device: string) => ({ device, intent: "base" });
    expect(await lines.count([pair("r1"), pair("r3")])).toEqual([
      { id: ntp?.id, devices: 2 },
      { id: dns?.id, devices: 1 },
    ]);
    const of = [
      { id: dns?.id ?? 0, after: "" },
      { id: ntp?.id ?? 0, after: "r1" },
    ];
    expect(await lines.devices(of, 1)).toEqual([["r1"], ["r2"]]);
    // Twice the same line of one device is one, and what nobody has is forgotten.
    await save([
      { result: result("r1", { state: "compliant" }), lines: [] },
      { result: result("r2"), lines: [line("ntp server x"), line("ntp server x")] },
    ]);
    expect(await texts()).toEqual(["ntp ntp server x 2"]);
    expect(await told()).toEqual(["r2 true", "r3 false"]);
    await intents.remove("base", undefined, by);
    expect([await texts(), await told()]).toEqual([[], []]);
  });
}
