/** A list of recipes: what somebody with one may run, and that it leads to nothing else, by whatever way and value. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KeyRecord, MadeKey } from "../../../src/api/access/key.ts";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import type { ScheduleRecord } from "../../../src/api/schedules/schedule.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { placePerson, placeStore } from "../../support/placed-store.ts";
import { journalDriver } from "../journal.ts";
import { loggedIn } from "../terminal.ts";

const folder = tempFolder();
const gate = join(folder, "gate");
const { written } = journalDriver(folder, {
  query: `
    write(command);
    while (command.startsWith("wait") && !existsSync(${JSON.stringify(gate)})) await pause(20);
    return "answer to " + command;`,
});

const vlan = {
  parameters: {
    type: "object",
    properties: {
      vlan: { type: "integer", minimum: 2, maximum: 4094 },
      name: { type: "string", maxLength: 64, default: "users" },
      command: { type: "string", default: "show vlan" },
    },
    required: ["vlan"],
  },
  devices: { within: "tag:access" },
  steps: [
    { name: "look", kind: "query", request: { command: "{{ command }}" } },
    { name: "add", kind: "push", request: { config: ["vlan {{ vlan }}", " name {{ name }}"] } },
    { name: "say", kind: "render", request: { name: "jinja2", template: "{{ vlan }} is {{ name }}" } },
  ],
};
const core = { steps: [{ name: "a", kind: "push", request: { config: ["core"], select: "tag:core" } }] };

let service: Service;
let listed: Record<string, string>;
let reader: Record<string, string>;
let token: string;

beforeAll(async () => {
  const dataDir = tempFolder();
  token = `pbs_${"a".repeat(43)}`;
  await placeStore(dataDir, (store) => placePerson(store, { name: "anna", group: "ops", token }));
  service = await startService({ plugins: [folder], dataDir });
  const devices = ["sw1", "sw2", "core"].map((name, at) => ({
    ...{ name, host: `192.0.2.${at + 1}`, driver: "journal" },
    tags: name === "core" ? ["core"] : ["access"],
  }));
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBe(200);
  for (const [name, recipe] of Object.entries({ vlan, core, "vlan-2": core, VLAN: core, v: core }))
    expect((await service.call("PUT", `/recipe/${name}`, recipe)).status).toBe(201);
  listed = await keyWith({ name: "listed", scope: "read", recipes: ["vlan"] });
  reader = await keyWith({ name: "reader", scope: "read" });
});
afterAll(() => service?.close());

async function keyWith(body: object, headers: Record<string, string> = {}, path = "/key") {
  const made = await service.call<MadeKey>("POST", path, body, headers);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return { "X-API-KEY": made.body.data.key };
}
const run = (name: string, body: object, headers: Record<string, string>) =>
  service.call<RunRecord>("POST", `/recipe/${name}/run`, body, { Prefer: "wait=60", ...headers });
/** In a session, so without a key. */
const asAnna = async (method: string, path: string, body: object) => {
  const answer = await fetch(`${service.url}${path}`, {
    ...{ method, body: JSON.stringify(body) },
    headers: {
      ...{ Cookie: `patchbay_session=${token}`, Origin: service.url },
      ...{ "Content-Type": "application/json", Prefer: "wait=60" },
    },
  });
  return { status: answer.status, body: v.parse(v.object({ data: v.looseObject({}) }), await answer.json()) };
};

test("a key with the scope read and a recipe runs that recipe, to its end, and reads its own runs", async () => {
  const { status, body } = await run("vlan", { devices: ["sw1"], parameters: { vlan: 20 } }, listed);
  expect([status, body.data.state, body.data.reason], JSON.stringify(body)).toEqual([201, "finished", null]);
  expect(body.data.submitted_by).toEqual({ kind: "key", name: "listed" });
  expect(written()).toBe("192.0.2.1 show vlan\n192.0.2.1 vlan 20\n192.0.2.1  name users\n");
  const own = await service.call<RunRecord[]>("GET", "/recipe/vlan/run", undefined, listed);
  expect(own.body.data.map(({ id }) => id)).toEqual([body.data.id]);
  const me = await service.call("GET", "/person/me", undefined, listed);
  expect(me.body.data).toMatchObject({ scope: "read", recipes: ["vlan"] });
});

