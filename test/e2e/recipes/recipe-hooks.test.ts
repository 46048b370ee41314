/** Hooks: another system starts a run once, with the rights of the owner of the hook, and nobody else does. */
import { createHmac, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signature } from "../../../plugins/webhooks/basic/webhook.ts";
import {
  type HookAnswer,
  type HookRecord,
  hookLimits,
  type WrittenHook,
} from "../../../src/api/recipes/hook.ts";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { journalDriver } from "../journal.ts";
import { loggedIn } from "../terminal.ts";

const folder = tempFolder();
const { written } = journalDriver(folder);

let service: Service;
const recipe = {
  parameters: { type: "object", properties: { vlan: { type: "integer" }, name: { type: "string" } } },
  steps: [{ name: "add", kind: "push", request: { config: ["vlan {{ vlan }}", " name {{ name }}"] } }],
};
const spec = {
  provider: "github",
  when: "event = 'push'",
  parameters: { name: "users" },
  map: { vlan: "body.vlan" },
  map_devices: "body.device",
};

beforeAll(async () => {
  service = await startService({ plugins: [folder] });
  const devices = ["sw1", "sw2"].map((name, at) => ({ name, host: `192.0.2.${at + 1}`, driver: "journal" }));
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBeLessThan(300);
  expect((await service.call("PUT", "/recipe/vlan", recipe)).status).toBe(201);
});
afterAll(() => service.stop());

async function make(more: object, headers?: Record<string, string>): Promise<WrittenHook> {
  const body = { ...spec, name: `h${randomUUID().slice(0, 8)}`, ...more };
  const made = await service.call<WrittenHook>("POST", "/recipe/vlan/hook", body, headers);
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  return made.body.data;
}

async function deliver(path: string | undefined, text: string, headers: Record<string, string>) {
  const response = await fetch(`${service.url}${path}`, {
    ...{ method: "POST", body: text },
    headers: { "Content-Type": "application/json", ...headers },
  });
  const body: { code: number; message: string; data: HookAnswer } = JSON.parse(await response.text());
  return { status: response.status, code: body.code, message: body.message, data: body.data };
}

const hex = (hash: string, secret = "", text = "") => createHmac(hash, secret).update(text).digest("hex");
const ofGithub = (secret: string | undefined, text: string, id: string = randomUUID(), event = "push") => ({
  "X-Hub-Signature-256": `sha256=${hex("sha256", secret, text)}`,
  ...{ "X-GitHub-Delivery": id, "X-GitHub-Event": event },
});
const textOf = (vlan: number, more: object = {}) => JSON.stringify({ vlan, device: "sw1", ...more });
const count = (vlan: number) =>
  written()
    .split("\n")
    .filter((line) => line.endsWith(` vlan ${vlan}`)).length;
const endOf = (run: string | null) =>
  expect
    .poll(async () => (await service.call<RunRecord>("GET", `/recipe/vlan/run/${run}`)).body.data, {
      timeout: 60_000,
    })
    .toMatchObject({ state: "finished" });

const senders: [string, (secret: string | undefined, text: string) => Record<string, string>, object][] = [
  ["github", (secret, text) => ofGithub(secret, text), {}],
  [
    "gitlab",
    (secret = "") => ({ "X-Gitlab-Token": secret, "Idempotency-Key": randomUUID() }),
    { when: null },
  ],
  ["netbox", (secret, text) => ({ "X-Hook-Signature": hex("sha512", secret, text) }), { when: null }],
  ["alertmanager", (secret) => ({ Authorization: `Bearer ${secret}` }), { when: null }],
  ["patchbay", (secret = "", text) => ({ "X-Patchbay-Signature": signature(secret, text) }), { when: null }],
];

test.each(senders)("%s starts a run once", async (provider, headersOf, more) => {
  const vlan = 100 + senders.findIndex(([name]) => name === provider);
  const { path, secret, name } = await make({ provider, ...more });
  const text = textOf(vlan);
  const headers = headersOf(secret, text);
  const none = await deliver(path, text, {});
  expect(none).toMatchObject({ status: 403, code: -1, message: expect.stringContaining("is missing") });
  const wrong = await deliver(path, text, headersOf("wrong", text));
  expect(wrong).toMatchObject({ status: 403, code: -1, message: expect.stringContaining("is not right") });
  const first = await deliver(path, text, headers);
  expect(first).toMatchObject({ status: 201, code: 200, data: { outcome: "started" } });
  await endOf(first.data.run);
  const again = await deliver(path, text, headers);
  expect(again).toMatchObject({ status: 200, data: { outcome: "repeated", run: first.data.run } });
  expect(count(vlan)).toBe(1);
  const run = await service.call<RunRecord>("GET", `/recipe/vlan/run/${first.data.run}`);
  expect(run.body.data).toMatchObject({
    submitted_by: { kind: "hook", name: `vlan/${name}` },
    parameters: { vlan, name: "users" },
  });
});

