/** Stored templates: written in versions with their tests, and used by name wherever a template is given. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import {
  type TemplateRecord,
  type TemplateTests,
  templateLimits,
} from "../../../src/api/recipes/template.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { journalDriver } from "../journal.ts";
import { loggedIn, type Operator } from "../terminal.ts";

const folder = tempFolder();
const { linesOf } = journalDriver(folder, {
  query: 'return "name " + command + "\\n";',
  configure: `
    if (lines.some((line) => line.startsWith("fail"))) throw new Error("the device refuses");
    for (const line of lines) write(line);
    return "done";`,
});

let service: Service;
let someone: Operator;

const ntp = {
  engine: "jinja2",
  title: "NTP servers",
  template: "{% for one in servers %}\nntp server {{ one }}\n{% endfor %}",
  args: { trim_blocks: true },
  tests: [{ name: "two", context: { servers: ["a", "b"] }, expected: "ntp server a\nntp server b\n" }],
};
const names = {
  engine: "textfsm",
  template: "Value Name (\\S+)\n\nStart\n  ^name ${Name} -> Record\n",
  tests: [{ context: "name a\nname b\n", expected: [{ Name: "a" }, { Name: "b" }] }],
};

beforeAll(async () => {
  service = await startService({ plugins: [folder] });
  someone = await loggedIn(service.url, adminKey, {});
  const devices = ["sw1", "sw2"].map((name, at) => ({
    ...{ name, host: `192.0.2.${at + 1}`, driver: "journal" },
  }));
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBeLessThan(300);
  await put("ntp", ntp);
  await put("names", names);
});
afterAll(() => service.stop());

async function put(name: string, template: object, headers: Record<string, string> = {}) {
  const answer = await service.call<TemplateRecord>("PUT", `/template/${name}`, template, headers);
  expect([answer.status, answer.body]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
  return answer;
}

async function job(path: string, body: object) {
  const { status, body: said } = await service.call<JobRecord>("POST", path, body, { Prefer: "wait=60" });
  expect([status, said]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
  return said.data;
}

const record = async (id: string) => (await service.call<JobRecord[]>("GET", `/job?id=${id}`)).body.data[0];

const push = (more: object = {}) => ({
  ...{ device: "sw1", config: { servers: ["a"] }, rendering: { name: "jinja2", template: "template://ntp" } },
  ...more,
});

test("is written in versions under an ETag, and lists tell of it", async () => {
  expect((await service.call("PUT", "/template/one", ntp, { "If-None-Match": "*" })).status).toBe(201);
  expect((await service.call("PUT", "/template/one", ntp, { "If-None-Match": "*" })).status).toBe(412);
  const second = await service.call("PUT", "/template/one", { ...ntp, title: "x" }, { "If-Match": '"1"' });
  expect([second.status, second.headers.get("etag")]).toEqual([200, '"2"']);
  expect((await service.call("PUT", "/template/one", ntp, { "If-Match": '"1"' })).status).toBe(412);
  expect((await service.call("GET", "/template/one?version=1")).body.data).toMatchObject({
    ...ntp,
    version: 1,
  });
  expect((await service.call("GET", "/template/version/one")).body.data).toMatchObject([
    { version: 2, changed_by: "configured" },
    { version: 1 },
  ]);
  expect((await service.call("GET", "/template")).body.data).toContainEqual(
    expect.objectContaining({ name: "one", version: 2, engine: "jinja2", title: "x", tests: 1 }),
  );
  expect((await service.call("DELETE", "/template/one", undefined, { "If-Match": '"1"' })).status).toBe(412);
  expect((await service.call("DELETE", "/template/one")).status).toBe(200);
  expect((await service.call("GET", "/template/one")).status).toBe(404);
});

test.each<[object, string]>([
  [{ ...ntp, tests: [{ context: { servers: ["a"] }, expected: "ntp a\n" }] }, "tests.0"],
  [{ ...names, tests: [{ context: "name a", expected: [] }] }, "tests.0"],
  [{ ...names, tests: [{ context: {}, expected: [] }] }, "tests.0.context"],
  [{ ...ntp, tests: [{ context: {}, expected: [] }] }, "tests.0.expected"],
  [{ engine: "jinja2", template: "{% if %}" }, "template"],
  [{ engine: "textfsm", template: "Value Name (\\S+)\n\nStart\n  ^name $Na{me\n" }, "template"],
  [{ engine: "eta", template: "x" }, "engine"],
  [{ engine: "json", template: "x" }, "engine"],
  [{ engine: "none", template: "x" }, "engine"],
  [{ engine: "jinja2", template: "http://192.0.2.1/x" }, "template"],
  [{ engine: "jinja2", template: "template://other" }, "template"],
  [{ engine: "jinja2", template: "file:///etc/passwd" }, "template"],
  [{ engine: "jinja2", template: "" }, "template"],
  [{ engine: "jinja2", template: "x".repeat(templateLimits.textChars + 1) }, "template"],
  [{ engine: "jinja2", template: "x", args: { odd: 1 } }, "args.odd"],
  [{ engine: "jinja2", template: "x", more: 1 }, "more"],
  [{ ...ntp, tests: Array.from({ length: templateLimits.tests + 1 }, () => ntp.tests[0]) }, "tests"],
])("one that is not sound is refused (%#)", async (template, path) => {
  const { status, body } = await service.call("PUT", "/template/bad", template);
  expect([status, body.data]).toEqual([422, expect.arrayContaining([expect.objectContaining({ path })])]);
  expect((await service.call("GET", "/template/bad")).status).toBe(404);
});

test("a name that is a word of the address, and a body that is too large, are refused", async () => {
  for (const name of ["render", "parse", "test", "version", "..", "a%2Fb", "x".repeat(65)])
    expect((await service.call("PUT", `/template/${name}`, ntp)).status).toBeOneOf([404, 405, 422]);
  const tests = Array.from({ length: 40 }, () => ({ context: { a: "x".repeat(20_000) }, expected: "x" }));
  expect((await service.call("PUT", "/template/large", { ...ntp, tests })).status).toBe(413);
});

test("tests are run, of the stored one and of a draft, and say what is another one", async () => {
  const run = (name: string, body: object) =>
    service.call<TemplateTests>("POST", `/template/test/${name}`, body);
  expect((await run("ntp", {})).body.data).toEqual({
    passed: true,
    tests: [{ name: "two", passed: true, message: null }],
    warnings: [],
  });
  const wrong = { ...ntp, template: "ntp {{ servers }}" };
  expect((await run("unknown", { draft: wrong })).body.data).toEqual({
    passed: false,
    tests: [
      {
        ...{ name: "two", passed: false },
        message: expect.stringMatching(/^line 1 is "ntp \[.*\]", expected "ntp server a"$/),
      },
    ],
    warnings: [],
  });
  const { body } = await run("names", { draft: { ...names, template: names.template.replace("name ", "") } });
  expect(body.data.tests[0]?.message).toBe('record 1 is {"Name":"name"}, expected {"Name":"a"}');
  expect((await run("unknown", {})).status).toBe(404);
  expect((await run("ntp", { odd: 1 })).status).toBe(422);
});

test("a job has the text of the version that it names, and says which", async () => {
  const made = await job("/device/execute", push());
  expect(made).toMatchObject({ status: "finished", templates: ["ntp/1"] });
  expect(linesOf("192.0.2.1")).toEqual(["ntp server a"]);
  const query = { device: "sw1", command: "a", parsing: { name: "textfsm", template: "template://names/1" } };
  expect(await job("/device/execute", query)).toMatchObject({
    result: { retval: { a: [{ Name: "a" }] } },
    templates: ["names/1"],
  });
  const inline = { device: "sw1", command: "a", parsing: { name: "textfsm", template: names.template } };
  expect(await job("/device/execute", inline)).not.toHaveProperty("templates");
});

test("a bare name, and a text of several lines, are the texts that they always were", async () => {
  const render = (template: string) =>
    service.call<string>("POST", "/template/render", { template, context: { servers: ["a"] } });
  expect((await render("ntp")).body.data).toBe("ntp");
  expect((await render("template://ntp\nand more")).body.data).toBe("template://ntp\nand more");
  expect((await render("template://ntp")).body.data).toBe("ntp server a\n");
  expect((await render("TEMPLATE://ntp/1\n")).body.data).toBe("ntp server a\n");
});

test.each<[object, string]>([
  [push({ rendering: { name: "jinja2", template: "template://none" } }), "rendering.template"],
  [push({ rendering: { name: "jinja2", template: "template://ntp/9" } }), "rendering.template"],
  [push({ rendering: { name: "jinja2", template: "template://two words" } }), "rendering.template"],
  [push({ rendering: { name: "jinja2", template: "template://names" } }), "rendering.name"],
  [
    push({ rendering: null, options: { rendering: { name: "jinja2", template: "template://x" } } }),
    "options.rendering.template",
  ],
  [{ device: "sw1", command: "a", parsing: { name: "ttp", template: "template://names" } }, "parsing.name"],
])("a name that stands for nothing is refused: %j", async (body, path) => {
  const { status, body: said } = await service.call("POST", "/device/execute", body);
  expect([status, said.data]).toEqual([422, expect.arrayContaining([expect.objectContaining({ path })])]);
});

test("a job that waits, and one that is tried again, keep the version of their time", async () => {
  await put("kept", { engine: "jinja2", template: "kept one {{ word }}" });
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const waiting = await service.call<JobRecord>("POST", "/device/execute", {
    ...{ device: "sw2", config: { word: "x" }, not_before: soon },
    rendering: { name: "jinja2", template: "template://kept" },
  });
  await put("kept", { engine: "jinja2", template: "fail {{ word }}" });
  const failed = await job("/device/execute", {
    ...{ device: "sw2", config: { word: "x" } },
    rendering: { name: "jinja2", template: "template://kept" },
  });
  expect(failed).toMatchObject({ status: "failed", templates: ["kept/2"] });
  await put("kept", { engine: "jinja2", template: "kept three {{ word }}" });
  const again = await job(`/job/${failed.id}/retry`, { force: true });
  expect(again).toMatchObject({ status: "failed", templates: ["kept/2"], retry_of: failed.id });
  expect((await service.call("DELETE", "/template/kept")).status).toBe(200);
  expect((await service.call("POST", `/job/release?id=${waiting.body.data.id}`)).status).toBe(200);
  await service.ended(waiting.body.data.id);
  expect(linesOf("192.0.2.2")).toEqual(["kept one x"]);
  expect(await record(waiting.body.data.id)).toMatchObject({ templates: ["kept/1"] });
  const gone = await service.call("POST", `/job/${failed.id}/retry`, { force: true });
  const refused = [422, expect.stringContaining("version 2")];
  expect([gone.status, JSON.stringify(gone.body)]).toEqual(refused);
  // Under the same name there is another one now: its versions are none of those before.
  for (const word of ["other", "another"]) await put("kept", { engine: "jinja2", template: word });
  const other = await service.call("POST", `/job/${failed.id}/retry`, { force: true });
  expect([other.status, JSON.stringify(other.body)]).toEqual(refused);
});

test("bulks, checks, further templates and recipes name them", async () => {
  const bulk = await service.call<{ bulk_id: string }>(
    "POST",
    "/device/bulk",
    {
      ...{ devices: [{ device: "sw1" }, { device: "sw2" }], config: { servers: ["bulk"] } },
      rendering: {
        name: "jinja2",
        ...{
          template: '{% include "ntp" %}',
          templates: { ntp: "template://ntp" },
          args: { trim_blocks: true },
        },
      },
      checks: {
        after: [
          {
            ...{ command: "x", parse: { name: "textfsm", template: "template://names" } },
            ...{ expression: "$count($)", equals: 1 },
          },
        ],
      },
    },
    { Prefer: "wait=60" },
  );
  const jobs = await service.call<JobRecord[]>("GET", `/job?bulk_id=${bulk.body.data.bulk_id}`);
  for (const one of jobs.body.data)
    expect(one).toMatchObject({ status: "finished", templates: ["ntp/1", "names/1"] });
  expect(linesOf("192.0.2.2")).toContain("ntp server bulk");
  const recipe = {
    parameters: { type: "object", properties: { servers: { type: "array", items: { type: "string" } } } },
    steps: [
      { name: "say", kind: "render", request: { template: "template://ntp" } },
      {
        ...{ name: "send", kind: "push" },
        request: { rendering: { name: "jinja2", template: "template://ntp" } },
      },
    ],
  };
  expect((await service.call("PUT", "/recipe/ntp", recipe)).status).toBe(201);
  const run = await service.call(
    ...(["POST", "/recipe/ntp/run", { devices: ["sw1"], parameters: { servers: ["run"] } }] as const),
    { Prefer: "wait=60" },
  );
  expect(run.body.data).toMatchObject({ state: "finished", steps: [{ text: "ntp server run\n" }, {}] });
  expect(linesOf("192.0.2.1")).toContain("ntp server run");
  const step = {
    ...recipe.steps[1],
    request: { rendering: { name: "jinja2", template: "template://none" } },
  };
  const refused = await service.call("PUT", "/recipe/none", { steps: [step] });
  expect([refused.status, refused.body.data]).toEqual([
    422,
    [expect.objectContaining({ path: "steps.0.request.rendering.template" })],
  ]);
});

test("a change keeps the version that it was drafted with; an intent follows the template", async () => {
  const draft = { name: "ntp", select: "name:sw1", config: { servers: ["a"] } };
  const rendering = { name: "jinja2", template: "template://ntp" };
  const change = await service.call<{ request: object }>("POST", "/change", { ...draft, rendering });
  expect(change.body.data.request).toMatchObject({ rendering: { template: "template://ntp/1" } });
  const intent = { select: "all", rendering, sections: [{ name: "ntp", match: ["ntp *"] }] };
  expect((await service.call("PUT", "/intent/ntp", intent)).status).toBe(201);
  const none = { ...intent, rendering: { ...rendering, template: "template://none" } };
  const refused = await service.call("PUT", "/intent/none", none);
  expect([refused.status, refused.body.data]).toEqual([
    422,
    [expect.objectContaining({ path: "rendering.template" })],
  ]);
});

test("a short name makes no bulk larger than its bounds, and few may be named", async () => {
  await put("large", { engine: "jinja2", template: "! ".repeat(templateLimits.textChars / 2) });
  const devices = Array.from({ length: 5_000 }, (_, at) => ({ host: `198.51.${at >> 8}.${at & 255}` }));
  const body = { driver: "journal", config: {}, rendering: { name: "jinja2", template: "template://large" } };
  const { status } = await service.call("POST", "/device/bulk", { ...body, devices });
  expect(status).toBe(413);
  const templates = Object.fromEntries(
    Array.from({ length: templateLimits.named + 1 }, (_, at) => [`t${at}`, `template://ntp/${at + 1}`]),
  );
  const many = await service.call("POST", "/template/render", { template: "x", templates });
  expect([many.status, JSON.stringify(many.body)]).toEqual([422, expect.stringContaining("more than 20")]);
});

test("everybody with `operate` uses them, and admins of all hosts write them", async () => {
  const keyOf = async (more: object) => ({
    "X-API-KEY": (await service.call<{ key: string }>("POST", "/key", more)).body.data.key,
  });
  const reader = await keyOf({ name: "reader", scope: "read" });
  const operator = await keyOf({ name: "operator", scope: "operate", hosts: ["192.0.2.1"] });
  const limited = await keyOf({ name: "limited", scope: "admin", hosts: ["192.0.2.1"] });
  const status = async (method: string, path: string, body: object | undefined, headers: object) =>
    (await service.call(method, path, body, { ...headers })).status;
  expect(await status("GET", "/template/ntp", undefined, reader)).toBe(200);
  expect(await status("POST", "/template/test/ntp", {}, reader)).toBe(403);
  expect(await status("POST", "/template/test/ntp", {}, operator)).toBe(200);
  for (const headers of [reader, operator, limited]) {
    expect(await status("PUT", "/template/ntp", ntp, headers)).toBe(403);
    expect(await status("DELETE", "/template/ntp", undefined, headers)).toBe(403);
  }
  expect(await status("POST", "/device/execute", push(), operator)).toBeLessThan(300);
  expect(await status("POST", "/device/execute", push({ device: "sw2" }), operator)).toBeGreaterThan(400);
});

test("from the shell: put, test, list, show, delete", async () => {
  const path = join(folder, "shell.yaml");
  writeFileSync(
    path,
    'engine: jinja2\ntemplate: "hello {{ name }}"\ntests:\n  - {name: plain, context: {name: you}, expected: hello you}\n',
  );
  expect(await someone.piped(["template", "put", "shell", path])).toMatchObject({ code: 0 });
  const tested = await someone.piped(["template", "test", "shell"]);
  expect([tested.code, tested.out]).toEqual([0, "ok shell: plain\n"]);
  writeFileSync(join(folder, "draft.yaml"), readFileSync(path, "utf8").replace("hello you", "bye"));
  const draft = await someone.piped(["template", "test", "shell", "--file", join(folder, "draft.yaml")]);
  expect([draft.code, draft.out]).toEqual([
    1,
    'failed shell: plain: line 1 is "hello you", expected "bye"\n',
  ]);
  expect((await someone.piped(["template", "put", "shell", join(folder, "draft.yaml")])).code).not.toBe(0);
  expect((await someone.piped(["template", "list"])).out).toMatch(/shell +jinja2/);
  expect((await someone.piped(["template", "versions", "shell"])).out).toMatch(/^ *version/);
  expect(JSON.parse((await someone.piped(["template", "show", "shell"])).out)).toMatchObject({
    template: "hello {{ name }}",
  });
  expect((await someone.piped(["template", "remove", "shell", "--yes"])).code).toBe(0);
});
