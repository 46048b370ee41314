/** An outage of the database costs a job no attempt: what the store could not do is no fault of the job. */
import { describe, expect, test, vi } from "vitest";
import { unavailable as ofLibsql } from "../../src/store/libsql/database/faults.ts";
import { unavailable as ofPostgres } from "../../src/store/postgres/database/faults.ts";
import { makePlace, storeKinds } from "../store/support.ts";
import { startNode } from "../support/node.ts";
import { query } from "../support/requests.ts";

/** More than the crashes after which a job itself is at fault. */
const failures = 5;

describe.each(storeKinds)("%s", (kind) => {
  test("what the store cannot say before the first command", async () => {
    const place = await makePlace(kind);
    const unavailable = kind === "postgres" ? ofPostgres : ofLibsql;
    let failed = 0;
    const credentialUse = {
      async note() {
        if (failed++ < failures) throw unavailable("busy", undefined);
      },
      async noteShared() {},
      async record() {},
    };
    const node = await startNode({ ...inPlace(place), scheduler: { credentialUse } });
    const job = await node.ended(await node.submit(query("r1", "show a")), 60_000);
    expect(job).toMatchObject({ status: "finished", attempt: failures + 1 });
    await node.stop();
    await place.remove();
  });

  test("a claim that is lost before the first command", async () => {
    const place = await makePlace(kind);
    const node = await startNode(inPlace(place));
    const record = vi.spyOn(node.store.claims, "recordIntent");
    for (let at = 0; at < failures; at++) record.mockResolvedValueOnce("lost");
    const job = await node.ended(await node.submit(query("r1", "show a")), 60_000);
    expect(job).toMatchObject({ status: "finished", attempt: failures + 1 });
    await node.stop();
    await place.remove();
  });
});

const inPlace = ({ directory, url }: { readonly directory: string; readonly url?: string }) => ({
  directory,
  store: url === undefined ? {} : { url },
});