test("a copy under another id, another content under a known id, and an altered content are refused", async () => {
  const { path, secret } = await make({});
  const text = textOf(200);
  expect((await deliver(path, text, ofGithub(secret, text, "one"))).status).toBe(201);
  const copied = await deliver(path, text, ofGithub(secret, text, "two"));
  const other = await deliver(path, textOf(201), ofGithub(secret, textOf(201), "one"));
  expect([copied, other]).toEqual([
    expect.objectContaining({ status: 409, code: -1 }),
    expect.objectContaining({ status: 409, code: -1 }),
  ]);
  expect((await deliver(path, textOf(202), ofGithub(secret, text))).status).toBe(403);
  const ping = await deliver(path, textOf(203), ofGithub(secret, textOf(203), "ping", "ping"));
  expect(ping).toMatchObject({ status: 200, data: { outcome: "skipped", run: null } });
  const both = await Promise.all(
    [1, 2].map(() => deliver(path, textOf(204), ofGithub(secret, textOf(204), "both"))),
  );
  expect(new Set(both.map(({ data }) => data.run)).size).toBe(1);
  await endOf(both[0]?.data.run ?? null);
  expect([201, 202, 203, 204].map(count)).toEqual([0, 0, 0, 1]);
});

test("what does not fit is refused, and the path of no hook tells nothing", async () => {
  const { path, secret } = await make({});
  const send = (text: string, headers = {}) => deliver(path, text, { ...ofGithub(secret, text), ...headers });
  const deep = `{"vlan":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
  expect(await send(deep)).toMatchObject({ status: 422, code: -1 });
  for (const text of ["[]", "1", "x", '{"__proto__": {}}', "{"])
    expect(await send(text)).toMatchObject({ status: expect.toBeOneOf([400, 422]), code: -1 });
  expect(await send(textOf(1), { "Content-Type": "application/x-www-form-urlencoded" })).toMatchObject({
    status: 415,
  });
  expect(await send(textOf(1, { pad: "x".repeat(hookLimits.deliveryBytes) }))).toMatchObject({
    status: 413,
    code: -1,
  });
  expect(await send('{"vlan": "1\\nno vlan 2", "device": "sw1"}')).toMatchObject({ status: 422, code: -1 });
  expect(await send('{"vlan": 1, "device": "none"}')).toMatchObject({ status: 422, code: -1 });
  const unknown = await deliver("/hook/none", textOf(1), ofGithub(secret, textOf(1)));
  const bare = await deliver("/hook/none", "x", {});
  expect(unknown).toEqual(bare);
  expect(unknown).toMatchObject({ status: 404, code: -1, message: "There is no such hook." });
  const slow = await make({
    when: "($f := function($n) { $n < 2 ? 1 : $f($n - 1) + $f($n - 2) }; $f(60) > 0)",
  });
  expect(await deliver(slow.path, textOf(1), ofGithub(slow.secret, textOf(1)))).toMatchObject({ code: -1 });
});

test("too many deliveries of one hook are refused, those of another are not", async () => {
  const [one, other] = [await make({}), await make({})];
  let refused = 0;
  for (let at = 0; at < hookLimits.rate.burst + 30 && refused === 0; at++) {
    const text = textOf(at);
    const { status } = await deliver(one.path, text, ofGithub(one.secret, text, `${at}`, "ping"));
    if (status === 429) refused++;
    else expect(status).toBe(200);
  }
  expect(refused).toBe(1);
  expect((await deliver(other.path, textOf(1), ofGithub(other.secret, textOf(1), "x", "ping"))).status).toBe(
    200,
  );
});

test("a hook loses what its owner loses, and nobody else sees it", async () => {
  const made = await service.call<{ key: string }>("POST", "/key", {
    ...{ name: "starter", scope: "operate", hosts: ["192.0.2.1"] },
  });
  const own = { "X-API-KEY": made.body.data.key };
  const other = await service.call<{ key: string }>("POST", "/key", { name: "stranger", scope: "operate" });
  const strange = { "X-API-KEY": other.body.data.key };
  const { path, secret, name } = await make({}, own);
  const send = (text: string) => deliver(path, text, ofGithub(secret, text));
  expect((await send(textOf(301))).status).toBe(201);
  expect((await send(textOf(302, { device: "sw2" }))).status).toBe(422);
  const place = `/recipe/vlan/hook/${name}`;
  expect((await service.call("GET", place, undefined, strange)).status).toBe(404);
  expect((await service.call("PUT", place, spec, strange)).status).toBe(404);
  expect((await service.call("DELETE", place, undefined, strange)).status).toBe(404);
  expect((await service.call("GET", "/recipe/vlan/hook", undefined, strange)).body.data).toEqual([]);
  const reader = await service.call<{ key: string }>("POST", "/key", { name: "reader", scope: "read" });
  const reading = { "X-API-KEY": reader.body.data.key };
  expect((await service.call("POST", "/recipe/vlan/hook", { ...spec, name: "x" }, reading)).status).toBe(403);
  expect((await service.call("DELETE", "/key?name=starter")).status).toBe(200);
  expect(await send(textOf(303))).toMatchObject({
    status: 403,
    code: -1,
    message: expect.stringContaining("no rights"),
  });
  expect(count(303)).toBe(0);
  const listed = await service.call<HookRecord>("GET", place);
  expect(listed.body.data.owner).toEqual({ kind: "key", name: "starter", in_force: false });
});

test("a hook is checked when it is written, and its secret and token are shown once", async () => {
  const refused = async (more: object, path: string) => {
    const { status, body } = await service.call("POST", "/recipe/vlan/hook", {
      ...spec,
      name: "bad",
      ...more,
    });
    expect([status, body.code, JSON.stringify(body)]).toEqual([422, -1, expect.stringContaining(path)]);
  };
  await refused({ when: "(" }, "when");
  await refused({ map: { vlam: "1" } }, "Did you mean vlan");
  await refused({ map: { name: "1" } }, "map.name");
  await refused({ map: { vlan: "1) + (1" } }, "map.vlan");
  await refused({ devices: ["sw1"] }, "map_devices");
  await refused({ provider: "none" }, "provider");
  const hook = await make({ name: "kept" });
  expect((await service.call("POST", "/recipe/vlan/hook", { ...spec, name: "kept" })).status).toBe(409);
  expect((await service.call("POST", "/recipe/none/hook", { ...spec, name: "kept" })).status).toBe(404);
  const shown = await service.call<HookRecord>("GET", "/recipe/vlan/hook/kept");
  expect(JSON.stringify(shown.body)).not.toMatch(/"path"|"secret"/);
  const changed = await service.call<WrittenHook>("PUT", "/recipe/vlan/hook/kept", {
    ...spec,
    new_secret: true,
  });
  const anew = changed.body.data.secret;
  expect(anew).not.toBe(hook.secret);
  const text = textOf(400);
  expect((await deliver(hook.path, text, ofGithub(hook.secret, text))).status).toBe(403);
  expect((await deliver(hook.path, text, ofGithub(anew, text, "x", "ping"))).status).toBe(200);
  const log = service.output();
  const audit = JSON.stringify((await service.call("GET", "/audit?limit=500")).body);
  const files = readdirSync(service.dataDir, { recursive: true, encoding: "utf8" })
    .map((name) => join(service.dataDir, name))
    .filter((file) => /patchbay\.db/.test(file))
    .map((file) => readFileSync(file, "latin1"));
  expect(files.length).toBeGreaterThan(0);
  for (const secret of [hook.secret ?? "", anew ?? "", hook.path?.slice("/hook/".length) ?? ""]) {
    expect(secret.length).toBe(43);
    for (const place of [log, audit, ...files]) expect(place.includes(secret)).toBe(false);
  }
  expect(audit).toContain("hook.add");
  expect((await service.call("DELETE", "/recipe/vlan/hook/kept")).status).toBe(200);
  expect((await deliver(hook.path, text, ofGithub(anew, text))).status).toBe(404);
});

test("killed at any moment, a delivery that is sent again is one run", async () => {
  const { path, secret } = await make({});
  for (const [at, waitMs] of [0, 5, 10, 20, 40, 80].entries()) {
    const vlan = 500 + at;
    const text = textOf(vlan);
    const headers = ofGithub(secret, text);
    const cut = deliver(path, text, headers).catch(() => undefined);
    await new Promise((done) => setTimeout(done, waitMs));
    const port = Number(new URL(service.url).port);
    await service.kill("SIGKILL");
    await cut;
    service = await startService({ dataDir: service.dataDir, plugins: [folder], port });
    const again = await deliver(path, text, headers);
    expect(again.status).toBeOneOf([200, 201]);
    await expect
      .poll(
        async () =>
          (await service.call<RunRecord>("GET", `/recipe/vlan/run/${again.data.run}`)).body.data.ended_at,
        {
          timeout: 60_000,
        },
      )
      .not.toBeNull();
    const third = await deliver(path, text, headers);
    expect(third.data).toEqual({ outcome: "repeated", run: again.data.run });
    expect(count(vlan)).toBeLessThanOrEqual(1);
    const runs = await service.call<{ id: string }[]>("GET", "/recipe/vlan/run?limit=500");
    expect(runs.body.data.filter(({ id }) => id === again.data.run)).toHaveLength(1);
  }
}, 300_000);

test("the shell makes, lists, changes and removes a hook", async () => {
  const someone = await loggedIn(service.url, adminKey);
  const file = join(folder, "hook.json");
  writeFileSync(file, JSON.stringify(spec));
  const run = (...args: string[]) => someone.piped(["recipe", "hook", ...args]);
  const added = await run("add", "vlan", "shell", file);
  expect(added).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\/hook\/[\w-]{43}\s+secret +[\w-]{43}/),
  });
  expect((await run("list", "vlan")).out).toContain("shell");
  expect(JSON.parse((await run("show", "vlan", "shell")).out)).toMatchObject({ map: { vlan: "body.vlan" } });
  const changed = await run("edit", "vlan", "shell", file, "--new-secret");
  expect(changed).toMatchObject({ code: 0, out: expect.stringMatching(/secret +[\w-]{43}/) });
  expect(await run("remove", "vlan", "shell", "--yes")).toMatchObject({ code: 0 });
  expect((await run("list", "vlan")).out).not.toContain("shell");
});
