/** Submissions that are refused before anything is stored. */
import { expect, test } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import { startNode } from "../support/node.ts";
import { admin, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";
import { base, useNode } from "./support.ts";

const node = useNode();

test("a request that exceeds the key's permissions is rejected before anything is stored", async () => {
  const reader: Caller = { ...admin, scope: "read" };
  const limited: Caller = { ...admin, keyId: "k9", scope: "operate", hosts: ["10.0.0.0/8", "*.lab"] };
  await expect(node().submit(query("r1", "x"), reader)).rejects.toMatchObject({ kind: "Forbidden" });
  await expect(node().submit(query("r1", "x"), limited)).rejects.toMatchObject({ kind: "Forbidden" });
  await node().submit(query("10.1.2.3", "x"), limited);
  const answer = await node().bulk(
    { ...base, command: "x", devices: [{ host: "10.0.0.9" }, { host: "r9" }] },
    limited,
  );
  expect(answer.failed_jobs).toMatchObject([
    { host: "r9", reason: expect.stringContaining("may not reach") },
  ]);
  const seen = [];
  for await (const page of node().jobs.list({}, limited, {})) seen.push(...page.map((job) => job.host));
  expect(seen.length).toBeGreaterThan(0);
  // In its own actions a key also sees the refused hosts.
  expect(seen.filter((host) => !host.startsWith("10."))).toEqual(["r9"]);
  await expect(node().admin.audit({ limit: 1 }, limited)).rejects.toMatchObject({ kind: "Forbidden" });
});

test("a full queue rejects submissions", async () => {
  const small = temporary();
  const full = await startNode({ directory: small.path, slots: 0, maxQueued: 3 });
  for (let at = 0; at < 3; at++) await full.submit(query(`h${at}`, "x"));
  await expect(full.submit(query("h9", "x"))).rejects.toMatchObject({
    kind: "TooManyRequests",
    detail: { retryAfter: 5 },
  });
  await full.kill();
  small.remove();
});
