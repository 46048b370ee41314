/** Recipes: written, run from the API and the shell, killed in the middle, and what a run may not reach. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunRecord, recipeLimits } from "../../../src/api/recipes/recipe.ts";
import type { ScheduleRecord } from "../../../src/api/schedules/schedule.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { journalDriver } from "../journal.ts";
import { loggedIn, type Operator } from "../terminal.ts";

const folder = tempFolder();
const { written, linesOf } = journalDriver(folder, {
  query: `
    await pause(20);
    if (command.startsWith("fail")) throw new Error("the device refuses");
    return "answer to " + command;`,
  configure: `
    for (const line of lines) write(line);
    await pause(40);
    return "done";`,
});

let service: Service;
let someone: Operator;

const vlan = {
  title: "Add a VLAN",
  parameters: {
    type: "object",
    properties: {
      vlan: { type: "integer", minimum: 2, maximum: 4094 },
      name: { type: "string", pattern: "^[a-z]{1,32}$", default: "users" },
    },
    required: ["vlan"],
  },
  devices: { within: "tag:access", most: 2 },
  ticket: "^CHG-\\d+$",
  steps: [
    { name: "before", kind: "query", request: { command: "show vlan {{ vlan }}" } },
    {
      name: "add",
      kind: "push",
      when: "steps.before.counts.failed = 0 and $contains($string(steps.before.results[0].result), 'vlan')",
      request: { config: ["vlan {{ vlan }}", " name {{ name }}"] },
    },
    { name: "only-core", kind: "query", when: "'core' in devices", request: { command: "show core" } },
    {
      name: "say",
      kind: "render",
      request: { name: "jinja2", template: "VLAN {{ vlan }} is called {{ name }}." },
    },
  ].map((step) => ({ ...step, name: step.name.replace("-", "_") })),
};

beforeAll(async () => {
  service = await startService({ plugins: [folder] });
  someone = await loggedIn(service.url, adminKey, {});
  const devices = ["sw1", "sw2", "sw3", "core"].map((name, at) => ({
    ...{ name, host: `192.0.2.${at + 1}`, driver: "journal" },
    tags: name === "core" ? ["core"] : ["access"],
  }));
  const added = await service.call("POST", "/inventory/device", { devices });
  expect(added.status).toBeLessThan(300);
});
afterAll(() => service.stop());

async function put(name: string, recipe: object) {
  const { status, body } = await service.call("PUT", `/recipe/${name}`, recipe);
  expect([status, body]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
}

const start = (name: string, body: object, headers: Record<string, string> = { Prefer: "wait=60" }) =>
  service.call<RunRecord>("POST", `/recipe/${name}/run`, body, headers);

test("a run goes through its steps, with the values in place", async () => {
  await put("vlan", vlan);
  const { status, body } = await start("vlan", {
    ...{ devices: ["sw1", "sw2"], ticket: "CHG-7", parameters: { vlan: 20 } },
  });
  expect(status).toBe(201);
  expect(body.data).toMatchObject({
    ...{ recipe: "vlan", version: 1, state: "finished", reason: null, ticket: "CHG-7", devices: 2 },
    parameters: { vlan: 20, name: "users" },
    steps: [
      { name: "before", state: "finished", counts: { total: 2, finished: 2 } },
      { name: "add", state: "finished", counts: { total: 2, finished: 2 } },
      { name: "only_core", state: "skipped", bulk_id: null },
      { name: "say", state: "finished", text: "VLAN 20 is called users." },
    ],
  });
  expect(linesOf("192.0.2.1")).toEqual(["vlan 20", " name users"]);
  const bulk = await service.call<{ submitted_by: object; ticket: string; label: string }>(
    "GET",
    `/bulk/${body.data.steps[1]?.bulk_id}`,
  );
  expect(bulk.body.data).toMatchObject({ ticket: "CHG-7", label: "vlan: add" });
});

test.each([
  [{ parameters: { vlan: 20 }, devices: ["sw1"] }, "ticket"],
  [{ parameters: {}, devices: ["sw1"], ticket: "CHG-1" }, "parameters.vlan"],
  [{ parameters: { vlan: 20, name: "a\nno vlan 1" }, devices: ["sw1"], ticket: "CHG-1" }, "parameters.name"],
  [{ parameters: { vlan: "20" }, devices: ["sw1"], ticket: "CHG-1" }, "parameters.vlan"],
  [{ parameters: { vlan: 20 }, devices: ["sw1", "core"], ticket: "CHG-1" }, "devices"],
  [{ parameters: { vlan: 20 }, select: "all", ticket: "CHG-1" }, "select"],
  [{ parameters: { vlan: 20 }, select: "tag:access", ticket: "CHG-1" }, "select"],
  [{ parameters: { vlan: 20 }, ticket: "CHG-1" }, "devices"],
  [{ parameters: { vlan: 20 }, devices: ["none"], ticket: "CHG-1" }, "devices.0"],
  [{ parameters: { vlan: 20 }, devices: ["sw1"], ticket: "CHG-1", steps: [] }, "steps"],
])("a run that is not what the recipe allows is refused: %j", async (body, path) => {
  const { status, body: answer } = await start("vlan", body);
  expect([status, answer.code]).toEqual([422, -1]);
  expect(JSON.stringify(answer)).toContain(`"${path}"`);
});

test("a recipe is written in versions, by admins, and a step that could not be kept is refused", async () => {
  const first = await service.call("PUT", "/recipe/one", vlan, { "If-None-Match": "*" });
  expect([first.status, first.headers.get("etag")]).toEqual([201, '"1"']);
  expect((await service.call("PUT", "/recipe/one", vlan, { "If-None-Match": "*" })).status).toBe(412);
  const second = await service.call("PUT", "/recipe/one", { ...vlan, title: "x" }, { "If-Match": '"1"' });
  expect([second.status, second.headers.get("etag")]).toEqual([200, '"2"']);
  expect((await service.call("PUT", "/recipe/one", vlan, { "If-Match": '"1"' })).status).toBe(412);
  expect((await service.call("GET", "/recipe/one?version=1")).body.data).toMatchObject({
    title: "Add a VLAN",
  });
  const old = await start("one", { parameters: { vlan: 3 }, devices: ["sw1"], ticket: "CHG-1", version: 1 });
  expect(old.status).toBe(409);
  const refused = async (step: object) => {
    const { status, body } = await service.call("PUT", "/recipe/bad", { steps: [{ name: "a", ...step }] });
    expect([status, body.code]).toEqual([422, -1]);
    return JSON.stringify(body);
  };
  expect(await refused({ kind: "query", request: { command: "show {{ none }}" } })).toContain(
    "is no parameter",
  );
  expect(await refused({ kind: "query", request: { config: ["a"] } })).toContain("is for the kind push");
  expect(await refused({ kind: "push", request: {} })).toContain("is required for the kind push");
  expect(await refused({ kind: "query", request: { comand: "show" } })).toContain("Did you mean command");
  expect(await refused({ kind: "query", when: "(", request: { command: "show" } })).toContain("steps.0.when");
  const named = { template: "x", context: { "{{ vlan }}": 1 } };
  expect(await refused({ kind: "render", request: named })).toContain("the name of a member");
  const shown = { template: "x", context: { enable_secret: "canary-secret" } };
  expect(await refused({ kind: "render", request: shown })).toContain(
    "steps.0.request.context.enable_secret",
  );
  const secret = { command: "show", connection_args: { password: "canary-secret" } };
  expect(await refused({ kind: "query", request: secret })).toContain("steps.0.request");
  expect((await service.call("DELETE", "/recipe/one")).status).toBe(200);
  expect((await service.call("GET", "/recipe/one")).status).toBe(404);
});

test("a failed step ends the run, or not if it may fail; a run can be cancelled", async () => {
  const query = (name: string, command: string, more = {}) => ({
    name,
    kind: "query",
    request: { command },
    ...more,
  });
  await put("fails", { steps: [query("a", "fail"), query("b", "show b")] });
  const failed = await start("fails", { devices: ["sw1"] });
  expect(failed.body.data).toMatchObject({
    ...{ state: "failed", reason: "step a: 1 of 1 jobs have not finished: 1 failed (DriverError 1: sw1)" },
    steps: [{ state: "failed" }, { state: "skipped" }],
  });
  await put("goes-on", { steps: [query("a", "fail", { on_failure: "continue" }), query("b", "show b")] });
  const wentOn = await start("goes-on", { devices: ["sw1"] });
  expect(wentOn.body.data).toMatchObject({
    state: "failed",
    steps: [{ state: "failed" }, { state: "finished" }],
  });
  await put("long", { steps: Array.from({ length: 50 }, (_, at) => query(`s${at}`, "show")) });
  const { body } = await start("long", { devices: ["sw1"] }, { Prefer: "wait=0" });
  const path = `/recipe/long/run/${body.data.id}`;
  expect((await service.call("DELETE", path)).status).toBe(200);
  await expect
    .poll(async () => (await service.call<RunRecord>("GET", path)).body.data.state)
    .toBe("cancelled");
  const again = await service.call("DELETE", path);
  expect([again.status, again.body.code]).toEqual([200, -1]);
});

test("a key is limited to what it reaches, sees its own runs, and a repeat is the same run", async () => {
  const made = await service.call<{ key: string }>("POST", "/key", {
    ...{ name: "limited", scope: "operate", hosts: ["192.0.2.1"] },
  });
  const limited = { "X-API-KEY": made.body.data.key };
  await put("free", { steps: [{ name: "a", kind: "query", request: { command: "show" } }] });
  const own = { ...limited, "Idempotency-Key": "once", Prefer: "wait=60" };
  const run = await start("free", { devices: ["sw1"] }, own);
  expect(run.body.data).toMatchObject({ state: "finished", submitted_by: { name: "limited" } });
  const repeated = await start("free", { devices: ["sw1"] }, own);
  expect(repeated.body.data.id).toBe(run.body.data.id);
  expect((await start("free", { devices: ["sw1"], note: "x" }, own)).status).toBe(422);
  const both = await Promise.all(
    ["x", "y"].map((note) => start("free", { devices: ["sw1"], note }, { ...own, "Idempotency-Key": "two" })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  expect((await start("free", { devices: ["sw2"] }, { ...limited, Prefer: "wait=1" })).status).toBe(422);
  await start("free", { devices: ["sw2"] });
  const listed = await service.call<unknown[]>("GET", "/recipe/free/run", undefined, limited);
  expect(listed.body.data).toHaveLength(2);
  expect((await service.call("PUT", "/recipe/free", vlan, limited)).status).toBe(403);
});

test("a run is not given devices that none of its steps works on: it would work on others", async () => {
  await put("own", {
    steps: [{ name: "a", kind: "query", request: { select: "all", command: "show clock" } }],
  });
  const refused = await start("own", { devices: ["sw1"] });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body.data)).toContain("no step works on the devices of a run");
  expect((await start("own", {})).status).toBe(201);
});

test("a run that is asked for with too much is refused", async () => {
  const note = "x".repeat(recipeLimits.runBytes);
  const { status } = await start("vlan", { devices: ["sw1"], parameters: { vlan: 20 }, note });
  expect(status).toBe(413);
});

test("a schedule runs a recipe as its owner, and is refused with what could not be run", async () => {
  await put("vlan", vlan);
  const of = (recipe: object, more: object = {}) => ({
    ...{ name: "nightly", every: "1h", ticket: "CHG-9", what: { kind: "recipe", recipe } },
    ...more,
  });
  const wrong: readonly (readonly [object, string])[] = [
    [of({ name: "nothing" }), "what.recipe.name"],
    [of({ select: "sw1" }), "what.recipe.name"],
    [of({ name: "vlan", parameters: { vlan: 1 }, devices: ["sw1"] }), "what.recipe.parameters.vlan"],
    [of({ name: "vlan", parameters: { vlan: 20 }, devices: ["core"] }), "what.recipe.devices"],
    [of({ name: "vlan", parameters: { vlan: 20 }, devices: ["sw1"], odd: 1 }), "what.recipe.odd"],
    [
      of({ name: "vlan", parameters: { vlan: 20 }, devices: ["sw1"] }, { ticket: "none" }),
      "what.recipe.ticket",
    ],
    [{ ...of({ name: "vlan" }), what: { kind: "recipe" } }, "what.recipe"],
  ];
  for (const [body, path] of wrong) {
    const { status, body: said } = await service.call("POST", "/schedule", body);
    expect([status, said.data], path).toMatchObject([422, [{ path }]]);
  }
  const recipe = { name: "vlan", parameters: { vlan: 77 }, devices: ["sw1"] };
  const made = await service.call("POST", "/schedule", of(recipe));
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  expect((await service.call("POST", "/schedule/nightly/run", {})).status).toBe(200);
  const last = async () => {
    const { data } = (await service.call<ScheduleRecord>("GET", "/schedule/nightly")).body;
    return `${data.last?.status} ${data.last?.reason ?? ""}`;
  };
  await expect.poll(last, { timeout: 60_000 }).toMatch(/^done run \S{36} of vlan$/);
  const [, , id] = (await last()).split(" ");
  const runNow = async () => (await service.call<RunRecord>("GET", `/recipe/vlan/run/${id}`)).body.data;
  await expect.poll(async () => (await runNow()).ended_at, { timeout: 60_000 }).not.toBeNull();
  expect(await runNow()).toMatchObject({
    ...{ state: "finished", ticket: "CHG-9", parameters: { vlan: 77, name: "users" } },
    submitted_by: { kind: "schedule", name: "nightly" },
  });
  expect(written()).toContain("vlan 77");
  expect((await service.call("DELETE", "/schedule/nightly")).status).toBe(200);
});

test("from the shell: put, run, look, remove", async () => {
  const path = join(someone.home, "vlan.yaml");
  writeFileSync(path, JSON.stringify(vlan));
  expect(await someone.piped(["recipe", "put", "shell", path])).toMatchObject({ code: 0 });
  const args = ["--device", "sw3", "--ticket", "CHG-9"];
  const ran = await someone.piped(["recipe", "run", "shell", "--set", "vlan=30", ...args]);
  expect(ran).toMatchObject({
    code: 0,
    out: expect.stringMatching(/state +finished[\s\S]*say:\nVLAN 30 is called users/),
  });
  const json = await someone.piped(["recipe", "run", "shell", "--set", "vlan=31", "--json", ...args]);
  expect(JSON.parse(json.out)).toMatchObject({ state: "finished", parameters: { vlan: 31 } });
  const wrong = await someone.piped(["recipe", "run", "shell", "--set", "vlam=30", ...args]);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("Did you mean vlan?") });
  expect((await someone.piped(["recipe", "runs", "shell"])).out.match(/finished/g)).toHaveLength(2);
  expect((await someone.piped(["recipe", "list"])).out).toMatch(/shell +Add a VLAN +1 +4/);
  expect(JSON.parse((await someone.piped(["recipe", "show", "shell"])).out)).toEqual(
    expect.objectContaining({ title: "Add a VLAN" }),
  );
  expect((await someone.piped(["recipe", "remove", "shell", "--yes"])).code).toBe(0);
});

test("killed at any moment, each push of a run is sent once, and the run goes to its end", async () => {
  const steps = Array.from({ length: 10 }, (_, at) => ({
    ...{ name: `s${at}`, kind: at % 2 === 0 ? "push" : "query", on_failure: "continue" },
    request: at % 2 === 0 ? { config: [`line ${at} {{ run }}`] } : { command: "show" },
  }));
  const parameters = { type: "object", properties: { run: { type: "integer" } } };
  await put("ten", { parameters, steps });
  for (const round of [1, 2, 3]) {
    const begun = await start("ten", { devices: ["core"], parameters: { run: round } }, { Prefer: "wait=0" });
    const { id } = begun.body.data;
    await Bun.sleep(100 + Math.random() * 900);
    const { dataDir } = service;
    await service.kill("SIGKILL");
    service = await startService({ plugins: [folder], dataDir, port: Number(new URL(service.url).port) });
    const read = async () => (await service.call<RunRecord>("GET", `/recipe/ten/run/${id}`)).body.data;
    await expect.poll(async () => (await read()).ended_at, { timeout: 120_000 }).not.toBeNull();
    const { steps } = await read();
    const sent = linesOf("192.0.2.4").filter((line) => line.endsWith(` ${round}`));
    expect(sent).toEqual([...new Set(sent)]);
    for (const [at, { kind, state }] of steps.entries())
      if (kind === "push" && state === "finished") expect(sent).toContain(`line ${at} ${round}`);
    expect(steps.filter(({ state }) => state === "failed").length).toBeLessThanOrEqual(1);
  }
});
