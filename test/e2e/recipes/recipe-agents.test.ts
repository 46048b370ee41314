/** Runs that agents propose: nothing is asked or sent before a person accepts one, and then once (P321). */

import { join } from "node:path";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MadeKey } from "../../../src/api/access/key.ts";
import type { AuditEntry } from "../../../src/api/admin/audit.ts";
import {
  type ListedRun,
  proposalHours,
  type RunRecord,
  recipeLimits,
} from "../../../src/api/recipes/recipe.ts";
import { openConnection } from "../../../src/store/libsql/database/connect.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { startReceiver } from "../../../src/testkit/receiver.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { placePerson, placeStore } from "../../support/placed-store.ts";
import { journalDriver } from "../journal.ts";
import { loggedIn } from "../terminal.ts";
import { callTool } from "../tool-call.ts";

const folder = tempFolder();
const dataDir = tempFolder();
const { written } = journalDriver(folder, {
  query: 'write(command); return "answer to " + command;',
});
const linesWith = (word: string) =>
  written()
    .split("\n")
    .filter((line) => line.includes(word)).length;

const vlan = {
  title: "Add a VLAN",
  parameters: {
    type: "object",
    properties: {
      vlan: { type: "integer", minimum: 2, maximum: 4094 },
      name: { type: "string", maxLength: 64, pattern: "^[\\w\u202e -]*$", default: "users" },
      group: { type: "string", default: "access" },
    },
    required: ["vlan"],
  },
  devices: { within: "tag:access" },
  steps: [
    { name: "look", kind: "query", request: { command: "show vlan" } },
    { name: "add", kind: "push", request: { config: ["vlan {{ vlan }}", " name {{ name }}"] } },
    { name: "say", kind: "render", request: { name: "jinja2", template: "secret text {{ vlan }}" } },
  ],
};
const secret = {
  parameters: { type: "object", properties: { new_password: { type: "string", format: "secret" } } },
  steps: [{ name: "a", kind: "render", request: { name: "jinja2", template: "{{ new_password }}" } }],
};
const chosen = {
  parameters: { type: "object", properties: { group: { type: "string" } }, required: ["group"] },
  steps: [{ name: "a", kind: "query", request: { command: "show", select: "tag:{{ group }}" } }],
};
const own = {
  parameters: {
    type: "object",
    properties: { device: { type: "string" }, note: { type: "string" } },
    required: ["device"],
  },
  steps: [
    { name: "a", kind: "push", request: { config: ["a line"], devices: [{ device: "{{ device }}" }] } },
  ],
};
const careful = { ...vlan, policy: { dry_run_first: true } };

let service: Service;
let port: number;
let agent: string;
let other: string;
let ids = 0;
const tokens = { anna: `pbs_${"a".repeat(43)}`, ben: `pbs_${"b".repeat(43)}`, zoe: `pbs_${"z".repeat(43)}` };
const env = { PATCHBAY_MCP: "propose", PATCHBAY_RATE_PER_KEY: "10000", PATCHBAY_URL_ALLOW: "127.0.0.1" };
const start = async () => {
  service = await startService({ plugins: [folder], dataDir, port, env });
};

