/** Recipes and their runs. */
import * as v from "valibot";
import { textParameter } from "../../../api/filters.ts";
import {
  listedRecipe,
  listedRun,
  recipeRecord,
  recipeRequest,
  refusal,
  runRecord,
  runRequest,
  shippedRecipe,
} from "../../../api/recipes/recipe.ts";
import { versionRecord } from "../../../api/recipes/template.ts";
import { described, text } from "../../../api/schema.ts";
import { plainJson, success, successPage } from "../../answer/respond.ts";
import { conditionOf } from "../../precondition.ts";
import { limitParameter } from "../../query.ts";
import { route } from "../../route.ts";
import { idempotencyKey, preferredWait, waited } from "../jobs/device.ts";
import { versionAnswer, versionGiven, versionQuery } from "./versions.ts";

const defaultLimit = 100;
const path = "/recipe/:name";
const step = "Name of the recipe";
const item = "Id of the run";

const runRecipe = route({
  id: "runRecipe",
  method: "POST",
  path: "/recipe/:name/run",
  step,
  scope: "operate",
  runsRecipe: true,
  submits: true,
  summary: "Run a recipe",
  body: runRequest,
  answer: runRecord,
  created: true,
  async handle(call) {
    const { options, caller, name = "", request } = call;
    const { recipes } = options;
    const key = idempotencyKey(request);
    const { waitS } = preferredWait(request);
    const run = await recipes.run(name, await call.body(), caller, key);
    const headers = { Location: `/recipe/${encodeURIComponent(name)}/run/${run.id}` };
    if (waitS === undefined) return success(run, "success", 201, headers);
    call.doneWithBody();
    await waited(call, () => recipes.waitFor(run.id, waitS * 1_000, request.signal));
    const applied = { ...headers, "Preference-Applied": `wait=${waitS}` };
    return success(await recipes.readRun(name, run.id, caller), "success", 201, applied);
  },
});

export const recipeRoutes = [
  route({
    id: "listRecipes",
    method: "GET",
    path: "/recipe",
    scope: "read",
    summary: "List recipes by name",
    answer: v.array(listedRecipe),
    handle: ({ options, caller }) => options.recipes.list(caller),
  }),
  route({
    id: "listShippedRecipes",
    method: "GET",
    path: "/shipped-recipe",
    scope: "read",
    summary: "List the recipes that come with the program, which somebody can store under a name",
    answer: v.array(shippedRecipe),
    handle: ({ options, caller }) => options.recipes.shipped(caller),
  }),
  route({
    id: "readRecipe",
    method: "GET",
    path,
    step,
    scope: "read",
    summary: "Read a recipe, in the version in force or another one",
    query: versionQuery,
    answer: recipeRecord,
    gives: versionGiven,
    handle: async ({ options, name = "", caller }, { version }) =>
      versionAnswer(await options.recipes.read(name, caller, version)),
  }),
  route({
    id: "putRecipe",
    method: "PUT",
    path,
    grows: true,
    step,
    scope: "admin",
    summary: "Create (201) a recipe, or write its next version (200)",
    body: recipeRequest,
    headers: ["If-Match", "If-None-Match"],
    answer: recipeRecord,
    created: true,
    gives: versionGiven,
    fails: ["412"],
    async handle(call) {
      const { options, caller, name = "" } = call;
      const { record, added } = await options.recipes.put(name, await call.body(), caller, conditionOf(call));
      return versionAnswer(record, added);
    },
  }),
  route({
    id: "removeRecipe",
    method: "DELETE",
    path,
    step,
    scope: "admin",
    summary: "Remove a recipe with all its versions; its runs go on",
    headers: ["If-Match"],
    answer: described(text, "Its name"),
    fails: ["412"],
    async handle(call) {
      const { options, caller, name = "" } = call;
      await options.recipes.remove(name, caller, conditionOf(call));
      return name;
    },
  }),
  route({
    id: "describeRecipe",
    method: "GET",
    path: "/recipe/:name/openapi.json",
    step,
    scope: "read",
    summary: "The API description of a recipe: one operation, with its parameters",
    answer: described(v.record(text, v.unknown()), "An OpenAPI document"),
    stream: ["application/json"],
    async handle({ options, name = "", caller }) {
      const recipe = await options.recipes.read(name, caller);
      const { describeRecipe } = await import("../../openapi/recipe.ts");
      return plainJson(JSON.stringify(describeRecipe(options, runRecipe, recipe)));
    },
  }),
  route({
    id: "listRecipeVersions",
    method: "GET",
    path: "/recipe/:name/version",
    step,
    scope: "read",
    summary: "List the versions of a recipe that are kept, newest first",
    answer: v.array(versionRecord),
    handle: ({ options, name = "", caller }) => options.recipes.versions(name, caller),
  }),
  runRecipe,
  route({
    id: "listRecipeRuns",
    method: "GET",
    path: "/recipe/:name/run",
    step,
    scope: "read",
    summary: "List runs of a recipe, newest first",
    query: v.object({ limit: limitParameter, cursor: textParameter }),
    answer: v.array(listedRun),
    paged: true,
    async handle({ options, name = "", caller }, { limit = defaultLimit, cursor }) {
      const { runs, next } = await options.recipes.runs(name, caller, { limit, cursor });
      return successPage(runs, next);
    },
  }),
  route({
    id: "readRecipeRun",
    method: "GET",
    path: "/recipe/:name/run/:item",
    step,
    item,
    scope: "read",
    summary: "Read a run, with its steps",
    answer: runRecord,
    handle: ({ options, name = "", item: id = "", caller }) => options.recipes.readRun(name, id, caller),
  }),
  route({
    id: "listProposedRuns",
    method: "GET",
    path: "/proposed-run",
    scope: "read",
    summary: "List runs that agents propose and that the caller may accept or refuse, oldest first",
    answer: v.array(listedRun),
    handle: ({ options, caller }) => options.recipes.proposals(caller),
  }),
  route({
    id: "acceptProposedRun",
    method: "POST",
    path: "/recipe/:name/run/:item/accept",
    step,
    item,
    scope: "operate",
    runsRecipe: true,
    summary: "Accept a run that an agent proposes: it begins, with the rights of the caller, who is a person",
    answer: runRecord,
    fails: ["409"],
    handle: ({ options, name = "", item: id = "", caller }) => options.recipes.accept(name, id, caller),
  }),
  route({
    id: "refuseProposedRun",
    method: "POST",
    path: "/recipe/:name/run/:item/refuse",
    step,
    item,
    scope: "operate",
    runsRecipe: true,
    summary: "Refuse a run that an agent proposes",
    body: refusal,
    answer: runRecord,
    fails: ["409"],
    async handle(call) {
      const { options, name = "", item: id = "", caller } = call;
      return options.recipes.refuse(name, id, await call.body(), caller);
    },
  }),
  route({
    id: "cancelRecipeRun",
    method: "DELETE",
    path: "/recipe/:name/run/:item",
    step,
    item,
    scope: "operate",
    runsRecipe: true,
    summary:
      "Cancel a run: no step begins any more, and waiting jobs of its step are cancelled; one that is proposed is refused",
    answer: runRecord,
    refusable: true,
    handle: ({ options, name = "", item: id = "", caller }) => options.recipes.cancel(name, id, caller),
  }),
];
