import { expect, test } from "vitest";
import { aliases } from "../../src/http/aliases.ts";
import { routes } from "../../src/http/app.ts";
import { createApp, jobRecord, ticket, workerRecord } from "./fixtures.ts";

interface Operation {
  security?: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { content: { "application/json": { schema: { required: string[]; properties: object } } } };
  responses: Record<string, { headers?: object; content: object }>;
}
interface Document {
  openapi: string;
  info: { version: string };
  security: object[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { required: string[]; properties: Record<string, object> }> };
}

async function describeWith(keyInQuery = true): Promise<Document> {
  const { app } = createApp({}, { keyInQuery });
  const headers = { "x-api-key": "key-that-reads-0123456789" };
  const request = new Request("http://patchbay.example/openapi.json", { headers });
  const document: unknown = await (
    await app.fetch(request, { from: null, extendTimeout() {}, restoreTimeout() {} })
  ).json();
  return document as Document;
}

test("states version 0.2 in a document of OpenAPI 3.1", async () => {
  const document = await describeWith();
  expect(document.openapi).toBe("3.1.0");
  expect(document.info.version).toBe("0.2");
});

test("describes every route, and none that is not there", async () => {
  const { paths } = await describeWith();
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routeNames = routes.map(([method, path]) => `${method} ${path.replace(":name", "{name}")}`);
  const same = aliases.flatMap(({ path, is }) =>
    routes.filter(([, route]) => route === is).map(([method]) => `${method} ${path}`),
  );
  expect(described.sort()).toEqual([...routeNames, ...same, "GET /livez", "GET /readyz"].sort());
});

test("every reference leads somewhere", async () => {
  const document = await describeWith();
  const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map((match) => match[1]);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names)
    expect(Object.keys(document.components.schemas).map((one) => `#/components/schemas/${one}`)).toContain(
      name,
    );
});

test("bodies are described by the schemas that check them", async () => {
  const { paths } = await describeWith();
  const schema = (path: string) => paths[path]?.post?.requestBody?.content["application/json"].schema;
  expect(schema("/device/execute")?.required).toEqual(["driver", "connection_args"]);
  expect(schema("/device/bulk")?.required).toEqual(["driver", "devices"]);
  expect(Object.keys(schema("/template/parse")?.properties ?? {})).toContain("ttp_template_args");
});

test("parameters of queries and paths are described", async () => {
  const { paths } = await describeWith();
  const names = (path: string, method: string) =>
    paths[path]?.[method]?.parameters?.map((one) => `${one.in} ${one.name}`);
  expect(names("/job", "get")).toEqual(
    ["id", "status", "queue", "host", "driver", "bulk_id", "since", "limit", "cursor"].map(
      (name) => `query ${name}`,
    ),
  );
  expect(names("/template/render/{name}", "post")).toEqual(["path name"]);
  expect(names("/device/execute", "post")).toEqual(["header Prefer", "header Idempotency-Key"]);
});

test("records have the members that the schemas state", async () => {
  const { schemas } = (await describeWith()).components;
  const samples: [string, object][] = [
    ["Job", jobRecord(1)],
    ["JobTicket", ticket],
    ["Worker", workerRecord("x")],
  ];
  for (const [name, sample] of samples) {
    expect(schemas[name]?.required.sort()).toEqual(Object.keys(sample).sort());
    expect(Object.keys(schemas[name]?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(sample)));
  }
});

test("the means of the key are those that are taken", async () => {
  expect((await describeWith()).security).toHaveLength(4);
  expect((await describeWith(false)).security).toEqual([{ header: [] }, { cookie: [] }, { bearer: [] }]);
  expect((await describeWith()).paths["/livez"]?.get?.security).toEqual([]);
});
