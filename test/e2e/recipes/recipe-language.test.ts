/** What steps can say beside their request: devices of their own, what they expect, tries, waits, values and calls. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MadeKey } from "../../../src/api/access/key.ts";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { journalDriver } from "../journal.ts";
import { loggedIn } from "../terminal.ts";

const folder = tempFolder();
/** `flaky <n>` fails until it was asked so often. */
const { linesOf } = journalDriver(folder, {
  query: `
    await pause(20);
    const [word, times] = command.split(" ");
    if (word !== "flaky") return "answer to " + command;
    write(command);
    const asked = readFileSync(journal, "utf8").split("\\n").filter((line) => line === host + " " + command).length;
    if (asked <= Number(times)) throw new Error("not yet");
    return "ready";`,
  args: "v.object({ dry_run: v.optional(v.boolean(), false) })",
  configure: `
    if (!args.dry_run) for (const line of lines) write(line);
    await pause(40);
    return "done";`,
});

let service: Service;

beforeAll(async () => {
  service = await startService({ plugins: [folder] });
  const devices = ["sw1", "sw2", "sw3"].map((name, at) => ({
    ...{ name, host: `192.0.2.${at + 1}`, driver: "journal", tags: ["access"] },
  }));
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBeLessThan(300);
});
afterAll(() => service.stop());

