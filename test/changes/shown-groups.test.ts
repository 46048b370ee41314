/** The lines of a change in an answer: as many as an answer may have. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createShownGroups } from "../../src/changes/planning/shown-groups.ts";
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

test("64 MiB of different lines make an answer with the first 4 MiB, which says so, and opens no more of them", async () => {
  const by: Caller = { keyId: "k1", name: "ops", scope: "admin", hosts: [], from: null };
  const submitter = { submitterKind: "key", submitter: "ops", holder: "k1" } as const;
  await store.changes.add({ id: "c1", name: "c1", ticket: null, needed: 0, request: "{}", ...submitter }, by);
  const hashes = Array.from({ length: 64 }, (_, at) => `hash-${String(at).padStart(2, "0")}`);
  const lines = "ntp server 192.0.2.1\n".repeat(49_932);
  const texts = new Map(
    hashes.map((sha256, at) => [sha256, `hostname r${at} password canary-${at}\n${lines}`]),
  );
  const targets = hashes.map((sha256, position) => ({
    ...{ position, device: `r${position}`, host: "10.0.0.1", wave: 1, sha256, beforeVersion: null },
  }));
  await store.changes.setTargets({ id: "c1", step: 1 }, targets, texts, 1);
  let opened = 0;
  const shownGroups = createShownGroups({
    store: {
      changes: {
        ...store.changes,
        texts(id, asked) {
          opened += asked.length;
          return store.changes.texts(id, asked);
        },
      },
    },
    inventory: { snapshot: () => Promise.resolve({ device: () => undefined } as never) },
    platform: () => undefined,
    markKey: async () => "key",
  });
  const groups = await shownGroups({ id: "c1" }, undefined, by);
  expect(groups.map(({ sha256 }) => sha256)).toEqual(hashes);
  expect(groups.reduce((sum, group) => sum + group.lines.length, 0)).toBe(4 * 1024 * 1024);
  expect(groups.map(({ cut }) => cut === true)).toEqual(hashes.map((_, at) => at >= 3));
  expect(groups[0]?.lines).toMatch(/^hostname r0 password <secret \w+>\nntp server/);
  expect(opened).toBe(5);
});
