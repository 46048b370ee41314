/** All store calls of a request, including its key's, share one timeout. */
import { expect, test } from "vitest";
import type { Patience } from "../../src/base/patience.ts";
import { callerWith, createApp, query, ticket } from "./fixtures.ts";

test.each([
  ["/device/execute", query],
  ["/device/bulk", { ...query, devices: [{ host: "r1" }] }],
])("POST %s", async (path, body) => {
  const seen: (Patience | undefined)[] = [];
  const { send } = createApp(
    {
      async submit(_body, _caller, _key, patience) {
        seen.push(patience);
        return ticket;
      },
      async bulk(_body, _caller, _key, _signal, patience) {
        seen.push(patience);
        return { succeeded: [ticket], failed: [], failed_jobs: [], bulk_id: "b1" };
      },
    },
    {
      async authenticate(_key, from, patience) {
        seen.push(patience);
        return callerWith("admin", from);
      },
    },
  );
  expect((await send(path, { body })).status).toBeLessThan(300);
  expect(seen).toHaveLength(2);
  expect(seen[0]).toBeDefined();
  expect(seen[1]).toBe(seen[0]);
});
