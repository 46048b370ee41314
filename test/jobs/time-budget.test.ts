/** The sequential store calls of a submission share its request's timeout. */
import { expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import type { TimeBudget } from "../../src/base/time/time-budget.ts";
import { startNode } from "../support/node.ts";
import { admin, bodyOf, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

test("all store calls of a submission count against the time budget of its request", async () => {
  const folder = temporary();
  const node = await startNode({ directory: folder.path });
  const waits: unknown[] = [];
  const counting: TimeBudget = {
    wait(answer, extraMs) {
      waits.push(extraMs);
      return answer;
    },
  };
  await node.jobs.submit(bodyOf(query("r1", "show budget")), admin, "budget-1", counting);
  expect(waits).toEqual([undefined, expect.any(Number)]);
  const bulk = bodyOf({ ...query("p1", "show budget"), devices: [{ host: "p1" }, { host: "p2" }] });
  await node.jobs.bulk(bulk, admin, "budget-2", undefined, counting);
  expect(waits).toHaveLength(4);
  const impatient: TimeBudget = { wait: () => Promise.reject(new ServiceError("Unavailable", "too late")) };
  const late = { kind: "Unavailable" };
  for (const key of ["budget-3", undefined])
    await expect(node.jobs.submit(bodyOf(query("r1", "show")), admin, key, impatient)).rejects.toMatchObject(
      late,
    );
  await node.stop();
  folder.remove();
});
