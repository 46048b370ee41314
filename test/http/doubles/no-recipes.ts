/** Recipes of which there is one, with one run. */
import type { RecipeRecord, RunRecord } from "../../../src/api/recipes/recipe.ts";
import type { Hooks, Recipes } from "../../../src/recipes/port.ts";
import { doubleOf } from "./double.ts";

export const recipeRecord: RecipeRecord = {
  name: "vlan",
  version: 1,
  changed_at: "2026-01-01T00:00:00.000+00:00",
  changed_by: "name-admin",
  title: "Add a VLAN",
  parameters: { type: "object", properties: { vlan: { type: "integer" } }, required: ["vlan"] },
  steps: [{ name: "add", kind: "push", on_failure: "stop", request: { config: ["vlan {{ vlan }}"] } }],
};

export const runRecord: RunRecord = {
  ...{ id: "run-1", recipe: "vlan", version: 1, state: "running", reason: null },
  ...{ submitted_by: { kind: "key", name: "name-operate" }, ticket: null, note: null, devices: 1 },
  ...{ dry_run: false, proposed_by: null, expires_at: null, proposal: null },
  ...{ parameters: { vlan: 20 }, created_at: "2026-01-01T00:00:00.000+00:00", ended_at: null, steps: [] },
};

export const noRecipes = doubleOf<Recipes>({
  list: async () => [],
  runnable: async () => [],
  shipped: async () => [],
  put: async () => ({ record: recipeRecord, added: true }),
  check: async () => {},
  run: async () => runRecord,
  runs: async () => ({ runs: [], next: undefined }),
  ...{ proposable: async () => [], proposals: async () => [], proposal: async () => undefined },
  waitFor: async () => {},
});

export const noHooks = doubleOf<Hooks>({
  list: async () => [],
});
