/** Contract of `audit`: an entry is written with its change, once, and never contains a secret. */
import { expect, test } from "vitest";
import { newJob } from "../support.ts";
import { type MakeStorePlace, operator, useStore } from "./fixture.ts";

export function auditContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("changes of keys and host keys leave audit entries, refused changes do not", async () => {
    const { store } = fixture;
    const key = { name: "one", key: "canary-key", scope: "read", hosts: ["10.0.0.0/8"] };
    expect(await store.keys.add(key, operator)).toBeDefined();
    expect(await store.keys.add(key, operator)).toBeUndefined();
    expect(await store.keys.add({ ...key, name: "two" }, operator)).toBeUndefined();
    expect(await store.keys.revoke("one", operator)).toBe("revoked");
    expect(await store.keys.revoke("one", operator)).toBe("unknown");
    expect(await store.keys.revoke("nobody", operator)).toBe("unknown");
    const shown = { type: "ssh-ed25519", fingerprint: "SHA256:first" };
    await Promise.all([1, 2, 3].map(() => store.hostKeys.learn("r1", 22, shown)));
    await store.hostKeys.learn("r1", 22, { ...shown, fingerprint: "SHA256:other" });
    expect(await store.hostKeys.known("r1", 22)).toEqual([shown]);

    const entries = (await store.audit.page({}, 100)).reverse();
    expect(
      entries.map(({ who, action, host, outcome, detail }) => [who, action, host, outcome, detail]),
    ).toEqual([
      ["ada (command line)", "key.add", null, "added", "one: scope read, hosts 10.0.0.0/8, expires never"],
      ["ada (command line)", "key.revoke", null, "revoked", "one"],
      ["patchbay (first use)", "hostkey.learn", "r1", "accepted", "port 22, ssh-ed25519 SHA256:first"],
    ]);
    expect(JSON.stringify(entries)).not.toContain("canary");
  });

  test("audit entries are listed newest first, from a time on, in pages", async () => {
    const { store } = fixture;
    for (const detail of ["a", "b", "c"])
      await store.audit.add({ caller: operator, action: "job.stop", outcome: "done", detail });
    const page = await store.audit.page({}, 2);
    expect(page.map(({ detail }) => detail)).toEqual(["c", "b"]);
    const rest = await store.audit.page({ beforeId: page[1]?.id }, 2);
    expect(rest).toMatchObject([{ detail: "a", from: null, host: null, jobId: null, asked: null }]);
    expect(await store.audit.page({ since: Date.now() + 60_000 }, 2)).toEqual([]);
    expect(await store.audit.page({ since: Date.now() - 60_000 }, 9)).toHaveLength(3);
    expect(await store.audit.page({ until: Date.now() - 60_000 }, 9)).toEqual([]);
    expect(await store.audit.page({ until: Date.now() + 60_000 }, 9)).toHaveLength(3);
  });

  test("the audit entry of a job has its caller, request and end", async () => {
    const { store } = fixture;
    const asked = { asked: "[]", request: null, audit: '{"length":9}' };
    const job = newJob(store, { operation: "config", asked });
    await store.jobs.insert([job]);
    const entry = {
      who: "admin (k1)",
      action: "device.config",
      host: "r1",
      jobId: job.id,
      detail: "netmiko",
    };
    expect(await store.audit.page({}, 1)).toMatchObject([
      { ...entry, outcome: "accepted", endedAt: null, asked: asked.audit },
    ]);
    await store.settlements.cancelQueued([{ id: job.id, hasWebhook: false }], "{}", operator);
    const [, first] = await store.audit.page({}, 2);
    expect(first).toMatchObject({ ...entry, outcome: "cancelled", endedAt: expect.any(Number) });
  });
}
