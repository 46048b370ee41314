/** GET /openapi.json: the API described from the same schemas that check it. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { bulkRequest, executeRequest, parseRequest, renderRequest, testRequest } from "../model/request.ts";
import type { Call } from "./app.ts";
import { auditQuery, cancelQuery, jobQuery, workerQuery } from "./query.ts";

interface Described {
  readonly summary: string;
  readonly body?: v.GenericSchema;
  readonly query?: v.ObjectSchema<v.ObjectEntries, undefined>;
  readonly path?: "name";
  readonly created?: true;
}

const described: Record<string, Record<string, Described>> = {
  "/device/execute": {
    post: { summary: "Submit one device operation", body: executeRequest, created: true },
  },
  "/device/bulk": { post: { summary: "Submit the same operation for many devices", body: bulkRequest } },
  "/device/test-connection": { post: { summary: "Connect and log in, without a job", body: testRequest } },
  "/template/render": { post: { summary: "Render, engine detected", body: renderRequest } },
  "/template/render/{name}": {
    post: { summary: "Render with the named engine", body: renderRequest, path: "name" },
  },
  "/template/parse": { post: { summary: "Parse, parser detected", body: parseRequest } },
  "/template/parse/{name}": {
    post: { summary: "Parse with the named parser", body: parseRequest, path: "name" },
  },
  "/job": {
    get: { summary: "Query jobs, newest first", query: jobQuery },
    delete: { summary: "Cancel jobs", query: cancelQuery },
  },
  "/worker": {
    get: { summary: "Query workers", query: workerQuery },
    delete: { summary: "Stop workers", query: workerQuery },
  },
  "/health": { get: { summary: "Health check" } },
  "/audit": { get: { summary: "Audit trail", query: auditQuery } },
};

const errors = {
  "400": "Bad request",
  "403": "Missing or wrong API key, or not allowed",
  "404": "Not found",
  "422": "Validation failed",
  "429": "Too many requests",
  "500": "Internal error",
  "503": "Unavailable",
};

export function describeApi(call: Call): Response {
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Patchbay",
      version: call.options.apiVersion,
      description: "Network device automation over HTTP.",
    },
    security: [{ header: [] }, { query: [] }, { cookie: [] }, { bearer: [] }],
    paths: Object.fromEntries(
      Object.entries(described).map(([path, methods]) => [path, operations(methods)]),
    ),
    components: {
      securitySchemes: {
        header: { type: "apiKey", in: "header", name: "X-API-KEY" },
        query: { type: "apiKey", in: "query", name: "X-API-KEY" },
        cookie: { type: "apiKey", in: "cookie", name: "X-API-KEY" },
        bearer: { type: "http", scheme: "bearer" },
      },
      schemas: {
        Envelope: {
          type: "object",
          required: ["code", "message", "data"],
          properties: { code: { type: "integer" }, message: { type: "string" }, data: {} },
        },
      },
    },
  };
  return new Response(JSON.stringify(document), {
    headers: { "Content-Type": "application/json; charset=utf-8" },
  });
}

function operations(methods: Record<string, Described>) {
  return Object.fromEntries(Object.entries(methods).map(([method, one]) => [method, operation(one)]));
}

const envelope = (description: string) => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/Envelope" } } },
});

function operation({ summary, body, query, path, created }: Described) {
  const parameters = [
    ...(path ? [{ name: path, in: "path", required: true, schema: { type: "string" } }] : []),
    ...Object.entries(query?.entries ?? {}).map(([name, schema]) => ({
      name,
      in: "query",
      schema: jsonSchema(schema),
    })),
  ];
  return {
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body) } } } }
      : {}),
    responses: {
      [created ? "201" : "200"]: envelope("Success"),
      ...Object.fromEntries(Object.entries(errors).map(([status, text]) => [status, envelope(text)])),
    },
  };
}

/** What JSON Schema can not say (checks by code) is left out; the service itself checks it all the same. */
function jsonSchema(schema: v.GenericSchema): object {
  const { $schema: _dialect, ...plain } = toJsonSchema(schema, { errorMode: "ignore", typeMode: "input" });
  return plain;
}
