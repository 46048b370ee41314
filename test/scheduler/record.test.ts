/** A store that is away while a job stands between two commands: the job waits for it, and goes on. */
import { expect, test } from "vitest";
import { pause } from "../../src/base/deadline.ts";
import { query, startNode, temporary } from "./support.ts";

test.each([
  ["before its first command", 0],
  ["after its first command", 1],
] as const)("%s", async (_, sent) => {
  const folder = temporary();
  let away = false;
  const node = await startNode({
    directory: folder.path,
    store: {
      wrap: (link) => ({
        ...link,
        async batch(statements) {
          if (away) throw new DOMException("The operation timed out.", "TimeoutError");
          return link.batch(statements);
        },
      }),
    },
  });
  const slow = sent === 0 ? "slow login 300" : "wait 300";
  const id = await node.submit(query("r1", [slow, "show b"]));
  while ((await node.jobs.waitFor(id, 0, new AbortController().signal))?.status !== "running") await pause(5);
  while (node.pool.log.length < sent) await pause(5);
  away = true;
  // Longer than one write is tried.
  await pause(3_500);
  expect(node.pool.log).toHaveLength(sent);
  away = false;
  expect(await node.ended(id)).toMatchObject({ status: "finished", attempt: 1 });
  expect(node.pool.log.map((one) => one.command)).toEqual([slow, "show b"]);
  await node.stop();
  folder.remove();
});
