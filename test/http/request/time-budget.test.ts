/** All store calls of a request, including its key's, share one timeout. */
import { expect, test } from "vitest";
import type { TimeBudget } from "../../../src/base/time/time-budget.ts";
import { callerWith, createApp, query, ticket } from "../doubles/fixtures.ts";

test.each([
  ["/device/execute", query],
  ["/device/bulk", { ...query, devices: [{ host: "r1" }] }],
])("POST %s", async (path, body) => {
  const seen: (TimeBudget | undefined)[] = [];
  const { send } = createApp(
    {
      async submit(_body, _caller, _key, budget) {
        seen.push(budget);
        return ticket;
      },
      async bulk(_body, _caller, _key, _signal, budget) {
        seen.push(budget);
        return { succeeded: [ticket], failed: [], failed_jobs: [], bulk_id: "b1" };
      },
    },
    {
      async authenticate(_key, from, budget) {
        seen.push(budget);
        return callerWith("admin", from);
      },
    },
  );
  expect((await send(path, { body })).status).toBeLessThan(300);
  expect(seen).toHaveLength(2);
  expect(seen[0]).toBeDefined();
  expect(seen[1]).toBe(seen[0]);
});
