/** Plugins whose own code is wrong: the answer or the job names the plugin and what is wrong with it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const wrong = `
import { defineCredentialSource, defineDriver, defineTemplateEngine, defineWebhook, secret, v } from "patchbay/plugin";
const schema = (validate) => ({ "~standard": { version: 1, vendor: "test", validate } });
const throws = () => { throw new Error("wrong, with canary-password"); };
const driver = (name, more) => defineDriver({
  name, connection: v.object({ host: v.string(), password: secret(v.string()), credential: v.optional(v.any()) }), query: v.object({}), configure: v.object({}),
  strategy: "fifo", target: ({ host }) => ({ host, port: 1 }), open: async () => ({ query: async () => "fine", configure: async () => "fine" }), ...more,
});
const acts = {
  undefined: () => { throw undefined; },
  object: () => { throw { code: 7 }; },
  long: () => { throw new Error("e".repeat(4 * 1024 * 1024)); },
  numbers: (ctx) => { ctx.warn(7); ctx.output(8); ctx.announce([9]); return "fine"; },
};
const templates = {
  nil: () => undefined, pro: () => Promise.resolve("text"), str: () => { throw "a string"; }, cir: () => { const a = {}; a.a = a; return a; },
};
export default [
  driver("d-fine", {}),
  driver("d-schema", { connection: schema(throws) }), driver("d-nothing", { connection: schema(() => undefined) }), driver("d-never", { query: schema(() => new Promise(() => {})) }),
  driver("d-check", { check: throws }), driver("d-check-text", { check: () => "no" }), driver("d-hops", { hops: throws }), driver("d-parsing", { parsing: throws }), driver("d-detaches", { detaches: throws }),
  driver("d-repeatable", { repeatable: throws }),
  driver("d-open", { open: async () => undefined }), driver("d-target", { target: () => undefined }),
  driver("d-acts", { open: async () => ({ query: async (command, args, ctx) => acts[command](ctx) }) }),
  defineWebhook({ name: "h-plan", options: v.object({ name: v.literal("h-plan") }), plan: throws, deliver: async () => ({ ok: true, status: 200 }) }),
  defineWebhook({ name: "h-none", options: v.object({ name: v.literal("h-none") }), plan: () => undefined, deliver: async () => ({ ok: true, status: 200 }) }),
  defineCredentialSource({ name: "c-identify", reference: v.object({ name: v.literal("c-identify") }), identify: throws, resolve: async () => ({}) }),
  defineTemplateEngine({ name: "t-render", does: "render", args: v.object({}), compile: (source) => ({ run: templates[source] }) }),
  defineTemplateEngine({ name: "t-parse", does: "parse", args: v.object({}), compile: (source) => ({ run: templates[source] }) }),
  defineTemplateEngine({ name: "t-compile", does: "render", args: v.object({}), compile: () => undefined }),
];`;

let service: Service;
beforeAll(async () => {
  const dataDir = tempFolder();
  mkdirSync(join(dataDir, "plugins"), { recursive: true });
  writeFileSync(join(dataDir, "plugins", "wrong.js"), wrong);
  service = await startService({ dataDir });
});
afterAll(() => service?.close());

const connection_args = { host: "127.0.0.1", password: "canary-password" };
const operation = (driver: string, more: object = {}) => ({
  driver,
  connection_args,
  command: "show",
  ...more,
});

describe("a request that a plugin's own code fails on is answered with the plugin and the function", () => {
  test.each<[string, object, string]>([
    [
      "a schema that throws",
      operation("d-schema"),
      "driver d-schema failed in `the schema of connection_args`: wrong",
    ],
    [
      "a schema without result",
      operation("d-nothing"),
      "driver d-nothing failed in `the schema of connection_args`: it",
    ],
    [
      "a schema that never ends",
      operation("d-never"),
      "driver d-never failed in `the schema of driver_args`: it gave",
    ],
    ["check", operation("d-check"), "driver d-check failed in `check`: wrong"],
    [
      "check without a list",
      operation("d-check-text"),
      "driver d-check-text failed in `check`: it returned no list",
    ],
    ["hops", operation("d-hops"), "driver d-hops failed in `hops`: wrong"],
    ["parsing", operation("d-parsing"), "driver d-parsing failed in `parsing`: wrong"],
    ["detaches", operation("d-detaches"), "driver d-detaches failed in `detaches`: wrong"],
    ["repeatable", operation("d-repeatable"), "driver d-repeatable failed in `repeatable`: wrong"],
    [
      "plan",
      operation("d-fine", { options: { webhook: { name: "h-plan" } } }),
      "webhook h-plan failed in `plan`: wrong",
    ],
    [
      "no plan",
      operation("d-fine", { options: { webhook: { name: "h-none" } } }),
      "webhook h-none failed in `plan`: it",
    ],
    [
      "identify",
      operation("d-fine", { connection_args: { ...connection_args, credential: { name: "c-identify" } } }),
      "credential source c-identify failed in `identify`: wrong",
    ],
  ])("%s", async (_what, body, message) => {
    const { status, body: answer } = await service.call("POST", "/device/execute", body);
    expect(status).toBe(500);
    expect(answer.message).toContain(message);
    expect(JSON.stringify(answer)).not.toContain("canary-password");
    expect(answer.data).toMatchObject({ type: "DriverError", error_id: expect.any(String) });
    expect(service.output()).not.toContain("canary-password");
  });

  test.each([
    [
      "render",
      "nil",
      "template engine t-render failed in `render`: `run` returned a value of type undefined",
    ],
    ["render", "pro", "template engine t-render failed in `render`: `run` returned a promise"],
    ["render", "str", "template engine t-render failed in `render`: a string"],
    ["parse", "pro", "template engine t-parse failed in `parse`: `run` returned a promise"],
    ["parse", "cir", "template engine t-parse failed in `parse`: "],
  ])("an engine: %s, %s", async (does, template, message) => {
    const { status, body } = await service.call("POST", `/template/${does}`, {
      name: `t-${does}`,
      template,
      context: does === "render" ? {} : "abc",
    });
    expect([status, body.message]).toEqual([500, expect.stringContaining(message)]);
  });

  test("an engine that compiles to nothing", async () => {
    const request = { name: "t-compile", template: "x", context: {} };
    const { body } = await service.call("POST", "/template/render", request);
    expect(body.message).toContain("template engine t-compile failed in `compile`: it returned no template");
  });
});

describe("a job whose driver is wrong says what is wrong", () => {
  const failure = async (driver: string, command = "show") => {
    const { status, result } = await service.run(operation(driver, { command }));
    expect(status).toBe("failed");
    return result?.error;
  };

  test("a driver that opens no session has sent nothing", async () => {
    const error = await failure("d-open");
    expect(error?.message).toContain("The driver d-open opened no session: `open` must return an object");
    expect(error).not.toHaveProperty("sent");
  });

  test("a driver without a target is named", async () => {
    expect((await failure("d-target"))?.message).toContain(
      "The driver d-target does not say which host and port",
    );
  });

  test.each([
    ["undefined", "undefined was thrown, which is no error."],
    ["object", "An object that is no error was thrown."],
  ])("what is thrown is no error: %s", async (command, message) => {
    expect((await failure("d-acts", command))?.message).toBe(message);
  });

  test("a message of megabytes is cut", async () => {
    const message = String((await failure("d-acts", "long"))?.message);
    expect(message.length).toBeLessThan(1.1 * 1024 * 1024);
    expect(message).toMatch(/e… \(cut\)$/);
  });

  test("warnings, output and lines that are no texts fail nothing", async () => {
    const { status, warnings } = await service.run(operation("d-acts", { command: "numbers" }));
    expect([status, warnings]).toEqual(["finished", ["7"]]);
  });
});
