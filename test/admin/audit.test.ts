/** The audit trail: who did what. */
import { expect, test } from "vitest";
import type { AuditFilter } from "../../src/admin/port.ts";
import type { AuditAction } from "../../src/api/admin/audit.ts";
import { base, useNode } from "../jobs/support.ts";
import { admin, bodyOf, configure } from "../support/requests.ts";

const node = useNode();

test("the audit trail records who pushed and who tested a connection, without secrets", async () => {
  const id = await node().submit(configure("r7", ["hostname x"]));
  await node().ended(id);
  await node().jobs.testConnection(bodyOf(base), admin, new AbortController().signal);
  const { entries } = await node().admin.audit({ limit: 500 }, admin);
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

test("entries are filtered by who acted, the kind of action, the host and the time", async () => {
  const id = await node().submit(configure("r8", ["hostname y"]));
  await node().ended(id);
  const found = async (filter: Partial<AuditFilter>) =>
    (await node().admin.audit({ limit: 500, ...filter }, admin)).entries.map(({ job_id }) => job_id);
  for (const filter of [
    { host: "R8" },
    { who: "admin", host: "r8" },
    { who: "k1", action: "device", host: "r8" },
    { action: "device.config", host: "r8", since: "2020-01-01T00:00:00Z", until: "2100-01-01T00:00:00Z" },
  ])
    expect(await found(filter), JSON.stringify(filter)).toEqual([id]);
  for (const filter of [
    { who: "adm" },
    { action: "dev" },
    { host: "r8", action: "device.query" },
    { host: "r8", until: "2020-01-01T00:00:00Z" },
  ])
    expect(await found(filter), JSON.stringify(filter)).toEqual([]);
});

test("a filter finds entries behind pages of others, and the cursor leads to the next match", async () => {
  const caller = { keyId: "k2", name: "rare", from: null };
  const add = (action: AuditAction) => node().store.audit.add({ caller, action, outcome: "done" });
  await add("mcp.first");
  for (let count = 0; count < 1_100; count++) await add("job.stop");
  await add("mcp.last");
  const page = await node().admin.audit({ limit: 1, action: "mcp" }, admin);
  expect(page.entries.map(({ action }) => action)).toEqual(["mcp.last"]);
  const rest = await node().admin.audit({ limit: 1, action: "mcp", cursor: page.next_cursor ?? "" }, admin);
  expect(rest.entries.map(({ action }) => action)).toEqual(["mcp.first"]);
});
