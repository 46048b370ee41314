/** A backup of a store in use. */
import { expect, test } from "vitest";
import { startNode } from "../../support/node.ts";
import { admin, query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

test("a backup made during writes is complete", async () => {
  const folder = temporary();
  const copy = temporary();
  const node = await startNode({ directory: folder.path });
  const ids = await Promise.all(
    Array.from({ length: 50 }, (_, at) => node.submit(query(`h${at}`, "show a"))),
  );
  await node.store.backup(`${copy.path}/patchbay.db`);
  await node.stop();
  const restored = await startNode({ directory: copy.path });
  expect((await restored.store.raw("pragma integrity_check")).rows).toEqual([["ok"]]);
  // Jobs that had not started at the time of the copy wait for a release.
  await restored.jobs.release({ status: "held" }, admin);
  for (const id of ids) expect(["finished", "failed"]).toContain((await restored.ended(id)).status);
  await restored.stop();
  folder.remove();
  copy.remove();
});
