/** Options next to `driver` count as options. */
import { expect, test } from "vitest";
import { admin, bodyOf } from "../../support/requests.ts";
import { base, issuesOf, useNode } from "../support.ts";

const node = useNode();

test("options at the top level of a request are accepted", async () => {
  const { id, warnings } = await node().jobs.submit(
    bodyOf({ ...base, command: "show flat", queue_strategy: "fifo", ttl: 60, execution_timeout: 90 }),
    admin,
  );
  expect(warnings).toEqual(["execution_timeout is an alias of ttl here; ttl was used"]);
  expect((await node().ended(id)).queue).toBe("fifo");
  for (const field of ["execution_timeout", "result_ttl"])
    expect((await issuesOf(node(), { ...base, command: "x", [field]: 0 }))[0]?.path).toBe(field);
});
