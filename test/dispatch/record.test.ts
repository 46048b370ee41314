/** The store is down while a job is between two commands: the job waits for it and continues. */
import { expect, test } from "vitest";
import { pause } from "../../src/base/time/deadline.ts";
import { startNode } from "../support/node.ts";
import { query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

test.each([
  ["before its first command", 0],
  ["after its first command", 1],
] as const)("a job waits for an unavailable store and continues: %s", async (_, sent) => {
  const folder = temporary();
  let isUnavailable = false;
  const node = await startNode({
    directory: folder.path,
    store: {
      wrap: (link) => ({
        ...link,
        async batch(statements) {
          if (isUnavailable) throw new DOMException("The operation timed out.", "TimeoutError");
          return link.batch(statements);
        },
      }),
    },
  });
  const slow = sent === 0 ? "slow login 300" : "wait 300";
  const id = await node.submit(query("r1", [slow, "show b"]));
  while ((await node.jobs.waitFor(id, 0, new AbortController().signal))?.status !== "running") await pause(5);
  while (node.pool.log.length < sent) await pause(5);
  isUnavailable = true;
  // Longer than the retries of one write.
  await pause(3_500);
  expect(node.pool.log).toHaveLength(sent);
  isUnavailable = false;
  expect(await node.ended(id)).toMatchObject({ status: "finished", attempt: 1 });
  expect(node.pool.log.map((entry) => entry.command)).toEqual([slow, "show b"]);
  await node.stop();
  folder.remove();
});

test.each([
  ["before its first command", "slow login 300", []],
  ["between two commands", "wait 300", ["wait 300"]],
] as const)("a job whose claim is lost %s sends and writes nothing more", async (_, first, seen) => {
  const folder = temporary();
  const node = await startNode({ directory: folder.path });
  const id = await node.submit(query("r1", [first, "show b"]));
  while ((await node.store.jobs.statusesOf([id])).get(id) !== "running") await pause(5);
  while (node.pool.log.length < seen.length) await pause(5);
  const life = node.scheduler.lease();
  const [claim] = life ? await node.store.recovery.runningOf(life) : [];
  if (!claim) throw new Error("no claim");
  const failure = { type: "failed", retval: null, error: { type: "WorkerLost", message: "taken over" } };
  const end = { id, result: JSON.stringify(failure), durationMs: 1, hasWebhook: false, hasIntents: true };
  await node.store.settlements.end({ ...end, status: "failed" }, { fence: claim.fence });
  while (node.scheduler.dropped() === 0) await pause(5);
  expect(node.pool.log.map((entry) => entry.command)).toEqual(seen);
  expect(await node.ended(id)).toMatchObject({ result: { error: { message: "taken over" } } });
  await node.stop();
  folder.remove();
});
