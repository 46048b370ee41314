/** A plugin that changes objects of the language breaks nothing but its own work. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../src/testkit/service.ts";

const late = `
import { defineDriver, defineTemplateEngine, v } from "patchbay/plugin";
const changes = {
  object: () => { Object.prototype.careless = 1; },
  map: () => { Map.prototype.get = () => "wrong"; },
  json: () => { JSON.stringify = () => '"wrong"'; },
  global: () => { globalThis.JSON = { stringify: () => "wrong", parse: () => "wrong" }; },
  regexp: () => { const { exec } = RegExp.prototype; RegExp.prototype.exec = function (text) { return exec.call(this, "wrong"); }; },
  promise: () => { Promise.prototype.then = () => "wrong"; },
  own: () => { class Mine extends Error { constructor() { super("mine"); this.name = "Mine"; } } const one = { toString: () => "one" }; one.constructor = 1; return String(one) + new Mine().name; },
};
export default [
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

test("objects keep members of their own that they could inherit", async () => {
  expect(await run("own")).toMatchObject({ type: "success", retval: { own: "oneMine" } });
});

test("a plugin that changes them while it loads is refused by name, and the service works", async () => {
  const { data } = (await service.call("GET", "/plugin")).body;
  expect(JSON.stringify(data)).toMatch(/early\.js.*cannot be changed/);
  await othersAreRight();
});
