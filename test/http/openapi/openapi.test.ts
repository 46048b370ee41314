/** GET /openapi.json matches the actual API. */
import { expect, test } from "vitest";
import { writtenSource } from "../../../src/api/inventory/inventory-source.ts";
import { failureSchemas } from "../../../src/http/openapi/failures.ts";
import { aliases } from "../../../src/http/request/aliases.ts";
import { definitions, openDefinitions } from "../../../src/http/route-table.ts";
import { jobRecord, ticket, workerRecord } from "../doubles/fixtures.ts";
import { describedWith } from "./fixtures.ts";

const operationsOf = async () => {
  const { paths } = await describedWith();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method} ${path}`, operation })),
  );
};

test("is an OpenAPI 3.1 document of version 0.2", async () => {
  const document = await describedWith();
  expect(document.openapi).toBe("3.1.0");
  expect(document.info.version).toBe("0.2");
  expect(document.servers.map(({ url }) => url)).toEqual(["/"]);
});

test("describes exactly the existing routes", async () => {
  const described = (await operationsOf()).map(({ route }) => route);
  const named = ({ method, path }: { method: string; path: string }) =>
    `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`;
  const same = aliases.flatMap(({ path, is }) =>
    definitions
      .filter((route) => route.path.replaceAll(/:(\w+)/g, "{$1}") === is)
      .map(({ method }) => `${method.toLowerCase()} ${path}`),
  );
  const own = [...definitions, ...openDefinitions].map(named);
  expect(described.sort()).toEqual([...own, ...same, "get /livez", "get /readyz"].sort());
});

test("includes the newer aliases of job, bulk and detached task paths", () => {
  const plural = /^\/(job|bulk|detached-task)(?=\/|$)/;
  const paths = [...new Set(definitions.map(({ path }) => path.replaceAll(/:(\w+)/g, "{$1}")))];
  const missing = paths.filter((path) => plural.test(path) && !aliases.some(({ is }) => is === path));
  expect(missing).toEqual([]);
});

test.each([true, false])("marks aliases, and leaves them out on request; without a key: %s", async (open) => {
  const whole = await describedWith({ openDescription: open });
  const own = await describedWith({ openDescription: open }, [], "?aliases=false");
  const marked = Object.entries(whole.paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap((operation) => (operation["x-alias-of"] === undefined ? [] : [path])),
  );
  expect([...new Set(marked)].sort()).toEqual(aliases.map(({ path }) => path).sort());
  expect(Object.keys(own.paths)).toEqual(Object.keys(whole.paths).filter((path) => !marked.includes(path)));
  const { get: jobs } = whole.paths["/jobs/{id}"] ?? {};
  expect(jobs).toMatchObject({ "x-alias-of": "GET /job", deprecated: false });
  expect(own.components.schemas).toEqual(whole.components.schemas);
});

interface Untyped {
  readonly at: string;
  readonly reason: unknown;
}

/** Schemas of values that may be anything: `unknown` in a client made from the document. */
function untypedIn(node: unknown, at: string): Untyped[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([word, value]: [string, unknown]): Untyped[] => {
    const path = `${at}/${word}`;
    if (word === "examples") return [];
    const isSchema = /\/(?:properties\/[^/]+|(?:any|one|all)Of\/\d+|items|schema|additionalProperties)$/.test(
      path,
    );
    if (!isSchema || typeof value !== "object" || value === null) return untypedIn(value, path);
    const { description: reason, ...rest } = Object.fromEntries(Object.entries(value));
    // The reason for free members stands at their object.
    const why = word === "additionalProperties" ? Reflect.get(node, "description") : reason;
    return Object.keys(rest).length === 0 ? [{ at: path, reason: why }] : untypedIn(value, path);
  });
}

test("leaves at most 40 values without a type, each with its reason", async () => {
  const untyped = untypedIn(await describedWith({}, [], "?aliases=false"), "");
  expect(untyped.filter(({ reason }) => !reason)).toEqual([]);
  expect(untyped.length).toBeGreaterThan(10);
  expect(untyped.length).toBeLessThanOrEqual(40);
});

test("gives each operation an id, a described tag and described parameters", async () => {
  const { tags } = await describedWith();
  const operations = await operationsOf();
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain("submitJob");
  const names = tags.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { operation } of operations) expect(names).toEqual(expect.arrayContaining(operation.tags));
  const silent = operations.flatMap(({ route, operation }) =>
    (operation.parameters ?? [])
      .filter(({ description }) => !description)
      .map(({ name }) => `${route} ${name}`),
  );
  expect(silent).toEqual([]);
});

test("has no dangling references", async () => {
  const document = await describedWith();
  const names = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]*)"/g)];
  expect(names.length).toBeGreaterThan(200);
  const { schemas, responses } = document.components;
  const there = { schemas: Object.keys(schemas), responses: Object.keys(responses) };
  for (const [, kind = "", name = ""] of names) expect(Reflect.get(there, kind)).toContain(name);
});

test("has a component for each JSON body, with every field described", async () => {
  const { components } = await describedWith();
  const bodies = (await operationsOf()).flatMap(({ route, operation }) => {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    return schema === undefined ? [] : [{ route, schema }];
  });
  expect(bodies.filter(({ schema }) => schema.$ref === undefined)).toEqual([]);
  const silent = bodies.flatMap(({ route, schema }) => {
    const { properties } = components.schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? {};
    const fields = Object.entries(properties ?? {}).filter(([, field]) => !field.description);
    return fields.map(([name]) => `${route} ${name}`);
  });
  expect(silent).toEqual([]);
});

test("describes query and path parameters", async () => {
  const { paths } = await describedWith();
  const names = (path: string, method: string) =>
    paths[path]?.[method]?.parameters?.map((one) => `${one.in} ${one.name}`);
  expect(names("/job", "get")).toEqual(expect.arrayContaining(["query id", "query status", "query cursor"]));
  expect(names("/template/render/{name}", "post")).toEqual(["path name"]);
  expect(names("/device/execute", "post")).toEqual(["header Prefer", "header Idempotency-Key"]);
});

test("records have the members of their schemas", async () => {
  const { schemas } = (await describedWith()).components;
  const samples: [string, object][] = [
    ["Job", jobRecord(1)],
    ["JobTicket", ticket],
    ["Worker", workerRecord("x")],
  ];
  for (const [name, sample] of samples) {
    expect(schemas[name]?.required?.sort()).toEqual(Object.keys(sample).sort());
    expect(Object.keys(schemas[name]?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(sample)));
  }
});

test("names response schemas independently of requests", async () => {
  const { schemas } = (await describedWith()).components;
  for (const [name, schema] of Object.entries(failureSchemas)) expect(schemas[name]).toEqual(schema);
});

test("a creating PUT answers 201, or 200 if it replaced an entry", async () => {
  const made = (await operationsOf()).filter(
    ({ route, operation }) => route.startsWith("put ") && operation.responses["201"],
  );
  expect(made.map(({ route }) => route)).toContain("put /credential/{name}");
  for (const { operation } of made) expect(operation.responses["200"]).toEqual(operation.responses["201"]);
});

test("shows all writable fields of a source", async () => {
  const { Source } = (await describedWith()).components.schemas;
  const written = Object.keys(writtenSource([], []).entries);
  expect(Object.keys(Source?.properties ?? {})).toEqual(expect.arrayContaining(written));
});

test("lists 507 for every operation that creates jobs", async () => {
  const { paths } = await describedWith();
  for (const path of ["/device/execute", "/device/bulk", "/job/{name}/retry", "/job/release"])
    expect(Object.keys(paths[path]?.post?.responses ?? {})).toContain("507");
});

test("lists the accepted ways to send the key", async () => {
  expect((await describedWith()).security).toHaveLength(5);
  const without = await describedWith({ keyInQuery: false });
  expect(without.security).toEqual([{ header: [] }, { cookie: [] }, { bearer: [] }, { session: [] }]);
  expect(Object.keys(without.components.securitySchemes)).toEqual(["header", "cookie", "bearer", "session"]);
  expect((await describedWith()).paths["/livez"]?.get?.security).toEqual([]);
});

test("describes waiting and rejected submissions and each error", async () => {
  const { paths, components } = await describedWith();
  const answer = (path: string, method: string, status: string) =>
    JSON.stringify(paths[path]?.[method]?.responses[status]?.content["application/json"]?.schema);
  const submitted = answer("/device/execute", "post", "201");
  expect(submitted).toContain("#/components/schemas/JobTicket");
  expect(submitted).toContain('#/components/schemas/Job"');
  for (const [path, method] of [
    ["/job", "delete"],
    ["/job/release", "post"],
    ["/detached-task/{name}", "get"],
    ["/detached-task/{name}", "delete"],
  ] as const)
    expect(answer(path, method, "200")).toContain("#/components/schemas/Refusal");
  expect(Object.keys(components.responses)).toEqual([
    ...["400", "403", "404", "409", "412", "413", "415", "422", "429", "500", "503", "507"],
  ]);
});

test("describes the webhook message", async () => {
  const { webhooks, components } = await describedWith();
  expect(webhooks.jobEnded?.post?.requestBody?.content["application/json"]?.schema).toEqual({
    $ref: "#/components/schemas/WebhookMessage",
  });
  expect(components.schemas.WebhookMessage?.required).toContain("delivery");
});
