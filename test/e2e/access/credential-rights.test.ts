/** Which key may use which credential: at submission, in a bulk, by a connection test, and when the job runs. */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KeyRecord, MadeKey } from "../../../src/api/access/key.ts";
import {
  type Answer,
  programOf,
  type Service,
  startService,
  tempFolder,
} from "../../../src/testkit/service.ts";
import { lockDriver, strangerSource } from "./credential-plugins.ts";

const [program, ...begin] = programOf();

const folder = tempFolder();
const gate = join(folder, "gate");
let service: Service;
beforeAll(async () => {
  writeFileSync(join(folder, "lock.mjs"), lockDriver(gate));
  writeFileSync(join(folder, "stranger.mjs"), strangerSource);
  service = await startService({ plugins: [folder], env: { PATCHBAY_SLOTS: "1" } });
  for (const ref of ["lab-1", "core"])
    await service.call("PUT", `/credential/${ref}`, { username: ref, password: `canary-${ref}` });
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const work = (ref: string, more: object = {}) => ({
  driver: "lock",
  connection_args: { host: "r1.lock.test", credential: { name: "file", ref } },
  command: "who",
  ...more,
});
const submit = (body: object, key: string): Promise<Answer<{ id: string }>> =>
  service.call("POST", "/device/execute", body, { "X-API-KEY": key });

function patchbay(...args: string[]): string {
  const { stdout, stderr } = spawnSync(program, [...begin, ...args, "--data-dir", service.dataDir], {
    encoding: "utf8",
    input: "",
    env: { PATH: process.env.PATH, HOME: folder },
  });
  return stdout + stderr;
}

async function makeKey(name: string, more: object): Promise<string> {
  const made = await service.call<MadeKey>("POST", "/key", { name, ...more });
  expect(made.status).toBe(201);
  return made.body.data.key;
}

test("a key with a list may use only those credentials, wherever a request names one", async () => {
  const key = await makeKey("lab-only", { credentials: ["lab-*", "stranger:*"] });
  const headers = { "X-API-KEY": key };
  const taken = await submit(work("lab-1"), key);
  expect(taken.status).toBe(201);
  expect((await service.ended(taken.body.data.id)).status).toBe("finished");
  const refused = await submit(work("core"), key);
  expect([refused.status, refused.body.message]).toEqual([
    403,
    "This API key or person may not use the credential file:core.",
  ]);
  const { command: _command, ...testing } = work("core");
  expect((await service.call("POST", "/device/test-connection", testing, headers)).status).toBe(403);
  const devices = [
    { host: "a.lock.test", credential: { name: "file", ref: "lab-1" } },
    { host: "b.lock.test" },
  ];
  const bulk = await service.call<{ failed_jobs: { host: string; reason: string }[] }>(
    "POST",
    "/device/bulk",
    { ...work("core"), devices },
    headers,
  );
  expect(bulk.body.data.failed_jobs).toMatchObject([
    { host: "b.lock.test", reason: expect.stringContaining("may not use the credential file:core") },
  ]);
  // A credential identified by several fields has its own name.
  const credential = { name: "stranger", ref: "own", more: "x" };
  expect(
    (await submit(work("", { connection_args: { host: "r1.lock.test", credential } }), key)).status,
  ).toBe(201);
  const listed = await service.call<KeyRecord[]>("GET", "/key");
  expect(listed.body.data.find(({ name }) => name === "lab-only")?.credentials).toEqual([
    "file:lab-*",
    "stranger:*",
  ]);
  expect(patchbay("key", "list")).toContain("file:lab-*,stranger:*");
});

test("without a list an unrestricted key may use all, and a limited key none of those stored here", async () => {
  const all = await makeKey("all-hosts", {});
  expect((await submit(work("core"), all)).status).toBe(201);
  const some = await makeKey("some-hosts", { hosts: ["*.lock.test"] });
  expect((await submit(work("core"), some)).status).toBe(403);
  const none = await makeKey("no-credentials", { credentials: [] });
  expect((await submit(work("core"), none)).status).toBe(403);
  const given = patchbay("key", "add", "some-with", "--hosts", "*.lock.test", "--credentials", "core");
  expect((await submit(work("core"), given.split("\n")[0] ?? "")).status).toBe(201);
});

test("rejects waiting jobs of a key that was since narrowed or revoked", async () => {
  writeFileSync(gate, "");
  const blocker = await submit(work("core", { command: "wait" }), service.key);
  await expect.poll(async () => (await service.job(blocker.body.data.id)).status).toBe("running");
  const narrowed = await makeKey("narrowed", {});
  const revoked = await makeKey("revoked", {});
  const waiting = [await submit(work("core"), narrowed), await submit(work("core"), revoked)];
  expect((await service.call("PATCH", "/key?name=narrowed", { credentials: ["lab-*"] })).status).toBe(200);
  expect((await service.call("PATCH", "/key?name=nobody", { credentials: [] })).status).toBe(404);
  expect((await service.call("PATCH", "/key?name=narrowed", { hosts: [] })).status).toBe(422);
  expect((await service.call("DELETE", "/key?name=revoked")).status).toBe(200);
  rmSync(gate);
  const [first, second] = await Promise.all(waiting.map(({ body }) => service.ended(body.data.id)));
  expect(first?.result?.error?.message).toBe("This API key or person may not use the credential file:core.");
  expect(second?.result?.error?.message).toContain("was revoked: the credential file:core is not read");
  // Keys are cached for five seconds.
  const again = async () => {
    const headers = { "X-API-KEY": narrowed };
    return (await service.call("POST", `/job/${first?.id}/retry`, {}, headers)).status;
  };
  await expect.poll(again).toBe(403);
  expect(patchbay("key", "credentials", "narrowed")).toContain("no list of its own");
  await expect.poll(async () => (await submit(work("core"), narrowed)).status).toBe(201);
});
