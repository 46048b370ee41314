/** Nodes behind PgBouncer in transaction mode, with the parameters that the guide gives for it. */
import { describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { startPgbouncer } from "../../../scripts/testbed/pgbouncer.ts";
import { startNode } from "../../support/node.ts";
import { query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";
import { newJob } from "../support.ts";
import { useServer } from "./place.ts";

/** A busy machine may take seconds for a write; this is not under test here. */
const patienceMs = 60_000;

describe.skipIf(needs("postgres") || needs("pgbouncer"))("behind PgBouncer in transaction mode", () => {
  const serverOf = useServer();

  test("a node runs its jobs, and those that another one stores", { timeout: 300_000 }, async () => {
    const server = await serverOf();
    await server.create("pooled");
    const pooler = await startPgbouncer(server);
    const url = `${pooler.url("pooled")}?prepare=off&listen=off`;
    const folders = [temporary(), temporary()];
    const [first, second] = await Promise.all(
      folders.map(({ path }, at) =>
        startNode({ directory: path, name: `n${at}`, store: { url, patienceMs }, started: false }),
      ),
    );
    if (first === undefined || second === undefined) throw new Error("no nodes");
    await first.scheduler.start();
    const own = await Promise.all(
      Array.from({ length: 40 }, (_, at) => first.submit(query(`r${at}`, "show a"))),
    );
    for (const id of own) expect((await first.ended(id)).status).toBe("finished");
    // Nothing tells of it: the first node notices it by its next poll.
    const far = newJob(second.store, { strategy: "fifo" });
    await second.store.jobs.insert([far]);
    const status = async () => (await second.store.jobs.find(far.id))?.status;
    await expect.poll(status, { timeout: 60_000 }).not.toBe("queued");
    await first.stop();
    await second.stop();
    await pooler.stop();
    await server.drop("pooled");
    for (const folder of folders) folder.remove();
  });
});