async function put(name: string, recipe: object): Promise<void> {
  const { status, body } = await service.call("PUT", `/recipe/${name}`, recipe);
  expect([status, body]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
}
const read = async (name: string, id: string) =>
  (await service.call<RunRecord>("GET", `/recipe/${name}/run/${id}`)).body.data;
async function ended(name: string, id: string): Promise<RunRecord> {
  await expect
    .poll(async () => (await read(name, id)).ended_at, { timeout: 240_000, interval: 50 })
    .not.toBeNull();
  return read(name, id);
}
async function run(name: string, body: object, headers: Record<string, string> = {}): Promise<RunRecord> {
  const begun = await service.call<RunRecord>("POST", `/recipe/${name}/run`, body, headers);
  expect([begun.status, begun.body]).toEqual([201, expect.anything()]);
  return ended(name, begun.body.data.id);
}

test("a step has the devices that an expression gives, and none that are not of the run", async () => {
  const only = (expression: string) => ({
    parameters: {
      type: "object",
      properties: { names: { type: "array", items: { type: "string" }, default: [] } },
    },
    steps: [{ name: "push", kind: "push", only: expression, request: { config: ["only here"] } }],
  });
  await put("only", only("devices[$ != 'sw1']"));
  const some = await run("only", { devices: ["sw1", "sw2"] });
  expect(some.steps).toMatchObject([{ state: "finished", counts: { total: 1 } }]);
  expect([linesOf("192.0.2.1"), linesOf("192.0.2.2")]).toEqual([[], ["only here"]]);
  expect((await run("only", { devices: ["sw1"] })).steps).toMatchObject([
    { state: "skipped", reason: "`only` gives no devices" },
  ]);
  await put("only", only("parameters.names"));
  for (const name of ["sw3", "*", "all", "sw2 or all", "192.0.2.3"]) {
    const other = await run("only", { devices: ["sw1"], parameters: { names: [name] } });
    expect([name, other.state, other.reason]).toEqual([
      name,
      "failed",
      expect.stringContaining("which is no device of the run"),
    ]);
  }
  expect(linesOf("192.0.2.3")).toEqual([]);
});

test("what fails is tried again, alone, until it works or its tries are spent", async () => {
  await put("again", {
    steps: [
      {
        ...{ name: "wait", kind: "query", retry: { times: 5, every: 1 } },
        ...{ only: "devices", request: { command: "flaky 2" } },
      },
      { name: "said", kind: "value", request: { expression: "[steps.wait.results.result.retval.*]" } },
    ],
  });
  const tried = await run("again", { devices: ["sw1", "sw2"] });
  expect(tried.steps).toMatchObject([
    { state: "finished", tries: 2, counts: { total: 2, finished: 2, failed: 0 } },
    { value: ["ready", "ready"] },
  ]);
  await put("spent", {
    steps: [
      { name: "wait", kind: "query", retry: { times: 1, every: 1 }, request: { command: "flaky 9" } },
      { name: "after", kind: "query", request: { command: "show" } },
    ],
  });
  const spent = await run("spent", { devices: ["sw3"] });
  expect(spent.steps).toMatchObject([{ state: "failed", tries: 1 }, { state: "skipped" }]);
  expect(linesOf("192.0.2.3").filter((line) => line === "flaky 9")).toHaveLength(2);
});

test("what a step expects decides, and a failure that is ignored is none of the run", async () => {
  const { state, steps, reason } = await (async () => {
    await put("expects", {
      steps: [
        { name: "a", kind: "query", expect: "false", on_failure: "ignore", request: { command: "show a" } },
        { name: "b", kind: "value", expect: "steps.b.value > 2", request: { expression: "1 + 2" } },
      ],
    });
    return run("expects", { devices: ["sw1"] });
  })();
  expect([state, reason]).toEqual(["finished", null]);
  expect(steps).toMatchObject([
    { state: "failed", reason: "what it expects is not true: false" },
    { state: "finished", value: 3 },
  ]);
});

test("a step waits, and a cancel ends the wait", async () => {
  await put("waits", {
    parameters: { type: "object", properties: { s: { type: "integer", default: 1 }, w: { type: "string" } } },
    steps: [
      { name: "first", kind: "value", request: { expression: "1" } },
      { name: "then", kind: "push", wait: "{{ s }}", window: "{{ w }}", request: { config: ["waited"] } },
    ],
  });
  const waited = await run("waits", { devices: ["sw1"] });
  const [first, then] = waited.steps;
  expect(Date.parse(then?.started_at ?? "") - Date.parse(first?.ended_at ?? "")).toBeGreaterThanOrEqual(
    1_000,
  );
  const bad = await run("waits", { devices: ["sw1"], parameters: { w: "whenever" } });
  expect([bad.state, bad.reason]).toEqual(["failed", expect.stringContaining("window")]);
  const begun = await service.call<RunRecord>("POST", "/recipe/waits/run", {
    ...{ devices: ["sw1"], parameters: { s: 80_000 } },
  });
  const { id } = begun.body.data;
  await expect.poll(async () => (await read("waits", id)).steps[1]?.due_at).toBeTypeOf("string");
  await service.call("DELETE", `/recipe/waits/run/${id}`);
  expect(await ended("waits", id)).toMatchObject({ state: "cancelled", steps: [{}, { state: "cancelled" }] });
  expect(linesOf("192.0.2.1").filter((line) => line === "waited")).toHaveLength(1);
});

const noted = {
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  steps: [
    {
      ...{ name: "note", kind: "call" },
      request: {
        ...{ method: "PATCH", path: "/inventory/device/{{ each }}", each: "devices" },
        body: { vars: { note: "{{ word }}" } },
      },
    },
  ],
};

test("calls have the rights of whoever runs them, and are refused before anything begins", async () => {
  await put("noted", noted);
  const done = await run("noted", { devices: ["sw1", "sw2"], parameters: { word: "checked" } });
  expect(done.steps).toMatchObject([{ state: "finished", counts: { total: 2, finished: 2 } }]);
  const { body } = await service.call("GET", "/inventory/device/sw2");
  expect(body.data).toMatchObject({ vars: { note: "checked" } });
  const limits = { scope: "read", recipes: ["noted"], hosts: [], credentials: ["*"] };
  const made = await service.call<MadeKey>("POST", "/key", { name: "helpdesk", ...limits });
  const key = { "X-API-KEY": made.body.data.key };
  const request = { devices: ["sw1"], parameters: { word: "mine" } };
  const refused = await service.call("POST", "/recipe/noted/run", request, key);
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("admin")]);
});

