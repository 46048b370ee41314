/** Syncs have limits, can be cancelled, and are recorded whatever their outcome. */

import { expect, test } from "vitest";
import { createHolders } from "../../src/auth/holders.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createSources } from "../../src/inventory/exchange/sources.ts";
import type { SourceFetcher } from "../../src/inventory/exchange/sources-port.ts";
import { readInventoryText, sourceKinds } from "./formats.ts";
import { admin, openInventory } from "./support.ts";

async function open(fetch: SourceFetcher) {
  const { store, inventory } = await openInventory();
  const synced: string[] = [];
  const sources = createSources({
    holders: createHolders(store),
    store,
    inventory,
    log: silentLog,
    iso: (ms) => new Date(ms).toISOString(),
    fetch,
    bring: () => Promise.reject(new Error("it brings devices")),
    read: ({ format = "csv", text }) => readInventoryText({ kind: "inventory", format, text }),
    kinds: sourceKinds,
    checkCredential: async () => {},
    onSynced: (status) => void synced.push(status),
  });
  const put = (name: string, more = {}) =>
    sources.put(name, { kind: "url", url: "http://192.0.2.1/x", format: "csv", ...more }, admin);
  return { store, inventory, sources, put, synced };
}

test("a source has one sync at a time, and few sources sync concurrently", async () => {
  const waiting: (() => void)[] = [];
  const { sources, put } = await open(async () => {
    await new Promise<void>((go) => waiting.push(go));
    return { text: "name\nr1\n", warnings: [] };
  });
  for (const name of ["a", "b", "c", "d", "e"]) await put(name);
  const begun = ["a", "b", "c", "d"].map((name) => sources.syncSource(name, admin));
  await expect.poll(() => waiting.length).toBe(4);
  await expect(sources.syncSource("A", admin)).rejects.toMatchObject({ kind: "InProgress" });
  await expect(sources.syncSource("e", admin)).rejects.toMatchObject({ kind: "TooManyRequests" });
  for (const go of waiting) go();
  expect((await Promise.all(begun)).map(({ run }) => run.status)).toEqual(Array(4).fill("succeeded"));
  const later = sources.syncSource("e", admin);
  await expect.poll(() => waiting.length).toBe(5);
  waiting[4]?.();
  expect((await later).run).toMatchObject({ added: 0, unchanged: 1, by: "admin" });
});

test("a cancelled sync changes nothing", async () => {
  const cancel = new AbortController();
  const { sources, put, inventory } = await open(async () => {
    cancel.abort();
    return { text: "name\nr1\n", warnings: [] };
  });
  await put("a");
  await expect(sources.sync("a", { signal: cancel.signal }, admin)).rejects.toMatchObject({
    kind: "Cancelled",
  });
  expect((await inventory.snapshot()).size).toBe(0);
  expect((await sources.read("a", admin)).record.runs).toMatchObject([{ status: "failed", added: 1 }]);
});

test("a key that is revoked while a source answers changes nothing", async () => {
  let revoke = async () => {};
  const { store, sources, put, inventory } = await open(async () => {
    await revoke();
    return { text: "name\nr1\n", warnings: [] };
  });
  await put("a");
  const id = await store.keys.add({ name: "ops", key: "pb_ops", scope: "admin", hosts: [] }, admin);
  revoke = async () => void (await store.keys.revoke("ops", admin));
  await expect(sources.syncSource("a", { ...admin, keyId: id ?? "" })).rejects.toMatchObject({
    kind: "Forbidden",
  });
  expect((await inventory.snapshot()).size).toBe(0);
  revoke = async () => {};
  expect((await sources.syncSource("a", admin)).run).toMatchObject({ added: 1 });
});

test("a failed sync is reported, recorded as a run and counted", async () => {
  const { sources, put, synced } = await open(async () => {
    throw new ServiceError("ConnectionRefused", "The connection to x was refused.");
  });
  await put("a");
  await expect(sources.syncSource("a", admin)).rejects.toMatchObject({ kind: "BusinessFailure" });
  expect((await sources.read("a", admin)).record.runs).toMatchObject([
    { status: "failed", error: "ConnectionRefused: The connection to x was refused.", added: null },
  ]);
  await expect(sources.sync("a", { dryRun: true }, admin)).rejects.toThrow();
  expect(synced).toEqual(["failed"]);
});

