/** Recipes of which there is one, with one run. */
import type { RecipeRecord, RunRecord } from "../../../src/api/recipes/recipe.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Hooks, Recipes } from "../../../src/recipes/port.ts";

const notThere = () => Promise.reject(new ServiceError("NotFound", "There is no recipe with that name."));

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

export const noRecipes: Recipes = {
  list: async () => [],
  runnable: async () => [],
  shipped: async () => [],
  read: notThere,
  put: async () => ({ record: recipeRecord, added: true }),
  remove: notThere,
  versions: notThere,
  proven: notThere,
  check: async () => {},
  run: async () => runRecord,
  runs: async () => ({ runs: [], next: undefined }),
  readRun: notThere,
  cancel: notThere,
  ...{ proposable: async () => [], proposals: async () => [], proposal: async () => undefined },
  ...{ propose: notThere, accept: notThere, refuse: notThere },
  waitFor: async () => {},
};

export const noHooks: Hooks = {
  list: async () => [],
  read: notThere,
  add: notThere,
  change: notThere,
  remove: notThere,
  receive: notThere,
};