test("no value leads a call to another address", async () => {
  await put("path", {
    parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    steps: [{ name: "read", kind: "call", request: { method: "GET", path: "/inventory/device/{{ name }}" } }],
  });
  for (const name of ["..", ".", "../key", "sw1/../../key", "sw1?x=1", "%2e%2e", "", " ", "sw1#", "\u2025"]) {
    const tried = await service.call<RunRecord>("POST", "/recipe/path/run", { parameters: { name } });
    if (tried.status === 422) continue;
    const over = await ended("path", tried.body.data.id);
    expect([name, over.state, over.steps[0]?.value ?? null]).toEqual([
      name,
      "failed",
      expect.toBeOneOf([null, { error: expect.any(String) }]),
    ]);
  }
  const paths = ["/key", "/session", "/recipe/x/run", "/inventory/device/a{{ name }}", "/../key", "/job/"];
  for (const path of paths) {
    const step = { name: "a", kind: "call", request: { method: "GET", path } };
    const parameters = { type: "object", properties: { name: { type: "string" } } };
    const { status, body } = await service.call("PUT", "/recipe/bad", { parameters, steps: [step] });
    expect([path, status, JSON.stringify(body)]).toEqual([
      path,
      422,
      expect.stringContaining("calls by GET"),
    ]);
  }
});

test("a value that is a word of another route is a name", async () => {
  await put("change", {
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    steps: [{ name: "read", kind: "call", request: { method: "GET", path: "/change/{{ id }}" } }],
  });
  // `GET /change/events` never ends.
  const over = await run("change", { parameters: { id: "events" } });
  expect(over).toMatchObject({
    state: "failed",
    steps: [{ value: { error: expect.stringContaining("no change") } }],
  });
});

test("a recipe that wants a dry run gets one of its caller, with the same values", async () => {
  await put("dry", {
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    policy: { dry_run_first: true },
    steps: [
      { name: "push", kind: "push", request: { config: ["dry {{ n }}"] } },
      { ...noted.steps[0], request: { ...noted.steps[0]?.request, body: { vars: { note: "after" } } } },
    ],
  });
  const body = { devices: ["sw1"], parameters: { n: 1 } };
  const asked = (of: object, headers = {}) => service.call<RunRecord>("POST", "/recipe/dry/run", of, headers);
  const refused = await asked(body);
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("dry run first")]);
  const dry = await run("dry", { ...body, dry_run: true });
  expect([dry.state, dry.dry_run]).toEqual(["finished", true]);
  expect(dry.steps).toMatchObject([
    { state: "finished" },
    { state: "skipped", reason: "a dry run leaves it out" },
  ]);
  expect(linesOf("192.0.2.1")).not.toContain("dry 1");
  for (const other of [{ parameters: { n: 2 } }, { devices: ["sw1", "sw2"] }])
    expect((await asked({ ...body, ...other })).status).toBe(409);
  const made = await service.call<MadeKey>("POST", "/key", { name: "other", scope: "admin" });
  expect((await asked(body, { "X-API-KEY": made.body.data.key })).status).toBe(409);
  expect((await run("dry", body)).state).toBe("finished");
  expect(linesOf("192.0.2.1").filter((line) => line === "dry 1")).toHaveLength(1);
  const what = { kind: "recipe", recipe: { name: "dry", parameters: { n: 1 }, devices: ["sw1"] } };
  const added = () =>
    service.call<{ id: string }>("POST", "/schedule", { ...{ name: "dry", cron: "0 3 * * *", what } });
  // Told when it is written, not when it is due.
  const hook = await service.call("POST", "/recipe/dry/hook", { name: "told", provider: "github" });
  for (const { status, body } of [await added(), hook])
    expect([status, body.message]).toEqual([403, expect.stringContaining("Take the policy out")]);
  const policy = { dry_run_first: true };
  const push = {
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    steps: [{ name: "push", kind: "push", request: { config: ["dry {{ n }}"] } }],
  };
  await put("dry", push);
  const schedule = await added();
  await put("dry", { ...push, policy });
  const fired = await service.call("POST", `/schedule/${schedule.body.data?.id}/run`);
  const firings = async () =>
    JSON.stringify((await service.call("GET", `/schedule/${schedule.body.data?.id}/firing`)).body.data);
  expect([schedule.status, fired.status < 300]).toEqual([201, true]);
  await expect.poll(firings, { timeout: 60_000 }).toContain("no schedule and no hook");
  await put("dry", {
    steps: [{ name: "push", kind: "push", request: { config: ["x"] } }],
    policy: { dry_run_first: true },
  });
  expect((await asked({ devices: ["sw1"] })).status).toBe(409);
});

