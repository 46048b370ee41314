/** Tools for recipes: which ones an agent may propose, and a proposal, which only a person begins. */
import * as v from "valibot";
import { type RecipeRecord, recipeName, runRequest } from "../../api/recipes/recipe.ts";
import { described } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";
import { isGiven } from "../../base/json/members.ts";
import { escaped } from "../marking.ts";
import { deviceName, reads, selector, tool, untrustedWord } from "../tool.ts";
import { linkToRun, shownRun } from "./devices.ts";

const listedAtOnce = 20;
const { parameters, version, ticket, dry_run } = runRequest.entries;

const isPlain = (value: unknown): boolean =>
  typeof value === "string"
    ? escaped(value) === value
    : typeof value !== "object" || value === null || Object.values(value).every(isPlain);

function shownRecipe({
  name,
  title,
  description,
  parameters,
  devices,
  ticket,
  policy,
  steps,
  ...one
}: RecipeRecord) {
  const properties = Object.entries(parameters?.properties ?? {});
  const secrets = properties.flatMap(([name, { format }]) => (format === "secret" ? [name] : []));
  const needed = secrets.filter((secret) => parameters?.required?.includes(secret));
  return {
    ...{ name, version: one.version, title: title ?? null, description: description ?? null },
    parameters: parameters ?? { type: "object", properties: {} },
    devices: devices ?? null,
    ...(isGiven(ticket) ? { ticket } : {}),
    dry_run_first: policy?.dry_run_first === true,
    steps: steps.map(({ name, kind }) => ({ name, kind })),
    ...(needed.length === 0
      ? {}
      : { not_proposable: `it needs ${needed.join(", ")}, a secret, which no agent gives` }),
  };
}

export const recipes = tool({
  name: "recipes",
  title: "List recipes",
  description:
    "Lists the recipes, operations that somebody has stored, whose runs this key may propose with `propose_run`: their names, titles, and the JSON Schema of their parameters.",
  annotations: reads,
  input: v.strictObject({
    name: v.optional(described(recipeName, "This one only")),
    after: v.optional(described(v.pipe(v.string(), v.maxLength(64)), "`next` of the answer before")),
  }),
  output: v.object({
    next: described(
      v.nullable(v.string()),
      `There are more than ${listedAtOnce}: the \`after\` of the next call`,
    ),
    untrusted: described(v.object({ recipes: v.array(v.unknown()) }), untrustedWord),
  }),
  async run({ name, after }, { caller }, services) {
    const found = await services.recipes.proposable(caller, { name, after, limit: listedAtOnce + 1 });
    if (name !== undefined && found.length === 0)
      throw new ServiceError("NotFound", "There is no such recipe that this key may propose.");
    const shown = found.slice(0, listedAtOnce);
    return {
      next: found.length > shown.length ? (shown.at(-1)?.name ?? null) : null,
      untrusted: { recipes: shown.map(shownRecipe) },
    };
  },
});

export const proposeRun = tool({
  name: "propose_run",
  title: "Propose a run of a recipe",
  description:
    "Proposes a run of a recipe with values for its parameters. The values are checked; nothing is asked or sent before a person who may run the recipe has read them with your reason and accepted them, which you cannot do. Returns a link for that person. The same call again returns the same proposal.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: v.strictObject({
    recipe: described(recipeName, "Its name, as `recipes` lists it"),
    reason: described(
      v.pipe(v.string(), v.minLength(10), v.maxLength(2_000)),
      "Why, for the person who decides: what was seen, and what the run does",
    ),
    parameters: v.optional(described(parameters, "Values by name; no secrets")),
    devices: v.optional(
      described(
        v.pipe(v.array(deviceName), v.minLength(1), v.maxLength(1_000)),
        "Names of inventory devices, if the recipe does not say which it has",
      ),
    ),
    select: v.optional(selector),
    version: v.optional(described(version, "The version that you have read; another one is refused")),
    ticket: v.optional(ticket),
    dry_run: v.optional(described(dry_run, "`true`: its pushes and changes are dry runs")),
  }),
  output: v.object({
    run: described(v.string(), "Its id: the tool `job` reads it"),
    state: described(v.string(), "`proposed`: a person must accept it"),
    link: described(v.string(), "Where a person reads it and decides, after signing in"),
    version: v.number(),
    devices: v.number(),
    expires_at: v.nullable(v.string()),
    untrusted: described(v.object({ run: v.unknown() }), untrustedWord),
  }),
  async run({ recipe, reason, ...asked }, { caller, acting, onceKey, origin }, services) {
    // Who accepts it sees all of it.
    if (!isPlain(asked))
      throw new ServiceError(
        "Forbidden",
        "A value has characters that cannot be seen, which an agent does not propose: leave them out.",
      );
    const value = Object.fromEntries(Object.entries(asked).filter(([, one]) => isGiven(one)));
    const body = { text: JSON.stringify(value), value };
    const how = { reason: escaped(reason), key: `agent ${onceKey}`, acting };
    const run = await services.recipes.propose(recipe, body, how, caller);
    const { id, state, version, devices, expires_at } = run;
    return {
      ...{ run: id, state, link: linkToRun(origin, run), version, devices, expires_at },
      untrusted: { run: shownRun(run) },
    };
  },
});
