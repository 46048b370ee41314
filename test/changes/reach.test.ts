/** Who sees a change: whoever may reach all devices that it would touch, and nobody else before they are known. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createChangeFeed } from "../../src/changes/feed.ts";
import { createReach } from "../../src/changes/reach.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import type { Store } from "../../src/store/port.ts";
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

const author: Caller = { keyId: "k1", name: "ops", scope: "operate", hosts: [], from: null };
const limited: Caller = { keyId: "k2", name: "west", scope: "read", hosts: ["10.0.0.*"], from: null };
const targetOf = (position: number, host: string) => ({
  ...{ position, device: `r${position}`, host, wave: 1, sha256: "a", beforeVersion: null },
});

/** Drafted, and planned for these hosts. @returns its step */
async function planned(id: string, hosts: readonly string[]): Promise<number> {
  const by = { submitterKind: "key", submitter: "ops", holder: "k1" } as const;
  await store.changes.add({ id, name: id, ticket: null, needed: 0, request: "{}", ...by }, author);
  await store.changes.setTargets(
    { id, step: 1 },
    hosts.map((host, at) => targetOf(at, host)),
    new Map(),
    1,
  );
  const to = { state: "approved", hash: "a".repeat(64) } as const;
  expect(await store.changes.move({ id, step: 1 }, to, { what: "planned", by: null })).toBe(true);
  return 2;
}

async function sees(id: string, caller: Caller): Promise<boolean> {
  return createReach(store)
    .find(id, caller)
    .then(
      () => true,
      () => false,
    );
}

test("a key sees a change that is planned for devices in its reach, and no other", async () => {
  await planned("in", ["10.0.0.1", "10.0.0.2"]);
  await planned("out", ["10.0.0.1", "10.9.0.1"]);
  expect(await sees("in", limited)).toBe(true);
  expect(await sees("out", limited)).toBe(false);
  expect(await sees("out", author)).toBe(true);
});

test("an edit or a new plan may be for other devices: until it is planned, its author alone sees it", async () => {
  const step = await planned("edited", ["10.0.0.1"]);
  expect(await sees("edited", limited)).toBe(true);
  const edit = {
    state: "draft",
    revision: 2,
    hash: null,
    plan: null,
    request: '{"devices":["secret"]}',
  } as const;
  const heard = listenTo(limited);
  await store.changes.move({ id: "edited", step }, edit, { what: "edited", detail: "for r9", by: author });
  expect(await sees("edited", limited)).toBe(false);
  expect(await sees("edited", author)).toBe(true);
  // Half of its new devices are stored.
  await store.changes.setTargets({ id: "edited", step: step + 1 }, [targetOf(0, "10.0.0.7")], new Map(), 2);
  expect(await sees("edited", limited)).toBe(false);
  await planned("after", ["10.0.0.1"]);
  expect((await heard).value).toMatchObject({ kind: "change", record: { id: "after" } });
});

/** The first that a caller is told of a change, from now. */
async function listenTo(caller: Caller) {
  const feed = createChangeFeed({ store, log: silentLog, iso: (ms) => new Date(ms).toISOString() });
  const from = await store.changes.lastEvent();
  const told = feed.follow(undefined, { caller, from, signal: new AbortController().signal });
  for (;;) {
    const next = await told.next();
    if (next.done || next.value.kind === "change") return next;
  }
}