beforeAll(async () => {
  await placeStore(dataDir, async (store) => {
    for (const [name, token] of Object.entries(tokens))
      await placePerson(store, { name, group: name, token });
  });
  port = await freePort();
  await start();
  const groups = [{ name: "closed", change: { agents: false } }];
  const devices = ["sw1", "sw2", "core", "shut"].map((name, at) => ({
    ...{ name, host: `192.0.2.${at + 1}`, driver: "journal" },
    ...(name === "shut" ? { group: "closed" } : {}),
    tags: [name === "core" ? "core" : "access"],
  }));
  const far = { name: "far", host: "198.51.100.1", driver: "journal", tags: ["access"] };
  const inventory = { groups, devices: [...devices, far] };
  expect((await service.call("POST", "/inventory/device", inventory)).status).toBe(200);
  for (const [name, recipe] of Object.entries({ vlan, secret, chosen, own, careful, other: vlan }))
    expect([name, (await service.call("PUT", `/recipe/${name}`, recipe)).status]).toEqual([name, 201]);
  const roles = { anna: ["vlan", "careful"], ben: ["vlan"], zoe: ["other"] };
  for (const [name, recipes] of Object.entries(roles)) {
    const hosts = name === "ben" ? ["192.0.2.2"] : ["192.0.2.1", "192.0.2.2"];
    const role = { scope: "read", groups: [name], recipes, hosts };
    expect((await service.call("PUT", `/role/${name}`, role)).status).toBe(201);
  }
  const made = async (body: object) =>
    (await service.call<MadeKey>("POST", "/key", { scope: "agent", ...body })).body.data.key;
  agent = await made({
    name: "bot",
    recipes: ["vlan", "secret", "chosen", "own", "careful"],
    hosts: ["192.0.2.*"],
  });
  other = await made({ name: "other-bot" });
});
afterAll(() => service?.close());

const answer = v.object({
  result: v.object({
    isError: v.optional(v.boolean()),
    structuredContent: v.optional(v.record(v.string(), v.unknown())),
    content: v.tupleWithRest([v.object({ text: v.string() })], v.unknown()),
  }),
});
async function call(name: string, args: object, more: { key?: string; once?: string } = {}) {
  ids += 1;
  const { key = agent, once } = more;
  const meta = once === undefined ? {} : { idempotencyKey: once };
  const response = await callTool(service.url, { name, args, key, id: ids, meta });
  const { result } = v.parse(answer, await response.json());
  return { ...result, said: result.content[0].text, data: result.structuredContent ?? {} };
}
const asked = {
  recipe: "vlan",
  reason: "port 7 has the wrong VLAN",
  parameters: { vlan: 20 },
  devices: ["sw1"],
};
const propose = (more: object = {}, how: Parameters<typeof call>[2] = {}) =>
  call("propose_run", { ...asked, ...more }, how);
async function proposed(more: object = {}): Promise<string> {
  const { data, said } = await propose(more);
  expect(data, said).toMatchObject({ state: "proposed" });
  return String(data.run);
}
const whole = v.object({ message: v.string(), data: v.unknown() });
async function as(person: keyof typeof tokens, method: string, path: string, body?: object) {
  const response = await fetch(`${service.url}${path}`, {
    ...{ method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
    headers: {
      ...{ Cookie: `patchbay_session=${tokens[person]}`, Origin: service.url },
      "Content-Type": "application/json",
    },
  });
  return { status: response.status, ...v.parse(whole, await response.json()) };
}
const pathOf = (id: string, word = "", recipe = "vlan") => `/recipe/${recipe}/run/${id}${word}`;
const read = async (id: string, recipe = "vlan") =>
  (await service.call<RunRecord>("GET", pathOf(id, "", recipe))).body.data;
async function ended(id: string, recipe?: string) {
  await expect.poll(async () => (await read(id, recipe)).ended_at, { timeout: 60_000 }).not.toBeNull();
  return read(id, recipe);
}
const jobs = async () => (await service.call<unknown[]>("GET", "/job?limit=100")).body.data.length;

test("a proposal is told to a webhook once, without its values and what the agent says", async () => {
  const receiver = await startReceiver(200);
  const config = { url: receiver.url, secret: "canary-secret" };
  const webhook = { name: "decide", events: ["recipe.proposed"], config };
  expect((await service.call("POST", "/webhook", webhook)).status).toBe(201);
  const id = await proposed();
  await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1);
  const [{ body } = { body: "" }] = receiver.received;
  expect(JSON.parse(body)).toMatchObject({
    ...{ event: "recipe.proposed", summary: "Decision wanted: bot proposes a run of the recipe vlan" },
    run: { id, recipe: "vlan", version: 1, proposed_by: "bot", expires_at: expect.any(String) },
  });
  expect(body).not.toMatch(/wrong VLAN|parameters/);
  expect((await as("anna", "POST", pathOf(id, "/refuse"), {})).status).toBe(200);
  await service.call("DELETE", "/webhook/decide");
  expect(receiver.received).toHaveLength(1);
  receiver.close();
});

