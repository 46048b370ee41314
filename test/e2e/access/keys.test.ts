/**
 * API keys over the API: a created key has its rights, a revoked key has none, and both are in the audit
 * trail.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KeyRecord, MadeKey } from "../../../src/api/access/key.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const statusWith = async (key: string, path = "/health") =>
  (await fetch(service.url + path, { headers: { "X-API-KEY": key } })).status;

test("creates, uses, lists and revokes keys", async () => {
  const made = await service.call<MadeKey>("POST", "/key", {
    name: "branch",
    scope: "read",
    hosts: ["10.1.0.0/16"],
  });
  expect(made.status).toBe(201);
  const { key, id } = made.body.data;
  expect([await statusWith(key), await statusWith(key, "/key"), await statusWith(key, "/worker")]).toEqual([
    200, 403, 200,
  ]);

  const listed = await service.call<KeyRecord[]>("GET", "/key");
  expect(listed.body.data.find((one) => one.id === id)).toMatchObject({
    name: "branch",
    scope: "read",
    state: "in_force",
  });
  expect(JSON.stringify(listed.body)).not.toContain(key);

  expect((await service.call("DELETE", "/key")).status).toBe(422);
  expect((await service.call("DELETE", "/key?name=branch&id=x")).status).toBe(422);
  expect((await service.call("DELETE", "/key?name=none")).status).toBe(404);
  const last = await service.call("DELETE", "/key?name=configured");
  expect([last.status, last.body.data]).toEqual([
    422,
    [{ path: "", message: expect.stringContaining("last admin") }],
  ]);
  const taken = await service.call("POST", "/key", { name: "branch" });
  expect([taken.status, taken.body.data]).toEqual([422, [{ path: "name", message: expect.any(String) }]]);
  expect((await service.call("DELETE", "/key?name=branch")).body).toMatchObject({
    code: 200,
    data: "branch",
  });
  // Keys are cached for five seconds.
  await expect.poll(() => statusWith(key)).toBe(403);

  const audit = await service.call<{ action: string; who: string }[]>("GET", "/audit?limit=10");
  const actions = audit.body.data.filter(({ action }) => action.startsWith("key."));
  expect(actions.map(({ action }) => action).slice(0, 2)).toEqual(["key.revoke", "key.add"]);
  expect(actions[0]?.who).toMatch(/^configured /);
  expect(service.output()).not.toContain(key);
});
