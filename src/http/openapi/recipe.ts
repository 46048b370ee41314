/** The description of one recipe: the operation that runs it, with its parameters as they are. */

import { createHash } from "node:crypto";
import * as v from "valibot";
import { type RecipeParameter, type RecipeRecord, runRequest } from "../../api/recipes/recipe.ts";
import { type JsonSchema, jsonSchemaOfValibot } from "../../base/json/json-schema.ts";
import { isGiven, isRecord } from "../../base/json/members.ts";
import type { HttpOptions } from "../port.ts";
import type { DescribedRoute } from "../route.ts";
import { documentOf } from "./document.ts";

/** @param route of POST /recipe/{name}/run */
export function describeRecipe(
  options: Pick<HttpOptions, "apiVersion" | "keyInQuery" | "pluginSchemas">,
  { body: _, ...route }: DescribedRoute,
  recipe: RecipeRecord,
): JsonSchema {
  const { name, title, version } = recipe;
  const path = `/recipe/${name}/run`;
  const own = { ...route, path, id: idOf(name), summary: title || `Run ${name}` };
  const {
    paths,
    components,
    webhooks: __,
    info,
    tags,
    ...rest
  } = documentOf(options, options.pluginSchemas(), [own], false);
  const item = paths[path];
  const post = isRecord(item) && isRecord(item.post) ? item.post : {};
  const operation = { ...post, ...ownWords(recipe) };
  const described = { [path]: { post: operation } };
  return {
    ...rest,
    info: { ...info, title: title || name, version: String(version) },
    tags: tags.filter((tag) => JSON.stringify(post.tags ?? []).includes(JSON.stringify(tag.name))),
    paths: described,
    components: {
      ...components,
      responses: referred(components.responses, "responses", [described]),
      schemas: referred(components.schemas, "schemas", [described, components.responses]),
    },
  };
}

const anyPath = "/recipe/{name}/run";
const documentShape = v.looseObject({
  paths: v.looseObject({
    [anyPath]: v.looseObject({ post: v.looseObject({ parameters: v.array(v.unknown()) }) }),
  }),
});
const inPath = v.looseObject({ in: v.literal("path") });

/** The whole document with an operation for each of the recipes, all but their bodies as that of any recipe. */
export function withRecipes(json: string, recipes: readonly RecipeRecord[]): string {
  const document = v.parse(v.pipe(v.string(), v.parseJson(), documentShape), json);
  const { post } = document.paths[anyPath];
  const parameters = post.parameters.filter((one) => !v.is(inPath, one));
  const ids = new Set<string>();
  const own = recipes.map((recipe) => {
    const { name, title } = recipe;
    const operationId = ids.has(idOf(name)) ? `${idOf(name)}_${hashOf(name)}` : idOf(name);
    ids.add(operationId);
    const words = { operationId, summary: title || `Run ${name}`, ...ownWords(recipe) };
    return [`/recipe/${name}/run`, { post: { ...post, parameters, ...words } }];
  });
  return JSON.stringify({ ...document, paths: { ...document.paths, ...Object.fromEntries(own) } });
}

const idOf = (name: string) => `run_${name.replace(/\W/g, "_")}`;
const hashOf = (name: string) => createHash("sha256").update(name).digest("hex").slice(0, 8);

function ownWords(recipe: RecipeRecord): JsonSchema {
  const { description } = recipe;
  return {
    ...(description ? { description } : {}),
    requestBody: { required: true, content: { "application/json": { schema: bodyOf(recipe) } } },
  };
}

/** The components that the document names, and those that these name. */
function referred(all: JsonSchema, kind: string, from: readonly object[]): JsonSchema {
  const found = new Map<string, unknown>();
  const queue: unknown[] = [...from];
  for (let part = queue.pop(); part !== undefined; part = queue.pop())
    for (const [, name = ""] of JSON.stringify(part).matchAll(
      new RegExp(`"#/components/${kind}/([^"]+)"`, "g"),
    )) {
      if (found.has(name) || !Object.hasOwn(all, name)) continue;
      found.set(name, all[name]);
      queue.push(all[name]);
    }
  return Object.fromEntries(found);
}

/** What POST /recipe/{name}/run takes of this recipe. */
function bodyOf({ parameters, devices, ticket, version }: RecipeRecord): JsonSchema {
  const { properties = {} } = jsonSchemaOfValibot(runRequest);
  const members: Record<string, unknown> = isRecord(properties) ? { ...properties } : {};
  if (isGiven(devices?.select)) {
    delete members.devices;
    delete members.select;
  }
  const required = parameters?.required ?? [];
  return {
    type: "object",
    additionalProperties: false,
    properties: {
      ...members,
      version: { type: "integer", const: version, description: "Refused once another version is in force" },
      ...(isGiven(ticket) ? { ticket: { type: "string", pattern: ticket } } : {}),
      parameters: {
        type: "object",
        additionalProperties: false,
        properties: Object.fromEntries(
          Object.entries(parameters?.properties ?? {}).map(([name, one]) => [name, schemaOf(one)]),
        ),
        ...(required.length === 0 ? {} : { required }),
      },
    },
    required: [...(required.length === 0 ? [] : ["parameters"]), ...(isGiven(ticket) ? ["ticket"] : [])],
  };
}

const formats = {
  device: { "x-format": "device" },
  group: { "x-format": "group" },
  multiline: {},
  secret: { format: "password", writeOnly: true },
} as const;

/** Words of a form that JSON Schema does not know are marked. */
function schemaOf(one: RecipeParameter | NonNullable<RecipeParameter["items"]>): JsonSchema {
  const { format, ...words } = one;
  const given = Object.fromEntries(Object.entries(words).filter(([, value]) => isGiven(value)));
  return {
    ...given,
    ...(isGiven(format) ? formats[format ?? "multiline"] : {}),
    ...("items" in one && one.items ? { items: schemaOf(one.items) } : {}),
  };
}