test("a proposal shows the devices that its steps select themselves", async () => {
  const id = await proposed({ recipe: "chosen", parameters: { group: "core" }, devices: undefined });
  const { proposal } = await read(id, "chosen");
  expect(proposal?.devices).toEqual(["core"]);
  expect((await service.call("POST", pathOf(id, "/refuse", "chosen"), {})).status).toBe(200);
});

test("an agent lists the recipes of its key with their parameters, and runs none", async () => {
  const { data } = await call("recipes", {});
  const { recipes } = v.parse(
    v.object({ recipes: v.array(v.looseObject({ name: v.string() })) }),
    data.untrusted,
  );
  expect(recipes.map(({ name }) => name)).toEqual(["careful", "chosen", "own", "secret", "vlan"]);
  expect(recipes[4]).toMatchObject({
    ...{ title: "Add a VLAN", version: 1 },
    parameters: { required: ["vlan"], properties: { vlan: vlan.parameters.properties.vlan } },
  });
  expect(await call("recipes", { name: "vlan" })).toMatchObject({
    data: { untrusted: { recipes: [{ name: "vlan" }] } },
  });
  expect(await call("recipes", { name: "other" })).toMatchObject({ isError: true });
  expect(await call("recipes", {}, { key: other })).toMatchObject({ data: { untrusted: { recipes: [] } } });
  for (const key of [agent, other]) {
    const run = await service.call(
      "POST",
      "/recipe/vlan/run",
      { parameters: { vlan: 2 } },
      { "X-API-KEY": key },
    );
    expect(run.status).toBe(403);
  }
});

test("hostile values, secrets, other recipes and devices out of reach are refused, and nothing is asked", async () => {
  const refused: readonly (readonly [object, string, string?])[] = [
    [{ recipe: "other" }, "may not propose runs of the recipe other"],
    [{}, "it may propose none", other],
    [{ parameters: { vlan: "20\nreload" } }, "parameters.vlan"],
    [{ parameters: { vlan: 1 } }, "parameters.vlan"],
    [{ parameters: { vlan: 20, name: "a\nreload" } }, "parameters.name"],
    [{ parameters: { vlan: 20, name: "a\u202eb" } }, "cannot be seen"],
    [{ parameters: { vlan: 20, name: "a\u0000b" } }, "cannot be seen"],
    [{ parameters: { vlan: 20, __proto__x: "y" } }, "parameters"],
    [{ parameters: { vlan: 20 }, ticket: "CHG\u200b-7" }, "cannot be seen"],
    [{ devices: ["core"] }, "not for"],
    [{ devices: ["shut"] }, "takes no changes from agents"],
    [{ devices: ["192.0.2.1"] }, "192.0.2.1"],
    [{ devices: undefined }, "devices"],
    [{ version: 7 }, "version 1"],
    [{ recipe: "secret", devices: undefined, parameters: { new_password: "canary-9x" } }, "no agent gives"],
    [{ recipe: "chosen", devices: undefined, parameters: { group: "core or all" } }, "in a selector"],
    [
      { recipe: "chosen", devices: undefined, parameters: { group: "access" } },
      "takes no changes from agents",
    ],
    [{ recipe: "own", devices: undefined, parameters: { device: "shut" } }, "takes no changes from agents"],
    [{ recipe: "own", devices: undefined, parameters: { device: "far" } }, "far"],
    [
      { recipe: "own", devices: undefined, parameters: { device: "sw1", note: "a".repeat(300_000) } },
      "at most 256 KiB",
    ],
    [{ reason: "short" }, "reason"],
  ];
  for (const [more, word, key] of refused) {
    const { isError, said } = await propose(more, key === undefined ? {} : { key });
    expect([more, isError, said]).toEqual([more, true, expect.stringContaining(word)]);
  }
  expect((await service.call<ListedRun[]>("GET", "/proposed-run")).body.data).toEqual([]);
  expect([written(), await jobs()]).toEqual(["", 0]);
});

