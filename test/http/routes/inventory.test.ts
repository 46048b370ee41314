/** /inventory/device and /inventory/group: writes, ETags, paging, and visibility by key. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createHolders } from "../../../src/auth/holders.ts";
import type { Caller } from "../../../src/auth/port.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createExchange } from "../../../src/inventory/exchange/exchange.ts";
import { createSources } from "../../../src/inventory/exchange/sources.ts";
import type { Inventory } from "../../../src/inventory/port.ts";
import { formatList, sourceKinds, writeFormat } from "../../inventory/formats.ts";
import { admin, inventoryOn } from "../../inventory/make.ts";
import { closeStore, makePlace, openStore, type TestPlace } from "../../store/support.ts";
import type { AnyStore } from "../../support/any-store.ts";
import { createApp } from "../doubles/fixtures.ts";

let place: TestPlace;
let store: AnyStore;
let inventory: Inventory;
beforeAll(async () => {
  place = await makePlace("file");
  store = await openStore(place);
  inventory = inventoryOn(store);
});
afterAll(async () => {
  await closeStore(store);
  await place.remove();
});
beforeEach(async () => {
  await inventory.apply({ groups: [], devices: [] }, { mode: "mirror" }, admin);
});

const callers: Record<string, Caller> = {
  "key-admin": admin,
  "key-read": { ...admin, scope: "read" },
  "key-lab": { ...admin, keyId: "k2", hosts: ["10.1.*", "sw9"] },
};
type App = ReturnType<typeof createApp>;
const sendAs = (key: string): App["send"] => {
  let app: App | undefined;
  return (path, more) => {
    app ??= createApp({}, { inventory, authenticate: async (text) => callers[text] });
    return app.send(`/inventory${path}`, { key, ...more });
  };
};
const send = sendAs("key-admin");

test("creates, reads, patches and removes a device", async () => {
  const made = await send("/device/SW1", {
    method: "PUT",
    body: { host: "10.1.0.1", vars: { a: 1, b: { c: 2 } } },
  });
  expect(made.status).toBe(201);
  const tag = made.headers.get("etag") ?? "";
  expect(tag).toMatch(/^"\d+"$/);
  const read = await send("/device/sw1");
  expect(read.headers.get("etag")).toBe(tag);
  expect(read.body.data).toMatchObject({ name: "SW1", enabled: true, from: { host: "device" } });
  const own = await send("/device/sw1?effective=false");
  expect(own.body.data).toMatchObject({ name: "SW1", host: "10.1.0.1", source: null });
  expect(own.body.data).not.toHaveProperty("enabled");
  // A record that was read can be sent back unchanged.
  expect((await send("/device/sw1", { method: "PUT", body: own.body.data })).status).toBe(200);
  const patched = await send("/device/sw1", {
    method: "PATCH",
    body: { port: 2222, vars: { a: null, b: { d: 3 } } },
    headers: { "if-match": tag },
  });
  expect(patched.body.data).toMatchObject({ port: 2222, vars: { b: { c: 2, d: 3 } } });
  expect(patched.body.data).not.toHaveProperty("vars.a");
  const stale = await send("/device/sw1", { method: "DELETE", headers: { "if-match": tag } });
  expect(stale.status).toBe(412);
  expect(stale.body.message).toContain("read it again");
  expect((await send("/device/sw1", { method: "DELETE", headers: { "if-match": "*" } })).status).toBe(200);
  expect((await send("/device/sw1")).status).toBe(404);
  expect((await send("/device/sw1", { method: "PATCH", body: { port: 1 } })).status).toBe(404);
});

test("variables keep the types of numbers, all digits and the order of keys", async () => {
  const vars = '{"v":9.0,"id":12345678901234567890,"l":{"20":1,"10":[null,1.5]}}';
  const put = await send("/device/r1", { method: "PUT", body: `{"port":22.0,"vars":${vars}}` });
  expect(put.text).toContain(`"vars":${vars}`);
  expect(put.text).toContain('"port":22,');
  const patched = await send("/device/r1", { method: "PATCH", body: '{"vars":{"l":{"5":2.0,"20":null}}}' });
  expect(patched.text).toContain('"l":{"10":[null,1.5],"5":2.0}');
  for (const path of ["/device/r1", "/device", "/device/r1?effective=false"])
    expect((await send(path)).text).toContain(
      '"v":9.0,"id":12345678901234567890,"l":{"10":[null,1.5],"5":2.0}',
    );
  const upsert = await send("/device", {
    body: '{"max_changes":5.0,"devices":[{"name":"r1","vars":{"v":9}}]}',
  });
  expect(upsert.text).toContain('"fields":{"vars.v":{"from":9.0,"to":9}');
});

test("enforces preconditions: must be new, must exist, malformed", async () => {
  const put = (headers: Record<string, string>) => send("/device/a", { method: "PUT", body: {}, headers });
  expect((await put({ "if-match": "*" })).status).toBe(412);
  expect((await put({ "if-none-match": "*" })).status).toBe(201);
  expect((await put({ "if-none-match": "*" })).status).toBe(412);
  expect((await put({ "if-match": "nonsense" })).status).toBe(400);
  expect((await put({ "if-none-match": '"1"' })).status).toBe(400);
  expect((await send("/device/a", { method: "PUT", body: { name: "b" } })).body.data).toMatchObject([
    { path: "name" },
  ]);
});

test("keeps a group in use, and rejects cycles and too deep groups", async () => {
  const put = (name: string, body: object) => send(`/group/${name}`, { method: "PUT", body });
  expect((await put("a", {})).status).toBe(201);
  expect((await put("b", { parent: "A" })).status).toBe(201);
  const circle = await put("a", { parent: "b" });
  expect(circle.body.data).toMatchObject([{ path: "parent", message: expect.stringContaining("a cycle") }]);
  const used = await send("/group/a", { method: "DELETE" });
  expect(used.status).toBe(409);
  expect(used.headers.get("retry-after")).toBeNull();
  expect(used.body.message).toContain("group b is in it");
  const groups = Array.from({ length: 33 }, (_, at) => ({
    name: `g${at}`,
    ...(at > 0 ? { parent: `g${at - 1}` } : {}),
  }));
  const deep = await send("/device", { body: { groups } });
  expect(deep.body.data).toMatchObject([
    { path: "groups.32.parent", message: expect.stringContaining("32") },
  ]);
  expect((await send("/group/b", { method: "DELETE" })).status).toBe(200);
  expect((await send("/group/a", { method: "DELETE" })).status).toBe(200);
});

test("lists pages by group with totals", async () => {
  const devices = ["c", "A", "b", "d"].map((name) => ({ name, group: name === "d" ? null : "g1" }));
  await send("/device", { body: { groups: [{ name: "g" }, { name: "g1", parent: "g" }], devices } });
  const first = await send("/device?limit=2&group=G");
  expect(first.body.data).toMatchObject([{ name: "A" }, { name: "b" }]);
  expect(first.headers.get("x-total-count")).toBe("3");
  const cursor = first.headers.get("x-next-cursor") ?? "";
  const second = await send(`/device?limit=2&group=g&cursor=${cursor}`);
  expect(second.body.data).toMatchObject([{ name: "c", groups: ["g1", "g"] }]);
  expect(second.headers.get("x-next-cursor")).toBeNull();
  expect((await send("/device?cursor=..")).status).toBe(400);
  expect((await send("/group?effective=false")).body.data).toMatchObject([
    { name: "g" },
    { name: "g1", parent: "g" },
  ]);
});

test("shows a limited key its reach and lets it change nothing", async () => {
  await send("/device", {
    body: {
      groups: [{ name: "all" }, { name: "lab", parent: "all" }, { name: "other", parent: "all" }],
      devices: [
        { name: "r1", host: "10.1.0.1", group: "lab" },
        { name: "r2", host: "10.2.0.1", group: "other" },
        { name: "sw9" },
      ],
    },
  });
  const limited = sendAs("key-lab");
  const list = await limited("/device");
  expect(list.body.data).toMatchObject([{ name: "r1" }, { name: "sw9" }]);
  expect(list.headers.get("x-total-count")).toBe("2");
  expect((await limited("/device/r2")).body).toEqual({
    ...(await limited("/device/r3")).body,
    message: "There is no device named r2.",
    data: "There is no device named r2.",
  });
  expect((await limited("/group")).body.data).toMatchObject([{ name: "all" }, { name: "lab" }]);
  expect((await limited("/group/other")).status).toBe(404);
  expect((await limited("/group/all")).status).toBe(200);
  for (const key of ["key-lab", "key-read"]) {
    const asked = sendAs(key);
    for (const path of ["/device/r1", "/group/lab"]) {
      expect((await asked(path, { method: "PUT", body: {} })).status, key).toBe(403);
      expect((await asked(path, { method: "PATCH", body: {} })).status).toBe(403);
      expect((await asked(path, { method: "DELETE" })).status).toBe(403);
    }
    expect((await asked("/device", { body: { devices: [] } })).status).toBe(403);
  }
});

test("upserts a body with diff and dry run, and lists its issues", async () => {
  const dry = await send("/device", { body: { devices: [{ name: "a", port: 22 }], dry_run: true } });
  expect(dry.body.data).toMatchObject({
    dry_run: true,
    added: 1,
    diff: [{ kind: "device", name: "a", change: "added", fields: { port: { from: null, to: 22 } } }],
    diff_truncated: false,
  });
  expect((await send("/device/a")).status).toBe(404);
  const wrong = await send("/device", {
    body: { devices: [{ name: "a", vars: { token: "canary" } }], max_removal: 1 },
  });
  expect(wrong.body.data).toMatchObject([
    { path: "max_removal", message: expect.stringContaining("known are devices") },
  ]);
  expect((await send("/device", { body: {} })).body.data).toMatchObject([{ path: "devices" }]);
  const mirror = await send("/device", { body: { groups: [], mode: "mirror" } });
  expect(mirror.body.data).toMatchObject([{ path: "devices" }]);
  const secret = await send("/device", { body: { devices: [{ name: "a", vars: { token: "canary" } }] } });
  expect(secret.body.data).toMatchObject([{ path: "devices.0.vars.token" }]);
  expect(secret.text).not.toContain("canary");
});

test("changes and removes a source only if it is unchanged since it was read", async () => {
  const never = () => Promise.reject(new Error("nothing is fetched"));
  const sources = createSources({
    holders: createHolders(store),
    store,
    inventory,
    log: silentLog,
    iso: (ms) => new Date(ms).toISOString(),
    fetch: never,
    bring: never,
    read: never,
    kinds: sourceKinds,
    checkCredential: async () => {},
    onSynced: () => {},
  });
  const app = createApp({}, { inventory, sources, authenticate: async () => admin });
  const ask = (method: string, headers: Record<string, string> = {}, filter = "site=paris") =>
    app.send("/inventory/source/nb", {
      method,
      headers,
      ...(method === "PUT" ? { body: { kind: "netbox", url: "https://192.0.2.1", filter } } : {}),
    });
  expect((await ask("PUT", { "if-match": "*" })).status).toBe(412);
  const made = await ask("PUT", { "if-none-match": "*" });
  const tag = made.headers.get("etag") ?? "";
  expect([made.status, (await ask("GET")).headers.get("etag")]).toEqual([201, tag]);
  expect((await ask("PUT", { "if-none-match": "*" })).status).toBe(412);
  expect((await ask("PUT", { "if-match": "nonsense" })).status).toBe(400);
  expect((await ask("PUT", { "if-match": tag }, "site=berlin")).status).toBe(200);
  for (const method of ["PUT", "DELETE"]) {
    const late = await ask(method, { "if-match": tag });
    expect([late.status, String(late.body.message)]).toEqual([412, expect.stringContaining("read it again")]);
  }
  const now = (await ask("GET")).headers.get("etag") ?? "";
  expect((await ask("DELETE", { "if-match": now })).status).toBe(200);
});

test("exports devices selected by reported facts", async () => {
  await inventory.apply({ devices: [{ name: "sw1" }, { name: "sw2" }] }, { mode: "merge" }, admin);
  const seen = { seenAt: 1, loginFailedAt: null, loginError: null };
  await store.observations.write([{ key: "sw1", ...seen, facts: JSON.stringify({ version: "15.2(4)E8" }) }]);
  const read = () => Promise.reject(new Error("nothing is read"));
  const inventoryExchange = createExchange({
    inventory,
    read,
    write: writeFormat,
    formats: () => formatList,
  });
  const app = createApp({}, { inventory, inventoryExchange, authenticate: async () => admin });
  const asked = "/inventory/export?format=oxidized&select=version:15.*";
  expect((await app.send(asked)).text).toMatch(/^sw1\b[^\n]*\n$/);
});
