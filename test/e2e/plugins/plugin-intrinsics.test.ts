/** A careless plugin breaks nothing but its own work: objects of the language, ends of the process, sizes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const late = `
import { defineDriver, defineTemplateEngine, defineWebhook, v } from "patchbay/plugin";
const changes = {
  object: () => { Object.prototype.careless = 1; },
  map: () => { Map.prototype.get = () => "wrong"; },
  json: () => { JSON.stringify = () => '"wrong"'; },
  global: () => { globalThis.JSON = { stringify: () => "wrong", parse: () => "wrong" }; },
  regexp: () => { const { exec } = RegExp.prototype; RegExp.prototype.exec = function (text) { return exec.call(this, "wrong"); }; },
  promise: () => { Promise.prototype.then = () => "wrong"; },
  members: () => { const all = {}; for (let at = 0; at < 600_000; at++) all["k" + at] = at; return all; },
  exit: () => process.exit(0),
  abort: () => process.abort(),
  own: () => { class Mine extends Error { constructor() { super("mine"); this.name = "Mine"; } } const one = { toString: () => "one" }; one.constructor = 1; return String(one) + new Mine().name; },
};
const planning = (name, plan) => defineWebhook({ name, options: v.object({ name: v.literal(name) }), plan: () => plan, deliver: async () => ({ ok: true, status: 200 }) });
export default [
  planning("for-ever", { retries: 1e9, intervals: [0] }), planning("at-once", { intervals: [-1] }), planning("slow", { timeout: 1e6 }),
  defineDriver({
    name: "careless", connection: v.object({ host: v.string() }), query: v.object({}), configure: v.object({}),
    strategy: "fifo", target: ({ host }) => ({ host, port: 1 }),
    open: async () => ({ query: async (command) => changes[command]() ?? "done", configure: async () => "" }),
  }),
  defineTemplateEngine({ name: "careless-engine", does: "parse", args: v.object({}), compile: (source) => ({ run: () => [{ done: changes[source]() ?? "done" }] }) }),
];`;
const early = 'import { v } from "patchbay/plugin";\nJSON.parse = () => ({});\nexport default [];';

let service: Service;
beforeAll(async () => {
  const dataDir = tempFolder();
  mkdirSync(join(dataDir, "plugins"), { recursive: true });
  writeFileSync(join(dataDir, "plugins", "late.js"), late);
  writeFileSync(join(dataDir, "plugins", "early.js"), early);
  service = await startService({ dataDir });
});
afterAll(() => service?.close());

const parse = (name: string, template: string, context: string) =>
  service.call("POST", `/template/parse/${name}`, { name, template, context });
const textfsm = "Value NAME (\\S+)\nValue AGE (\\d+)\n\nStart\n  ^${NAME} is ${AGE} -> Record\n";

async function othersAreRight(): Promise<void> {
  const parsed = await parse("textfsm", textfsm, "ann is 30\nbob is 41\n");
  expect(parsed.body).toMatchObject({
    code: 200,
    data: [
      { NAME: "ann", AGE: "30" },
      { NAME: "bob", AGE: "41" },
    ],
  });
  const render = {
    name: "jinja2",
    template: "{{ a | join('-') }} {{ b.c }}",
    context: { a: [1, 2], b: { c: "x" } },
  };
  expect((await service.call("POST", "/template/render", render)).body).toMatchObject({ data: "1-2 x" });
}

const run = async (command: string) => {
  const job = await service.run({ driver: "careless", connection_args: { host: "127.0.0.1" }, command });
  return job.result;
};

test.each(["object", "map", "json", "global", "promise"])(
  "what is frozen refuses the change, in one sentence: %s",
  async (what) => {
    const refused = expect.stringMatching(/shared by all plugins and cannot be changed/);
    expect(await run(what)).toMatchObject({
      type: "failed",
      error: { type: "DriverError", message: refused },
    });
    expect((await parse("careless-engine", what, "x")).body).toMatchObject({ code: -1, message: refused });
    await othersAreRight();
  },
);

test("what is watched is put back, and the result not used", async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, () => parse("careless-engine", "regexp", "x")));
  for (const { body } of answers)
    expect(body).toMatchObject({
      code: -1,
      message: expect.stringMatching(/A plugin changed RegExp\.prototype/),
    });
  await othersAreRight();
  await run("regexp");
  await othersAreRight();
});

test.each(["exit", "abort"])(
  "a plugin that would end its thread or process fails by itself: process.%s",
  async (what) => {
    const told = expect.stringContaining(`it called process.${what}, which would end the work of others`);
    expect(await run(what)).toMatchObject({ type: "failed", error: { type: "DriverError", message: told } });
    // The text of a template is masked in what an engine says.
    const { message } = (await parse("careless-engine", what, "x")).body;
    expect(message).toMatch(
      /engine careless-engine failed in `parse`: it called process\.\S+, which would end/,
    );
    expect(service.output()).not.toMatch(/pool\.(?:thread|process)_(?:lost|crashed)/);
    await othersAreRight();
  },
);

test("what a plugin returns is bounded: the members of an output", async () => {
  const message = "The driver returned more than 500,000 values for one command.";
  expect(await run("members")).toMatchObject({ type: "failed", error: { type: "OutputTooLarge", message } });
});

test.each([
  ["for-ever", "`retries` must be at most 100"],
  ["at-once", "`intervals` must be at least 0"],
  ["slow", "`timeout` must be at most 120 seconds"],
])("what a plugin plans is bounded: the webhook %s", async (name, message) => {
  const request = {
    driver: "careless",
    connection_args: { host: "127.0.0.1" },
    command: "own",
    options: { webhook: { name } },
  };
  const { status, body } = await service.call("POST", "/device/execute", request);
  expect([status, body]).toMatchObject([
    500,
    { code: -1, message: `The webhook ${name} failed in \`plan\`: ${message}` },
  ]);
});

test("objects keep members of their own that they could inherit", async () => {
  expect(await run("own")).toMatchObject({ type: "success", retval: { own: "oneMine" } });
});

test("a plugin that changes them while it loads is refused by name, and the service works", async () => {
  const { data } = (await service.call("GET", "/plugin")).body;
  expect(JSON.stringify(data)).toMatch(/early\.js.*cannot be changed/);
  await othersAreRight();
});
