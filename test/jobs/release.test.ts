/** A limited key can release only jobs held for its hosts. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import { createRelease } from "../../src/jobs/release.ts";
import { createAdmission } from "../../src/limits/admission.ts";
import { type Node, startNode } from "../support/node.ts";
import { patiently } from "../support/patiently.ts";
import { admin, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();
let node: Node;
beforeAll(async () => {
  node = await startNode({ directory: folder.path });
});
afterAll(async () => {
  await node.stop();
  folder.remove();
});

test("a limited key neither releases nor sees held jobs of other hosts", async () => {
  const ids = await Promise.all(["10.0.0.1", "192.0.2.1"].map((host) => node.submit(query(host, "show a"))));
  for (const id of ids) await node.ended(id);
  // Held jobs as in a copied directory; releasing is only recorded here.
  const wished: string[] = [];
  const heads = () => node.store.jobs.heads({ ids }, 10);
  const release = createRelease({
    store: {
      ...node.store,
      jobs: { ...node.store.jobs, heads },
      held: {
        ...node.store.held,
        async release(some) {
          wished.push(...some);
          return [];
        },
      },
    },
    inventory: node.inventory,
    admission: createAdmission(),
    onQueued() {},
    onHeld() {},
    notReady: () => [],
  });
  const limited: Caller = { ...admin, keyId: "k9", hosts: ["10.0.0.0/8"] };
  await release({ driver: "netmiko" }, limited);
  expect(wished).toEqual([ids[0]]);
});

test("a stored release is reported and audited even if later steps fail", async () => {
  const notBefore = new Date(Date.now() + 86_400_000).toISOString();
  const held = query("192.0.2.7", "show a", { options: { not_before: notBefore } });
  const id = await patiently(() => node.submit(held, admin, "held"), true);
  const broken = { ...node.store.audit, add: () => Promise.reject(new Error("no audit trail")) };
  const release = createRelease({
    store: { ...node.store, audit: broken },
    inventory: node.inventory,
    admission: createAdmission(),
    onQueued: node.scheduler.onQueued,
    onHeld() {},
    notReady: () => [],
  });
  expect(await release({ id }, admin)).toEqual([id]);
  expect((await node.ended(id)).status).toBe("finished");
  const entries = await node.store.audit.page({}, 100);
  const released = entries.filter(({ action, jobId }) => action === "job.release" && jobId === id);
  expect(released).toMatchObject([{ outcome: "queued", host: "192.0.2.7", who: "admin (k1)" }]);
});
