/** Builds GET /openapi.json from the schemas that validate requests. */

import { signatureHeader, webhookMessage } from "../../api/webhooks/webhook-message.ts";
import { type JsonSchema, withComponents, withObjectsNamed } from "../../base/json/json-schema.ts";
import type { PluginSchemas } from "../../registry/plugin-schemas.ts";
import type { Call } from "../call.ts";
import type { HttpOptions } from "../port.ts";
import { aliases } from "../request/aliases.ts";
import { sessionCookie } from "../request/auth.ts";
import type { DescribedRoute } from "../route.ts";
import { failureSchemas } from "./failures.ts";
import { type Described, failureResponses, type Operation, operation, operationIdOf } from "./operation.ts";
import { type RequestSchemas, requestSchemas } from "./requests.ts";
import { anyObject, refTo, text } from "./schema.ts";
import { parameterWords, type Status, tags } from "./words.ts";

type DescribedPaths = Readonly<Record<string, Readonly<Record<string, Described>>>>;
type Settings = Pick<HttpOptions, "apiVersion" | "keyInQuery" | "pluginSchemas">;

const about = `Network device automation over HTTP. Each answer is \`{"code", "message", "data"}\`: \`code\` is 200, or -1 \
on failure, with the reason in \`message\` and \`data\`.`;

/** The document depends on the loaded plugins only, so its text is cached until they are reloaded. */
type Texts = WeakMap<Settings, { readonly parts: readonly object[]; readonly text: string }>;
const texts: Readonly<Record<"all" | "own", Texts>> = { all: new WeakMap(), own: new WeakMap() };

/** As JSON. @param withAliases whether the operations that are another one under another path are included */
export function describeApi(
  { options }: Pick<Call, "options">,
  definitions: readonly DescribedRoute[],
  withAliases: boolean,
): string {
  const plugins = options.pluginSchemas();
  const parts = [
    ...plugins.drivers,
    ...plugins.webhooks,
    ...plugins.credentials,
    ...plugins.formats,
    ...plugins.sources,
  ];
  const cached = texts[withAliases ? "all" : "own"].get(options);
  if (cached?.parts.length === parts.length && parts.every((part, at) => part === cached.parts[at]))
    return cached.text;
  const text = JSON.stringify(documentOf(options, plugins, definitions, withAliases));
  texts[withAliases ? "all" : "own"].set(options, { parts, text });
  return text;
}

export function documentOf(
  options: Settings,
  plugins: PluginSchemas,
  definitions: readonly DescribedRoute[],
  withAliases: boolean,
) {
  const requests = requestSchemas(plugins);
  const components: Record<string, JsonSchema> = {};
  const all = allDescribed(definitions, plugins, components);
  const paths = {
    ...Object.fromEntries(
      Object.entries(all).map(([path, methods]) => [path, operations(path, methods, requests)]),
    ),
    ...Object.fromEntries(
      (withAliases ? aliases : []).map((alias) => [alias.path, aliasOf(alias, all, requests)]),
    ),
  };
  const webhooks = webhooksOf(components);
  const schemas = { ...failureSchemas, ...components, ...requests.schemas };
  return {
    openapi: "3.1.0",
    info: {
      title: "Patchbay",
      version: options.apiVersion,
      description: about,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The service that returned this document" }],
    security: [
      { header: [] },
      ...(options.keyInQuery ? [{ query: [] }] : []),
      { cookie: [] },
      { bearer: [] },
      { session: [] },
    ],
    tags: [...Object.values(tags), webhookTag],
    paths: withFreeObjects(paths),
    webhooks: withFreeObjects(webhooks),
    components: {
      securitySchemes: {
        header: { type: "apiKey", in: "header", name: "X-API-KEY" },
        ...(options.keyInQuery ? { query: { type: "apiKey", in: "query", name: "X-API-KEY" } } : {}),
        cookie: { type: "apiKey", in: "cookie", name: "X-API-KEY" },
        bearer: { type: "http", scheme: "bearer" },
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookie,
          description: "A login session, started by POST /session",
        },
      },
      responses: used(failureResponses, paths),
      schemas: { ...withFreeObjects(schemas), Members: requests.schemas.Members },
    },
  };
}

/** One component stands for all objects whose members may be anything. */
const withFreeObjects = (part: JsonSchema) => withObjectsNamed(part, refTo("Members").$ref);

/** Probes, which have no definition. */
const open: DescribedPaths = {
  "/livez": { get: { summary: "Liveness probe", data: { const: "ok" }, open: true } },
  "/readyz": { get: { summary: "Readiness probe", data: { const: "ok" }, open: true } },
};

/** By path and method. */
function allDescribed(
  definitions: readonly DescribedRoute[],
  plugins: PluginSchemas,
  components: Record<string, JsonSchema>,
): DescribedPaths {
  const all: Record<string, Record<string, Described>> = {};
  for (const route of definitions) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    all[path] = {
      ...all[path],
      [route.method.toLowerCase()]: describedOf({ ...route, ...route.varies?.(plugins) }, components),
    };
  }
  return { ...all, ...open };
}

