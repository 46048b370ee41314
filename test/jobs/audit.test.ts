/** The audit trail: who did what. */
import { expect, test } from "vitest";
import { admin, bodyOf, configure } from "../support/requests.ts";
import { base, useNode } from "./support.ts";

const node = useNode();

test("who did what stands in the audit trail, without secrets", async () => {
  const id = await node().submit(configure("r7", ["hostname x"]));
  await node().ended(id);
  await node().jobs.testConnection(bodyOf(base), admin, new AbortController().signal);
  const { entries } = await node().jobs.audit({ limit: 500 }, admin);
  expect(entries.find((entry) => entry.job_id === id)).toMatchObject({
    who: "admin (k1)",
    from: "127.0.0.1",
    action: "device.config",
    host: "r7",
    outcome: "finished",
  });
  expect(entries.some((entry) => entry.action === "device.test" && entry.outcome === "success")).toBe(true);
  expect(JSON.stringify(entries)).not.toContain("canary");
});