test("no other recipe is run, however it is written in the path, the body or the headers", async () => {
  const before = written();
  const ways: readonly (readonly [string, object, Record<string, string>?])[] = [
    ...["core", "vlan-2", "VLAN", "v", "vlan%2A", "*", "v%3Fan", "vlan%00", "vlan%20", "%20vlan"].map(
      (name) => [name, {}] as const,
    ),
    ...["vlan%2F..%2Fcore", "vlan/../core", "vlan%252F", "%EF%BD%96lan", "vlan,core", "!vlan"].map(
      (name) => [name, {}] as const,
    ),
    ["core", { recipe: "vlan" }],
    ["core", {}, { "X-HTTP-Method-Override": "PUT", "X-Original-URL": "/recipe/vlan/run" }],
  ];
  for (const [name, body, headers = {}] of ways) {
    const { status, body: said } = await run(name, body, { ...listed, ...headers });
    expect([name, status], JSON.stringify(said)).toEqual([name, expect.toBeOneOf([403, 404, 405])]);
  }
  const { body } = await run("core", {}, listed);
  expect(body.message).toContain("may not run the recipe core: it may run vlan.");
  expect(written()).toBe(before);
});

test("no value of a run leads to other devices, other lines, other recipes or other requests", async () => {
  const hostile = [
    "core",
    "tag:core",
    "all",
    "../core",
    "sw1,core",
    "{{ command }}",
    "__proto__",
    "$(id)",
    "",
  ];
  for (const word of hostile)
    for (const body of [{ devices: [word] }, { select: word }, { devices: ["sw1", word] }]) {
      const { status, body: said } = await run("vlan", { ...body, parameters: { vlan: 30 } }, listed);
      expect([JSON.stringify(body), status], JSON.stringify(said)).toEqual([JSON.stringify(body), 422]);
    }
  for (const more of [
    ...["steps", "recipe", "recipes", "holder", "caller", "credential", "options", "request", "driver"].map(
      (name) => ({ [name]: "core" }),
    ),
    { version: 2 },
    { parameters: { vlan: 30, name: "a\nwrite erase" } },
    { parameters: { vlan: 30, name: ["a", "write erase"] } },
    { parameters: { vlan: 30, command: "show\nreload" } },
    { parameters: { vlan: "30\nreload" } },
    { parameters: { vlan: 30, steps: [] } },
    { parameters: JSON.parse('{"vlan": 30, "__proto__": {"devices": ["core"]}}') },
  ]) {
    const { status, body: said } = await run(
      "vlan",
      { devices: ["sw1"], parameters: { vlan: 30 }, ...more },
      listed,
    );
    expect([JSON.stringify(more), status], JSON.stringify(said)).toEqual([
      JSON.stringify(more),
      expect.toBeOneOf([409, 422]),
    ]);
  }
  // What fits is text, whatever it says.
  const words = '{{ command }} {% raw %} "; reload';
  const fits = await run("vlan", { devices: ["sw2"], parameters: { vlan: 31, name: words } }, listed);
  expect(fits.body.data.state, JSON.stringify(fits.body)).toBe("finished");
  expect(
    written()
      .split("\n")
      .filter((line) => line.startsWith("192.0.2.2 ")),
  ).toEqual(["192.0.2.2 show vlan", "192.0.2.2 vlan 31", `192.0.2.2  name ${words}`]);
  expect(written()).not.toMatch(/192\.0\.2\.3|^\S+ (write erase|reload)/m);
});

