/** Requests of netpalm for templates and services, as docs/guides/from-netpalm.md translates them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { journalDriver } from "../journal.ts";

const folder = tempFolder();
const { linesOf } = journalDriver(folder, { query: "return command;" });
let service: Service;
beforeAll(async () => {
  service = await startService({ plugins: [folder] });
  const devices = [{ name: "sw1", host: "192.0.2.1", driver: "journal" }];
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBeLessThan(300);
});
afterAll(() => service.stop());

/** What netpalm takes as `base64_payload`. */
const payload = (text: string) => Buffer.from(text).toString("base64");
const textOf = (base64: string) => Buffer.from(base64, "base64").toString();

test("templates are added, listed, read, rendered, pushed and removed", async () => {
  const added = {
    vlan: { engine: "jinja2", template: textOf(payload("vlan {{ a }}")) },
    names: { engine: "ttp", template: textOf(payload("name {{ name }}")) },
    fsm: { engine: "textfsm", template: "Value Name (\\S+)\n\nStart\n  ^name ${Name} -> Record\n" },
  };
  for (const [name, template] of Object.entries(added))
    expect((await service.call("PUT", `/template/${name}`, template)).status).toBe(201);
  expect((await service.call("GET", "/template")).body.data).toMatchObject([
    { name: "fsm", engine: "textfsm" },
    { name: "names", engine: "ttp" },
    { name: "vlan", engine: "jinja2" },
  ]);
  expect((await service.call("GET", "/template/vlan")).body.data).toMatchObject(added.vlan);
  const render = { template: "template://vlan", context: { a: 1 } };
  expect((await service.call("POST", "/template/render", render)).body.data).toBe("vlan 1");
  const parse = { template: "template://names", context: "name x\n" };
  expect((await service.call("POST", "/template/parse", parse)).body.data).toEqual([{ name: "x" }]);
  const lines = { template: "template://fsm", context: "name y\n" };
  expect((await service.call("POST", "/template/parse", lines)).body.data).toEqual([{ Name: "y" }]);
  const pushed = await service.call(
    ...(["POST", "/device/execute"] as const),
    { device: "sw1", rendering: { name: "jinja2", template: "template://vlan" }, config: { a: 1 } },
    { Prefer: "wait=60" },
  );
  expect(pushed.body.data).toMatchObject({ status: "finished", templates: ["vlan/1"] });
  expect(linesOf("192.0.2.1")).toEqual(["vlan 1"]);
  expect((await service.call("DELETE", "/template/names")).status).toBe(200);
  expect((await service.call("GET", "/template/names")).status).toBe(404);
});

test("a service is a recipe, an instance one of its runs", async () => {
  const recipe = {
    parameters: { type: "object", required: ["vlan"], properties: { vlan: { type: "integer" } } },
    devices: { select: "name:sw1" },
    steps: [{ name: "add", kind: "push", request: { config: ["vlan {{ vlan }}"] } }],
  };
  expect((await service.call("PUT", "/recipe/lan", recipe)).status).toBe(201);
  const run = (parameters: object) =>
    service.call<RunRecord>("POST", "/recipe/lan/run", { parameters }, { Prefer: "wait=60" });
  const { id, state } = (await run({ vlan: 20 })).body.data;
  expect(state).toBe("finished");
  const instance = await service.call<RunRecord>("GET", `/recipe/lan/run/${id}`);
  expect(instance.body.data.parameters).toEqual({ vlan: 20 });
  expect((await run(instance.body.data.parameters)).body.data.state).toBe("finished");
  expect(linesOf("192.0.2.1").slice(-2)).toEqual(["vlan 20", "vlan 20"]);
  const validate = {
    ...recipe,
    steps: [
      { name: "look", kind: "query", request: { command: "vlan {{ vlan }}" } },
      {
        ...{ name: "there", kind: "value", expect: "steps.there.value" },
        request: { expression: '$contains($string(steps.look.results), "vlan 20")' },
      },
    ],
  };
  expect((await service.call("PUT", "/recipe/lan-validate", validate)).status).toBe(201);
  const validated = async (vlan: number) =>
    (
      await service.call<RunRecord>(
        ...(["POST", "/recipe/lan-validate/run", { parameters: { vlan } }, { Prefer: "wait=60" }] as const),
      )
    ).body.data.state;
  expect([await validated(20), await validated(30)]).toEqual(["finished", "failed"]);
});
