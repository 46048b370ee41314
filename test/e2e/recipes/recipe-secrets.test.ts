/** A secret as a parameter of a recipe reaches its device, and nobody else. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const secret = "Canary-7f3a-91c2-Secret";
const folder = tempFolder();
const dataDir = tempFolder();
const journal = join(tempFolder(), "journal");
const driver = `
import { appendFileSync } from "node:fs";
import { defineDriver, v } from "patchbay/plugin";
export default defineDriver({
  name: "journal", strategy: "fifo", target: ({ host }) => ({ host, port: 1 }),
  connection: v.object({ host: v.string(), password: v.optional(v.string()) }),
  query: v.object({}), configure: v.object({}), repeatable: (operation) => operation === "query",
  async open({ connection: { password } }) {
    return {
      async query(command) { return "logged in with " + password; },
      async configure(lines) {
        for (const line of lines) appendFileSync(${JSON.stringify(journal)}, line + "\\n");
        return "done: " + lines.join(", ");
      },
    };
  },
});`;
const recipe = {
  parameters: {
    type: "object",
    required: ["new_password"],
    properties: {
      new_password: { type: "string", format: "secret" },
      name: { type: "string", default: "noc" },
    },
  },
  steps: [
    {
      ...{ name: "change", kind: "push" },
      request: { rendering: { name: "jinja2", template: "username {{ name }} secret {{ new_password }}" } },
    },
    {
      ...{ name: "login", kind: "query", when: "parameters.new_password = '[secret]'" },
      request: { command: "show clock", connection_args: { password: "{{ new_password }}" } },
    },
    {
      ...{ name: "say", kind: "render" },
      request: { name: "jinja2", template: "It is {{ new_password }} now.", context: {} },
    },
  ],
};
let service: Service;

beforeAll(async () => {
  writeFileSync(join(folder, "journal.mjs"), driver);
  service = await startService({ plugins: [folder], dataDir });
  const added = await service.call("POST", "/inventory/device", {
    devices: [{ name: "sw1", host: "192.0.2.1", driver: "journal" }],
  });
  expect(added.status).toBeLessThan(300);
  const put = await service.call("PUT", "/recipe/password", recipe);
  expect([put.status, put.body]).toEqual([201, expect.anything()]);
});
afterAll(() => service.stop());

function filesBelow(place: string): string[] {
  return readdirSync(place).flatMap((name) => {
    const path = join(place, name);
    return statSync(path).isDirectory() ? filesBelow(path) : statSync(path).isFile() ? [path] : [];
  });
}

test("it is used, and shown nowhere: records, outputs, audit trail, log and files of the service", async () => {
  const body = { parameters: { new_password: secret }, devices: ["sw1"] };
  const headers = { Prefer: "wait=60", "Idempotency-Key": "one" };
  const run = await service.call<RunRecord>("POST", "/recipe/password/run", body, headers);
  expect(run.body.data).toMatchObject({
    state: "finished",
    parameters: { new_password: "[secret]", name: "noc" },
    steps: [{ state: "finished" }, { state: "finished" }, { text: "It is [secret] now." }],
  });
  expect(readFileSync(journal, "utf8")).toBe(`username noc secret ${secret}\n`);
  const seen = [JSON.stringify(run.body)];
  for (const path of [
    ...[`/recipe/password/run/${run.body.data.id}`, "/recipe/password/run", "/job", "/bulk", "/audit"],
    ...run.body.data.steps.flatMap(({ bulk_id }) =>
      bulk_id === null ? [] : [`/bulk/${bulk_id}`, `/job?bulk_id=${bulk_id}`],
    ),
  ])
    seen.push(JSON.stringify((await service.call("GET", path)).body));
  const jobs = await service.call<{ id: string; result: unknown }[]>("GET", "/job");
  for (const { id } of jobs.body.data) {
    const answer = await service.call("GET", `/job?id=${id}`);
    seen.push(
      JSON.stringify(answer.body),
      JSON.stringify((await service.call("GET", `/job/${id}/sent`)).body),
    );
  }
  expect(jobs.body.data).toHaveLength(2);
  expect(JSON.stringify(jobs.body.data)).toContain("logged in with [secret]");
  for (const text of [...seen, service.output()]) expect(text).not.toContain(secret);
  expect(existsSync(dataDir)).toBe(true);
  for (const path of filesBelow(dataDir))
    expect([path, readFileSync(path).includes(secret)]).toEqual([path, false]);
  // A repeat is known by its fingerprint.
  const again = await service.call<RunRecord>("POST", "/recipe/password/run", body, headers);
  expect(again.body.data.id).toBe(run.body.data.id);
});

test.each<[object, string]>([
  [{ properties: { word: { type: "string", format: "secret" } } }, "parameters.properties.word"],
  [
    { properties: { new_password: { type: "string", format: "secret", default: "abcdef" } } },
    "parameters.properties.new_password.default",
  ],
  [
    { properties: { new_password: { type: "string", format: "secret", enum: ["abcdef"] } } },
    "parameters.properties.new_password.enum",
  ],
  [
    { properties: { passwords: { type: "array", items: { type: "string", format: "secret" } } } },
    "parameters.properties.passwords.items.format",
  ],
])("a secret that could be seen is refused: %j", async (parameters, path) => {
  const steps = [{ name: "say", kind: "render", request: { template: "x" } }];
  const { status, body } = await service.call("PUT", "/recipe/bad", {
    parameters: { type: "object", ...parameters },
    steps,
  });
  expect([status, body.data]).toEqual([422, expect.arrayContaining([expect.objectContaining({ path })])]);
});

test.each<[object, string]>([
  [{ config: ["secret {{ new_password }}"] }, "config.0"],
  [{ config: ["{{ new_password }}"] }, "config.0"],
  [{ command: "show {{ new_password }}" }, "command"],
  [{ config: { word: "{{ new_password }}" }, rendering: { name: "jinja2", template: "x" } }, "config.word"],
  [{ command: "x", connection_args: { password: "a{{ new_password }}" } }, "connection_args.password"],
  [{ command: "x", note: "{{ new_password }}" }, "note"],
  [{ command: "x", label: "{{ new_password }}" }, "label"],
])("it is not put where it would be seen: %j", async (request, path) => {
  const kind = "command" in request ? "query" : "push";
  const steps = [{ name: "one", kind, request }];
  const { status, body } = await service.call("PUT", "/recipe/bad", { ...recipe, steps });
  const at = `steps.0.request.${path}`;
  expect([status, body.data]).toEqual([422, expect.arrayContaining([expect.objectContaining({ path: at })])]);
});

test("a short one, and one in a schedule, are refused", async () => {
  const short = { parameters: { new_password: "abc" }, devices: ["sw1"] };
  expect((await service.call("POST", "/recipe/password/run", short)).status).toBe(422);
  const run = { name: "password", parameters: { new_password: secret }, devices: ["sw1"] };
  const made = await service.call("POST", "/schedule", {
    ...{ name: "nightly", every: "1h", what: { kind: "recipe", recipe: run } },
  });
  expect([made.status, made.body.data]).toEqual([
    422,
    [expect.objectContaining({ path: "what.recipe.parameters.new_password" })],
  ]);
  expect(JSON.stringify(made.body)).not.toContain(secret);
});
