/** What a value of a parameter tells of devices that its caller may not reach. */
import { expect, test } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import { createRecipes, type RecipeTools } from "../../src/recipes/recipes.ts";

const group = (name: string) => ({ name });
const device = (name: string, host: string, groups: readonly string[]) => ({ name, host, groups });
const devices = [device("near", "192.0.2.1", ["edge"]), device("far", "192.0.2.2", ["core"])];
const snapshot = {
  device: (name: string) => devices.find((one) => one.name === name),
  group: (name: string) => ["edge", "core"].map(group).find((one) => one.name === name),
  all: () => devices,
  groups: () => [group("core"), group("edge")],
};
const recipe = {
  parameters: {
    type: "object",
    properties: {
      device: { type: "string", format: "device" },
      group: { type: "string", format: "group" },
    },
  },
  steps: [{ name: "one", kind: "render", on_failure: "stop", request: { name: "jinja2", template: "x" } }],
};
const stored = { name: "r", version: 1, changedAt: 0, who: "w", document: JSON.stringify(recipe) };
const tools = {
  store: {
    recipes: {
      find: async () => stored,
      addRun: async () => "full",
    },
    makeId: () => "id",
    fingerprint: String,
  },
  jobs: { changeDevices: async () => [] },
  inventory: { snapshot: async () => snapshot },
  runner: {},
};

/** What a run that the checks let pass ends with: there is no room for it. */
const passed = "runs of recipes have not ended";

async function run(parameters: object, hosts: readonly string[]): Promise<string> {
  const caller = { keyId: "k", name: "limited", scope: "operate", hosts } as unknown as Caller;
  const value = { parameters };
  const body = { text: JSON.stringify(value), value };
  return createRecipes(tools as unknown as RecipeTools)
    .run("r", body, caller)
    .then(String, (error) => JSON.stringify([error.message, error.detail]));
}

test("a device or a group out of reach is one that is not there", async () => {
  for (const parameters of [{ device: "far" }, { device: "none" }, { group: "core" }, { group: "none" }])
    expect(await run(parameters, ["192.0.2.1"])).toContain("that is not there");
  expect(await run({ device: "near", group: "edge" }, ["192.0.2.1"])).toContain(passed);
  expect(await run({ device: "far", group: "core" }, [])).toContain(passed);
});