test("a sync creates its group once, and puts devices without a group into it", async () => {
  const texts = [
    "name,group\nr1,\nr2,own\n",
    "kind,name,group\ngroup,own,\n,r1,\n,r2,own\n",
    "kind,name,group\ngroup,own,\n,r2,own\n",
  ];
  let at = 0;
  const { sources, put, inventory } = await open(async () => ({ text: texts[at++] ?? "", warnings: [] }));
  await inventory.apply({ groups: [{ name: "own" }] }, {}, admin);
  await put("a", { group: "from-a", mode: "mirror", max_removals: 1 });
  await sources.syncSource("a", admin);
  expect((await inventory.snapshot()).device("r1")?.group).toBe("from-a");
  await inventory.apply({ groups: [{ name: "from-a", port: 2222 }] }, {}, admin);
  expect((await sources.syncSource("a", admin)).run).toMatchObject({ changed: 0, removed: 0 });
  expect((await inventory.snapshot()).device("r1")?.port).toBe(2222);
  expect((await sources.syncSource("a", admin)).run).toMatchObject({ removed: 1 });
  expect((await inventory.snapshot()).group("from-a")?.port).toBe(2222);
});

test("a limited or operate key can neither see nor change sources", async () => {
  const { sources, put } = await open(async () => ({ text: "", warnings: [] }));
  await put("a");
  for (const caller of [
    { ...admin, hosts: ["*"] },
    { ...admin, scope: "operate" as const },
  ])
    for (const call of [
      sources.list(caller),
      sources.read("a", caller),
      sources.put("a", {}, caller),
      sources.remove("a", caller),
      sources.syncSource("a", caller),
    ])
      await expect(call).rejects.toMatchObject({ kind: "Forbidden" });
});

test("a login in the URL of a source is rejected, even a token as user name", async () => {
  const { put } = await open(async () => ({ text: "", warnings: [] }));
  const git = { kind: "git", path: "a.csv" };
  for (const more of [
    { url: "http://canary@192.0.2.1/x" },
    { url: "https://bob:canary@192.0.2.1/x" },
    { ...git, url: "https://canary@192.0.2.1/x" },
    { ...git, url: "ssh://git:canary@192.0.2.1/x" },
  ])
    await expect(put("lab", more)).rejects.toMatchObject({
      detail: { issues: [{ path: "url", message: "must not hold a login: name a credential" }] },
    });
  await put("lab", { ...git, url: "ssh://git@192.0.2.1/x" });
});

test("a source is changed and removed only in the expected version, if one is given", async () => {
  const { sources, put } = await open(async () => ({ text: "", warnings: [] }));
  const of = (url: string) => ({ kind: "url", url: `http://192.0.2.1/${url}`, format: "csv" });
  const failed = { kind: "PreconditionFailed" };
  await expect(sources.put("a", of("x"), admin, "*")).rejects.toMatchObject(failed);
  await expect(sources.put("a", of("x"), admin, 7)).rejects.toMatchObject(failed);
  const first = await sources.put("a", of("x"), admin, "none");
  expect(await sources.read("A", admin)).toEqual({ record: first.record, version: first.version });
  await expect(sources.put("a", of("y"), admin, "none")).rejects.toMatchObject(failed);
  await sources.syncSource("a", admin).catch(() => {});
  const second = await sources.put("a", of("y"), admin, first.version);
  expect([second.added, second.record.url]).toEqual([false, "http://192.0.2.1/y"]);
  await expect(sources.put("a", of("z"), admin, first.version)).rejects.toThrow(
    /was changed since: read it again/,
  );
  await expect(sources.remove("a", admin, first.version)).rejects.toMatchObject(failed);
  expect((await sources.put("a", of("z"), admin, "*")).added).toBe(false);
  const { version } = await sources.read("a", admin);
  await sources.remove("a", admin, version);
  await expect(sources.remove("a", admin, "*")).rejects.toMatchObject({ kind: "NotFound" });
  await put("a");
});

test("only one of two concurrent writers with the same version succeeds", async () => {
  const { sources, put } = await open(async () => ({ text: "", warnings: [] }));
  await put("a");
  const { version } = await sources.read("a", admin);
  const writers = ["p", "q"].map((path) =>
    sources.put("a", { kind: "url", url: `http://192.0.2.1/${path}`, format: "csv" }, admin, version),
  );
  const ends = await Promise.allSettled(writers);
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});
