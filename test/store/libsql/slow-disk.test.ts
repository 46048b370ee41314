/** A busy disk: a write to a file may take as long as a request may wait. */
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { createStore } from "../../../src/store/libsql/store.ts";
import { masterKey } from "../../support/node.ts";
import { temporary } from "../../support/temporary.ts";
import { closeStore, newJob } from "../support.ts";

test("a transaction of three seconds does not fail", async () => {
  const folder = temporary();
  let isSlow = false;
  const store = await createStore({
    directory: folder.path,
    masterKey,
    log: silentLog,
    wrap: (connection) => ({
      ...connection,
      async batch(statements) {
        if (isSlow) await pause(3_000);
        isSlow = false;
        return connection.batch(statements);
      },
    }),
  });
  isSlow = true;
  await store.jobs.insert([newJob(store)]);
  expect(await store.jobs.listed({}, 10)).toHaveLength(1);
  await closeStore(store);
  folder.remove();
});
