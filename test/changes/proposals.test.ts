/** What an agent proposes: once for each key, whatever dies meanwhile; and never without a person's vote. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeLimits } from "../../src/api/changes/change.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createProposals } from "../../src/changes/drafts/proposals.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import type { Changes, Store } from "../../src/store/port.ts";
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

const agent: Caller = { keyId: "k-bot", name: "bot", scope: "agent", hosts: [], from: null };
const written = async () => ({
  ...{ name: "bgp", ticket: null, needed: 1 },
  request: JSON.stringify({ name: "bgp", devices: ["r1"], config: "x", note: "because" }),
});
const proposing = (changes: Changes) =>
  createProposals({
    store: { changes, clock: store.clock, makeId: store.makeId },
    onMoved() {},
    async planned() {},
  }).propose;
const of = async (holder: string) =>
  (await store.changes.page({}, 1_000)).filter((change) => change.holder === holder);

/** The store of a node that dies at its n-th call: before it is done, or after it, with the answer lost. */
function dying(at: number, before: boolean): { changes: Changes; calls: () => number } {
  let calls = 0;
  const changes = new Proxy(store.changes, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]) => {
        calls += 1;
        if (calls === at && before) throw new Error("killed");
        const result: unknown = await Reflect.apply(method, target, args);
        if (calls === at) throw new Error("killed");
        return result;
      };
    },
  });
  return { changes, calls: () => calls };
}

test("killed at each of its steps, before or after it: a repeat makes it once", async () => {
  const whole = dying(0, true);
  await proposing(whole.changes)({ key: "whole", sha256: "a" }, { ...agent, keyId: "k-whole" }, written);
  expect(whole.calls()).toBeGreaterThanOrEqual(3);
  for (let at = 1; at <= whole.calls(); at++)
    for (const before of [true, false]) {
      const caller = { ...agent, keyId: `k-${at}-${before}` };
      const once = { key: "k", sha256: "a" };
      await expect(proposing(dying(at, before).changes)(once, caller, written)).rejects.toThrow("killed");
      // Once or not at all.
      expect((await of(caller.keyId)).length).toBeLessThanOrEqual(1);
      const [first, second] = await Promise.all([
        proposing(store.changes)(once, caller, written),
        proposing(store.changes)(once, caller, written),
      ]);
      expect(second.id).toBe(first.id);
      expect(await of(caller.keyId)).toMatchObject([{ id: first.id, origin: "agent", state: "planning" }]);
    }
});

test("another proposal under the same key is refused, and one of another key is another one", async () => {
  const once = { key: "same", sha256: "a" };
  const first = await proposing(store.changes)(once, agent, written);
  await expect(proposing(store.changes)({ ...once, sha256: "b" }, agent, written)).rejects.toThrow(
    "This key was used for another proposal",
  );
  const other = await proposing(store.changes)(once, { ...agent, keyId: "k-other" }, written);
  expect(other.id).not.toBe(first.id);
});

test("one key cannot take the room of all: its open proposals are bounded, and a repeat is still answered", async () => {
  const { open } = changeLimits.proposed;
  const caller = { ...agent, keyId: "k-many" };
  const propose = (key: string, by = caller) =>
    proposing(store.changes)({ key, sha256: "a" }, by, written).then(({ holder }) => holder);
  for (let at = 0; at < open; at++) await propose(`k${at}`);
  await expect(propose("more")).rejects.toMatchObject({
    kind: "TooManyRequests",
    message: expect.stringContaining("a person has to vote"),
  });
  expect(await propose("k0")).toBe("k-many");
  expect(await propose("more", { ...caller, keyId: "k-other" })).toBe("k-other");
  expect(await of("k-many")).toHaveLength(open);
});