test("a dry run counts for the devices that the selectors of its steps matched then", async () => {
  await put("own", {
    policy: { dry_run_first: true },
    steps: [
      { name: "push", kind: "push", request: { config: ["own line"], select: "tag:later or name:sw1" } },
    ],
  });
  const asked = () => service.call<RunRecord>("POST", "/recipe/own/run", {});
  expect((await run("own", { dry_run: true })).state).toBe("finished");
  await service.call("PATCH", "/inventory/device/sw2", { tags: ["later"] });
  expect((await asked()).status).toBe(409);
  expect((await run("own", { dry_run: true })).state).toBe("finished");
  expect((await asked()).status).toBe(201);
});

test("what would match nothing, or nothing is called by, is refused with what to write", async () => {
  const refused = async (recipe: object) => {
    const { status, body } = await service.call("PUT", "/recipe/wrong", recipe);
    return [status, JSON.stringify(body.data)];
  };
  const steps = [{ name: "a", kind: "query", request: { command: "show" } }];
  const parameters = { type: "object", properties: { site: { type: "string" } } };
  for (const selector of ['tag:"{{ site }}"', "tag:{{ site }}"])
    for (const name of ["select", "within"])
      expect(await refused({ parameters, devices: { [name]: selector }, steps })).toEqual([
        422,
        expect.stringContaining("holds no parameter"),
      ]);
  const call = { name: "a", kind: "call", request: { method: "GET", path: "/job?limit=5" } };
  expect(await refused({ steps: [call] })).toEqual([
    422,
    expect.stringContaining("the query parameter `limit`: write `path: /job`"),
  ]);
});

test("the shell shows a dry run, a table as CSV, and writes all outputs into a file", async () => {
  const someone = await loggedIn(service.url, adminKey, {});
  await put("table", {
    policy: { dry_run_first: true },
    steps: [
      { name: "asked", kind: "query", request: { command: "show" } },
      {
        ...{ name: "report", kind: "value" },
        request: { expression: "[steps.asked.results.{'device': device, 'said': result.retval.show}]" },
      },
    ],
  });
  const early = await someone.piped(["recipe", "run", "table", "--device", "sw1", "sw2"]);
  expect([early.code, early.err]).toEqual([expect.any(Number), expect.stringContaining("--dry-run")]);
  const dry = await someone.piped(["recipe", "run", "table", "--device", "sw1", "sw2", "--dry-run"]);
  expect([dry.code, dry.out]).toEqual([
    0,
    expect.stringMatching(/finished \(dry run\)[\s\S]*sw2 +answer to show/),
  ]);
  const made = await someone.piped(["recipe", "run", "table", "--device", "sw1", "sw2", "--json"]);
  const { id } = JSON.parse(made.out);
  const csv = await someone.piped(["recipe", "status", "table", id, "--step", "report", "--csv"]);
  expect(csv.out).toBe("device,said\r\nsw1,answer to show\r\nsw2,answer to show\r\n");
  const file = join(tempFolder(), "all.zip");
  expect((await someone.piped(["recipe", "download", "table", id, "-o", file])).code).toBe(0);
  expect(readFileSync(file).subarray(0, 2).toString()).toBe("PK");
  const shipped = await someone.piped(["recipe", "list", "--shipped"]);
  expect(shipped.out.trim().split("\n")).toHaveLength(11);
  expect((await someone.piped(["recipe", "install", "find-address", "--as", "find"])).code).toBe(0);
  expect((await someone.piped(["recipe", "install", "find-address", "--as", "find"])).code).not.toBe(0);
  expect((await service.call("GET", "/recipe/find")).status).toBe(200);
});
