/** Three nodes with a store 10 ms away each way: nothing is lost, nothing runs twice, each host has one owner. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type SlowLine, slowLine } from "../../scripts/testbed/slow-line.ts";
import { pause } from "../../src/base/time/deadline.ts";
import { makePlace, type TestPlace } from "../store/support.ts";
import { fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

let place: TestPlace;
let line: SlowLine;
let folders: ReturnType<typeof temporary>[];
let nodes: Node[];
beforeEach(async () => {
  place = await makePlace("sqld");
  line = await slowLine(Number(new URL(place.url ?? "").port), 20);
  folders = [temporary(), temporary(), temporary()];
  nodes = [];
  for (const [at, { path }] of folders.entries()) {
    const url = `http://127.0.0.1:${line.port}`;
    const options = { directory: path, name: `n${at}`, slots: 8, pool: fakePool(), store: { url } };
    nodes.push(await startNode(options));
  }
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  line.close();
  await place.remove();
  for (const folder of folders) folder.remove();
});

/** On a busy machine the store may be late: idempotent requests are retried. */
async function again<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (Object(error).kind !== "Unavailable") throw error;
    }
    await pause(100);
  }
}

test("three nodes far from the store run each job exactly once", async () => {
  const fifo = { options: { queue_strategy: "fifo" } };
  const submissions = Array.from({ length: 60 }, (_, at) => ({
    node: nodes[at % 2],
    request: query(`h${at % 7}`, `show ${at}`, at % 3 === 0 ? fifo : {}),
  }));
  const ids = await Promise.all(
    submissions.map(({ node, request }, at) =>
      again(async () => node?.submit(request, undefined, `key-${at}`)),
    ),
  );
  for (const id of ids)
    expect(await again(async () => (await nodes[2]?.ended(id ?? ""))?.status)).toBe("finished");
  const run = nodes.flatMap((node) => node.pool.log.map(({ command }) => command));
  expect(run.sort()).toEqual(submissions.map((_, at) => `show ${at}`).sort());
});