test("on every route such a key gets what a key with the scope read gets, but for the runs of its recipe", async () => {
  const { body } = await service.call<unknown>("GET", "/openapi.json?recipes=false");
  const { paths } = v.parse(
    v.object({ paths: v.record(v.string(), v.record(v.string(), v.unknown())) }),
    body,
  );
  const different: string[] = [];
  let asked = 0;
  for (const [path, methods] of Object.entries(paths))
    for (const name of Object.keys(methods)) {
      const method = name.toUpperCase();
      // A session is begun, and another one ended, by each.
      if (!["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method) || path.startsWith("/session"))
        continue;
      for (const word of ["vlan", "core"]) {
        const statuses: number[] = [];
        for (const key of [listed, reader]) {
          const leaving = new AbortController();
          const answer = await fetch(
            service.url + path.replace(/\{name\}/g, word).replace(/\{[^}]+\}/g, "x"),
            {
              method,
              headers: { ...key, "Content-Type": "application/json" },
              ...(method === "GET" ? {} : { body: "{}" }),
              signal: leaving.signal,
            },
          );
          statuses.push(answer.status);
          leaving.abort();
          asked++;
        }
        if (statuses[0] !== statuses[1]) different.push(`${method} ${path} ${word}: ${statuses.join(" ")}`);
      }
    }
  expect(different).toEqual([
    "POST /recipe/{name}/run vlan: 422 403",
    "DELETE /recipe/{name}/run/{item} vlan: 404 403",
    "POST /recipe/{name}/run/{item}/accept vlan: 404 403",
    "POST /recipe/{name}/run/{item}/refuse vlan: 404 403",
    "POST /recipe/{name}/hook vlan: 422 403",
    "PUT /recipe/{name}/hook/{item} vlan: 404 403",
    "DELETE /recipe/{name}/hook/{item} vlan: 404 403",
  ]);
  expect(asked).toBeGreaterThan(400);
});

test("a list that is shortened stops a run before its next step", async () => {
  const waits = { devices: ["sw1"], parameters: { vlan: 40, command: "wait" } };
  const key = await keyWith({ name: "shortened", scope: "read", recipes: ["v*"] });
  const begun = await run("vlan", waits, { ...key, Prefer: "wait=0" });
  await expect.poll(() => written()).toContain("192.0.2.1 wait");
  const change = { recipes: ["other"] };
  expect((await service.call("PATCH", "/key?name=shortened", change)).status).toBe(200);
  writeFileSync(gate, "");
  const path = `/recipe/vlan/run/${begun.body.data.id}`;
  const read = async () => (await service.call<RunRecord>("GET", path)).body.data;
  await expect.poll(async () => (await read()).ended_at, { timeout: 60_000 }).not.toBeNull();
  expect(await read()).toMatchObject({
    state: "failed",
    reason: expect.stringContaining("may not run the recipe vlan: it may run other."),
    steps: [{ state: "finished" }, { state: "failed" }, { state: "skipped" }],
  });
  expect(written()).not.toContain("vlan 40");
  // A key is looked up again after some seconds.
  const cancel = async () => (await service.call("DELETE", path, undefined, key)).status;
  await expect.poll(cancel, { timeout: 30_000 }).toBe(403);
});

test("a person makes a key that runs one recipe; it makes no key with more, and loses what the role loses", async () => {
  const put = (role: object) => service.call("PUT", "/role/ops", { groups: ["ops"], ...role });
  expect((await put({ scope: "operate" })).status).toBe(201);
  const phone = { name: "phone", scope: "read", recipes: ["vlan"] };
  const made = await asAnna("POST", "/person/me/key", phone);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const own = { "X-API-KEY": String(made.body.data.key) };
  const ran = await run("vlan", { devices: ["sw1"], parameters: { vlan: 50 } }, own);
  expect(ran.body.data).toMatchObject({ state: "finished", submitted_by: { kind: "person", name: "anna" } });
  for (const recipes of [["*"], ["vlan", "core"], ["vlan-?"], ["v*"]]) {
    const more = await service.call("POST", "/person/me/key", { name: "more", recipes }, own);
    expect([more.status, more.body.message], JSON.stringify(recipes)).toEqual([
      403,
      expect.stringContaining("recipes would give recipes that it may not run"),
    ]);
  }
  expect((await service.call("POST", "/person/me/key", { name: "more", scope: "operate" }, own)).status).toBe(
    403,
  );
  const same = await keyWith({ name: "same" }, own, "/person/me/key");
  const listing = await service.call<KeyRecord[]>("GET", "/person/me/key", undefined, same);
  expect(listing.body.data.find(({ name }) => name === "anna/same")).toMatchObject({
    ...{ scope: "read", recipes: ["vlan"], submitted_by: { kind: "person", name: "anna" } },
  });
  const preview = await service.call("POST", "/role/preview", {
    ...{ groups: ["ops"], role: { name: "ops", groups: ["ops"], scope: "read", recipes: ["co*"] } },
  });
  expect(preview.body.data).toMatchObject({ scope: "read", recipes: ["co*"] });
  expect((await put({ scope: "read", recipes: ["co*"] })).status).toBe(200);
  const lost = await run("vlan", { devices: ["sw1"], parameters: { vlan: 51 } }, own);
  expect([lost.status, lost.body.message]).toEqual([403, expect.stringContaining("it may run none")]);
  expect((await asAnna("POST", "/recipe/core/run", {})).body.data).toMatchObject({ state: "finished" });
  const wrong = await put({ scope: "read", recipes: ["a b"] });
  expect([wrong.status, wrong.body.data]).toMatchObject([422, [{ path: "recipes.0" }]]);
});

test("a schedule runs only what its owner may run now, also of an operator with a list", async () => {
  const owner = await keyWith({ name: "owner", scope: "operate", recipes: ["vlan"] });
  const of = (name: string) => ({
    ...{ name: `nightly-${name}`, every: "1h" },
    what: {
      kind: "recipe",
      recipe: { name, ...(name === "vlan" ? { parameters: { vlan: 60 }, devices: ["sw1"] } : {}) },
    },
  });
  const refused = await service.call("POST", "/schedule", of("core"), owner);
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("it may run vlan")]);
  expect((await service.call("POST", "/schedule", of("vlan"), listed)).status).toBe(403);
  const made = await service.call<ScheduleRecord>("POST", "/schedule", of("vlan"), owner);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  expect((await service.call("PATCH", "/key?name=owner", { recipes: [] })).status).toBe(200);
  const path = `/schedule/${made.body.data.id}`;
  expect((await service.call("POST", `${path}/run`, {})).status).toBe(200);
  const last = async () => (await service.call<ScheduleRecord>("GET", path)).body.data.last;
  await expect.poll(async () => (await last())?.status, { timeout: 60_000 }).toBe("failed");
  expect((await last())?.reason).toContain("may not run the recipe vlan: it may run none");
  expect(written()).not.toContain("vlan 60");
});

test("from the shell: such a key runs its recipe, and is told why it runs no other one", async () => {
  const someone = await loggedIn(service.url, listed["X-API-KEY"] ?? "", {});
  const ran = await someone.piped(["recipe", "run", "vlan", "--set", "vlan=70", "--device", "sw1"]);
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const other = await someone.piped(["recipe", "run", "core"]);
  expect(other).toMatchObject({
    code: expect.toBeOneOf([1, 2, 3, 4]),
    err: expect.stringContaining("it may run vlan"),
  });
  const direct = await someone.piped(["run", "sw1", "show version"]);
  expect(direct.err).toContain('"operate" is needed');
});

test("agents run none, also of those that they may propose", async () => {
  for (const more of [{}, { recipes: ["vlan"] }]) {
    const agent = await keyWith({ name: `bot-${Object.keys(more).length}`, scope: "agent", ...more });
    expect((await run("vlan", {}, agent)).status).toBe(403);
  }
});