/** Removes statuses that no route returns. */
function used(responses: Record<string, object>, paths: object) {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(responses).filter(([status]) => text.includes(`#/components/responses/${status}"`)),
  );
}

function operations(path: string, methods: Record<string, Described>, requests: RequestSchemas) {
  return Object.fromEntries(
    Object.entries(methods).map(([method, described]) => [
      method,
      operation(method, path, described, requests),
    ]),
  );
}

/** The same operations; path parameters are removed from the query. */
function aliasOf(
  { path, is, parameter }: (typeof aliases)[number],
  all: DescribedPaths,
  requests: RequestSchemas,
) {
  const same: [string, Operation][] = Object.entries(operations(is, all[is] ?? {}, requests));
  return Object.fromEntries(
    same.map(([method, { parameters = [], ...rest }]) => {
      const otherParameters = parameters.filter(({ name }) => name !== parameter);
      const step = {
        name: parameter,
        in: "path",
        required: true,
        description: parameterWords[parameter ?? ""],
        schema: text,
      };
      const allParameters = parameter === undefined ? otherParameters : [step, ...otherParameters];
      return [
        method,
        {
          ...rest,
          operationId: operationIdOf(method, path),
          summary: `The same as ${method.toUpperCase()} ${is}`,
          deprecated: false,
          "x-alias-of": `${method.toUpperCase()} ${is}`,
          ...(allParameters.length > 0 ? { parameters: allParameters } : {}),
        },
      ];
    }),
  );
}

/** Failures of every route that takes a body. */
const ofBody: readonly Status[] = ["400", "413", "415", "422"];

/** A stream of events; `contentSchema` describes one of them. */
const eventStream = (events: JsonSchema) => ({
  type: "string",
  contentMediaType: "text/event-stream",
  contentSchema: events,
});

/** What the API description says of a route. Adds the components that its answer refers to. */
function describedOf(route: DescribedRoute, components: Record<string, JsonSchema>): Described {
  const { id, summary, answer, beside, query, body, created, refusable, submits, paged, takes } = route;
  const hasBody = body !== undefined || takes !== undefined;
  const gives = {
    ...(paged ? { "X-Next-Cursor": "Cursor of the next page; absent on the last" } : {}),
    ...(submits ? { "Preference-Applied": "The wait that was applied" } : {}),
    ...route.gives,
  };
  return {
    id,
    summary,
    ...(route.right === undefined ? {} : { right: route.right }),
    ...(route.scope === undefined ? { open: true } : {}),
    data:
      route.events === undefined
        ? withComponents(answer, components)
        : eventStream(withComponents(route.events, components)),
    query,
    headers: [
      ...(submits ? (["Prefer", "Idempotency-Key"] as const) : []),
      ...(route.events ? (["Last-Event-ID"] as const) : []),
      ...(route.headers ?? []),
    ],
    fails: [
      ...(hasBody ? ofBody : []),
      ...(submits ? (["409"] as const) : []),
      ...(route.path.includes(":") && !(created && route.method === "PUT") ? (["404"] as const) : []),
      ...(paged || route.events ? (["400"] as const) : []),
      ...(route.fails ?? []),
    ],
    ...(Object.keys(gives).length > 0 ? { gives } : {}),
    ...(beside === undefined ? {} : { beside: propertiesOf(withComponents(beside, components)) }),
    ...(body === undefined ? {} : { body }),
    ...(created ? { created } : {}),
    ...(refusable ? { refusable } : {}),
    ...(route.events === undefined ? {} : { stream: "text/event-stream", resumable: true }),
    ...(route.stream === undefined ? {} : { stream: route.stream }),
    ...(takes === "text" ? { text: true } : {}),
    ...(takes === "bytes" ? { bytes: true } : {}),
    path: { name: route.step, item: route.item },
  };
}

const propertiesOf = ({ properties }: JsonSchema): object =>
  typeof properties === "object" && properties !== null ? properties : {};

/** Adds the message to the components. */
const webhooksOf = (components: Record<string, JsonSchema>) => ({
  jobEnded: {
    post: {
      operationId: "jobEnded",
      tags: ["Webhooks"],
      summary: "A job has ended",
      description:
        "Sent to `options.webhook.url` at least once; a 2xx answer confirms delivery, otherwise it is retried.",
      security: [],
      parameters: [
        {
          name: signatureHeader,
          in: "header",
          description: '`t=<unix>,v1=<hex HMAC-SHA256 of "t.body">`, with `options.webhook.secret`',
          schema: text,
        },
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: withComponents(webhookMessage, components) } },
      },
      responses: {
        "2XX": { description: "Delivered" },
        "4XX": { description: "The delivery is retried", content: { "*/*": { schema: anyObject } } },
      },
    },
  },
});

const webhookTag = { name: "Webhooks", description: "Requests sent by the service." };