test("a proposal waits for a person who may run the recipe and reaches its devices; then it runs once, as theirs", async () => {
  const first = await propose({}, { once: "p1" });
  const id = String(first.data.run);
  expect(first.data).toMatchObject({
    state: "proposed",
    link: `${service.url}/#/recipe/vlan/${id}`,
    devices: 1,
  });
  expect((await propose({}, { once: "p1" })).data.run).toBe(id);
  expect((await propose({ parameters: { vlan: 21 } }, { once: "p1" })).isError).toBe(true);
  // Who decides reads what it is.
  expect((await as("anna", "GET", pathOf(id))).data).toMatchObject({
    ...{ state: "proposed", proposed_by: "bot", parameters: { vlan: 20, name: "users" } },
    proposal: { reason: asked.reason, devices: ["sw1"] },
  });
  expect((await as("anna", "GET", "/proposed-run")).data).toMatchObject([{ id, proposed_by: "bot" }]);
  // Ben does not reach the device, Zoe may not run the recipe, and keys are no persons.
  expect((await as("ben", "GET", "/proposed-run")).data).toEqual([]);
  expect((await as("ben", "POST", pathOf(id, "/accept"))).status).toBe(404);
  expect((await as("zoe", "POST", pathOf(id, "/accept"))).status).toBe(403);
  expect((await as("zoe", "GET", pathOf(id))).status).toBe(404);
  const byKey = await service.call("POST", pathOf(id, "/accept"));
  expect([byKey.status, byKey.body.message]).toEqual([409, expect.stringContaining("by a person")]);
  for (const word of ["/accept", "/refuse"])
    expect((await service.call("POST", pathOf(id, word), {}, { "X-API-KEY": agent })).status).toBe(403);
  expect(await call("job", { id })).toMatchObject({ data: { kind: "run", done: false, state: "proposed" } });
  expect((await call("job", { id }, { key: other })).isError).toBe(true);
  expect([written(), await jobs()]).toEqual(["", 0]);

  const both = await Promise.all([
    as("anna", "POST", pathOf(id, "/accept")),
    as("anna", "POST", pathOf(id, "/accept")),
  ]);
  expect(both.some(({ status }) => status === 200)).toBe(true);
  const run = await ended(id);
  expect(run).toMatchObject({
    ...{ state: "finished", reason: null, proposed_by: "bot", proposal: null, expires_at: null },
    submitted_by: { kind: "person", name: "anna" },
  });
  expect((await as("anna", "POST", pathOf(id, "/accept"))).status).toBe(200);
  expect(written()).toBe("192.0.2.1 show vlan\n192.0.2.1 vlan 20\n192.0.2.1  name users\n");
  // The agent sees how far it came, not what was read with the rights of the person.
  const seen = await call("job", { id });
  expect(seen.data).toMatchObject({ kind: "run", done: true, state: "finished" });
  expect(seen.said).not.toContain("secret text");
  const trail = (await service.call<AuditEntry[]>("GET", "/audit?limit=500")).body.data;
  const of = trail
    .filter(({ detail }) => detail?.includes(id))
    .map(({ action, who }) => `${action} ${who.split(" ")[0]}`);
  expect(of.reverse()).toEqual(["recipe.propose bot", "recipe.accept anna"]);
});

