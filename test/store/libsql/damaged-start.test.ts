/** Damage to the rows that a start reads: it is refused with the row's table, or everything is held. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { openConnection } from "../../../src/store/libsql/database/connect.ts";
import { createStore } from "../../../src/store/libsql/store.ts";
import { masterKey } from "../../support/node.ts";
import { temporary } from "../../support/temporary.ts";
import { closeStore, newJob } from "../support.ts";

let folder: ReturnType<typeof temporary>;
beforeEach(async () => {
  folder = temporary();
  const store = await open();
  await store.jobs.insert([newJob(store)]);
  await closeStore(store);
});
afterEach(() => folder.remove());

const open = () => createStore({ directory: folder.path, masterKey, log: silentLog });

async function change(sql: string): Promise<void> {
  const link = await openConnection({ at: `${folder.path}/patchbay.db`, shared: false });
  await link.batch([{ sql, args: {} }]);
  link.close();
}

test("a start is refused if the check of the key or the record of migrations cannot be read", async () => {
  const refused = (what: string) => ({
    kind: "Unavailable",
    message: expect.stringMatching(
      new RegExp(`patchbay\\.db is damaged \\(.*${what}.*Restore a backup`, "s"),
    ),
  });
  await change("update meta set value = cast(x'ff' as text) where key = 'key'");
  await expect(open()).rejects.toMatchObject(refused("meta"));
  await change("update migrations set name = cast(x'ff' as text) where rowid = 2");
  await expect(open()).rejects.toMatchObject(refused("name must be UTF-8"));
  await change("update migrations set name = '0001_askee' where rowid = 2");
  await expect(open()).rejects.toMatchObject(refused("one of ours is missing"));
});

test("if the record of its directory cannot be read, the jobs of a database are held", async () => {
  await change("update meta set value = cast(x'ff' as text) where key = 'home'");
  const store = await open();
  expect(store.home.copied).toMatchObject({ held: 1 });
  await closeStore(store);
  const again = await open();
  expect(again.home.copied).toBeUndefined();
  await closeStore(again);
});
