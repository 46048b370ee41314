/** The description of one recipe: the operation that runs it, with its parameters as they are. */
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
  const { name, title, description, version } = recipe;
  const path = `/recipe/${name}/run`;
  const own = { ...route, path, id: `run_${name.replace(/\W/g, "_")}`, summary: title || `Run ${name}` };
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
  const operation = {
    ...post,
    ...(description ? { description } : {}),
    requestBody: { required: true, content: { "application/json": { schema: bodyOf(recipe) } } },
  };
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