test("what is refused, has expired, or is of a recipe that has changed does not run; the agent reads why", async () => {
  const before = written();
  const someone = await loggedIn(service.url, service.key, {});
  const refused = await proposed();
  const listed = await someone.piped(["recipe", "proposals"]);
  expect(listed.out).toContain(refused);
  const shown = await someone.piped(["recipe", "status", "vlan", refused]);
  expect(shown.out).toContain(asked.reason);
  const told = await someone.piped(["recipe", "refuse", "vlan", refused, "--note", "use VLAN 30"]);
  expect([told.code, told.out]).toEqual([0, expect.stringContaining("refused")]);
  expect((await someone.piped(["recipe", "accept", "vlan", refused])).code).not.toBe(0);
  expect(await as("anna", "POST", pathOf(refused, "/accept"))).toMatchObject({ status: 404 });
  expect(await service.call("POST", pathOf(refused, "/refuse"), {})).toMatchObject({ status: 409 });
  expect(await call("job", { id: refused })).toMatchObject({
    data: {
      done: true,
      state: "refused",
      untrusted: { run: { reason: expect.stringContaining("refused: use VLAN 30") } },
    },
  });
  // Cancelling one is refusing it.
  const cancelled = await proposed();
  expect((await service.call<RunRecord>("DELETE", pathOf(cancelled))).body.data.state).toBe("refused");

  const late = await proposed();
  const later = await proposed({ recipe: "careful" });
  await service.stop();
  const database = await openConnection({ at: join(dataDir, "patchbay.db"), shared: false });
  const old = Date.now() - proposalHours * 3_600_000 - 1_000;
  const sql = "update recipe_runs set created_at = :old where id = :late";
  await database.batch([{ sql, args: { old, late } }]);
  database.close();
  await start();
  expect((await as("anna", "POST", pathOf(late, "/accept"))).status).toBeOneOf([404, 409]);
  expect(await ended(late)).toMatchObject({ state: "expired", reason: expect.stringContaining("72 hours") });
  expect(await call("job", { id: late })).toMatchObject({ data: { done: true, state: "expired" } });

  // Its dry run is a proposal, too; the person who accepted it has looked at it.
  const first = await as("anna", "POST", pathOf(later, "/accept", "careful"));
  expect([first.status, first.message]).toEqual([409, expect.stringContaining("dry run")]);
  const newer = { ...careful, title: "newer" };
  expect((await service.call("PUT", "/recipe/careful", newer)).status).toBe(200);
  const other = await as("anna", "POST", pathOf(later, "/accept", "careful"));
  expect([other.status, other.message]).toEqual([409, expect.stringContaining("version 2")]);
  expect(written()).toBe(before);
}, 120_000);

test("killed between the acceptance and the run, it is begun once", async () => {
  for (let round = 1; round <= 4; round++) {
    const parameters = { vlan: 100 + round, name: `killed-${round}` };
    const id = await proposed({ parameters });
    const accepting = as("anna", "POST", pathOf(id, "/accept")).catch(() => undefined);
    if (round % 2 === 0) await accepting;
    else await Bun.sleep(Math.random() * 20);
    await service.kill("SIGKILL");
    await accepting;
    await start();
    if ((await read(id)).state === "proposed")
      expect((await as("anna", "POST", pathOf(id, "/accept"))).status).toBe(200);
    const run = await ended(id);
    expect([round, run.submitted_by.name, linesWith(`killed-${round}`)]).toEqual([
      round,
      "anna",
      expect.toBeOneOf([0, 1]),
    ]);
    if (run.state === "finished") expect([round, linesWith(`killed-${round}`)]).toEqual([round, 1]);
    const pushes = run.steps.filter(({ kind }) => kind === "push");
    const bulks = (await service.call<{ id: string }[]>("GET", `/bulk?tag=run:${id}&limit=10`)).body.data;
    expect(bulks).toHaveLength(run.steps.filter(({ bulk_id }) => bulk_id !== null).length);
    expect(pushes).toHaveLength(1);
  }
}, 300_000);

test("one key has a bound of proposals that nobody has decided", async () => {
  const open = (await service.call<ListedRun[]>("GET", "/proposed-run")).body.data.length;
  for (let at = open; at < recipeLimits.proposedOfOne; at++) await proposed();
  expect(await propose()).toMatchObject({
    isError: true,
    said: expect.stringContaining("has to accept or refuse"),
  });
}, 120_000);
