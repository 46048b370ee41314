/** Builds the OpenAPI operation of one route. */
import type * as v from "valibot";
import type { Right } from "../../auth/port.ts";
import { type JsonSchema, jsonSchemaOfValibot } from "../../base/json/json-schema.ts";
import written from "../openapi-examples.json" with { type: "json" };
import type { QuerySchema } from "../query.ts";
import { pascal, type RequestSchemas } from "./requests.ts";
import { bytes, refTo, text } from "./schema.ts";
import { parameterWords, requestHeaders, type Status, statuses, tagOf, withRetryAfter } from "./words.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
}

/** What the API description says of a route. */
export interface Described {
  readonly id?: string;
  readonly summary: string;
  /** What the key needs beside the scope. */
  readonly right?: Right;
  /** Schema of `data` on success. */
  readonly data: object;
  /** Optional members of the envelope beside `data`. */
  readonly beside?: object;
  readonly body?: v.GenericSchema;
  readonly query?: QuerySchema;
  readonly headers?: readonly (keyof typeof requestHeaders)[];
  /** Headers of a successful answer. */
  readonly gives?: Record<string, string>;
  readonly created?: true;
  /** Content types of a streamed answer that is not JSON. */
  readonly stream?: string | readonly string[];
  /** An event stream that answers 204 once it has been read to its end. */
  readonly resumable?: true;
  /** The body is the bytes of a file, not JSON. */
  readonly bytes?: true;
  /** The body is text, not JSON. */
  readonly text?: true;
  /** Needs no key. */
  readonly open?: true;
  /** May be answered with 200 and `code` -1: the state of a job or task does not allow it. */
  readonly refusable?: true;
  /** Meaning of the steps of the path, where it is not a name. */
  readonly path?: { readonly name?: string | undefined; readonly item?: string | undefined };
  /** Error statuses besides those of every route. */
  readonly fails?: readonly Status[];
}

export interface Operation extends Readonly<Record<string, unknown>> {
  readonly parameters?: readonly Parameter[];
}

/** Derived from method and path: `GET /job/{name}/events` is `getJobByNameEvents`. */
export function operationIdOf(method: string, path: string): string {
  return `${method.toLowerCase()}${pascal(path.replaceAll(/\{(\w+)\}/g, "by-$1"))}`;
}

export function operation(
  method: string,
  path: string,
  described: Described,
  { nameOf }: RequestSchemas,
): Operation {
  const operationId = described.id ?? operationIdOf(method, path);
  const parameters = parametersOf(path, described);
  const always: readonly Status[] = described.open ? ["422", "503"] : ["403", "422", "429", "500", "503"];
  // Every other request writes, at least to the audit trail.
  const writes = method !== "get" && !/^\/template\/(?:render|parse|test)\b/.test(path);
  const fails = [
    ...new Set([...(described.fails ?? []), ...always, ...(writes ? ["507" as const] : [])]),
  ].sort();
  const examples = examplesOf(method, path);
  return {
    operationId,
    tags: [tagOf(path)?.name],
    summary: described.summary,
    ...(described.right ? { description: rightWord(described.right), "x-right": described.right } : {}),
    ...(described.open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(described.body ? bodyOf(json(refTo(nameOf(described.body, operationId)), examples.requests)) : {}),
    ...(described.text ? bodyOf({ "text/plain": { schema: text } }) : {}),
    ...(described.bytes ? bodyOf({ "application/octet-stream": { schema: bytes } }) : {}),
    responses: {
      ...succeeded(method, described, examples.answers),
      ...Object.fromEntries(fails.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    },
  };
}

const rightWord = (right: Right) => `Needs the right \`${right}\` beside the scope.`;

function succeeded(method: string, described: Described, examples: object | undefined) {
  const answer = {
    description: "Success",
    ...(described.gives ? { headers: headersOf(described.gives) } : {}),
    content: contentOf(described, examples),
  };
  // A PUT that replaces is 200, one that creates 201.
  if (described.created && method === "put") return { "200": answer, "201": answer };
  const over = described.resumable
    ? { "204": { description: "The stream has already been read to its end" } }
    : {};
  return { [described.created ? "201" : "200"]: answer, ...over };
}

const bodyOf = (content: object) => ({ requestBody: { required: true, content } });

function contentOf(described: Described, examples: object | undefined) {
  const { stream, data, beside, refusable } = described;
  if (stream) return Object.fromEntries([stream].flat().map((type) => [type, { schema: data }]));
  const answered = envelope(data, beside);
  return json(refusable ? { anyOf: [answered, refTo("Refusal")] } : answered, examples);
}

function parametersOf(path: string, { query, headers = [], path: inPath }: Described): Parameter[] {
  const steps = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: (name === "item" ? inPath?.item : inPath?.name) ?? parameterWords[name],
    schema: text,
  }));
  return [
    ...steps,
    ...Object.entries(query?.entries ?? {}).map(([name, schema]: [string, v.GenericSchema]) =>
      parameterOf(name, schema),
    ),
    ...headers.map((name) => ({ name, in: "header", description: requestHeaders[name], schema: text })),
  ];
}

function parameterOf(name: string, schema: v.GenericSchema) {
  const { description = parameterWords[name], ...written } = jsonSchemaOfValibot(schema);
  return {
    name,
    in: "query",
    ...(description === undefined ? {} : { description }),
    schema: parameterSchema(written),
  };
}

/** Numbers and booleans, which are strings in a URL. */
function parameterSchema(written: JsonSchema): object {
  const { pattern, enum: words } = written;
  if (typeof pattern === "string" && /^\^\\d\{1,\d+\}\$$/.test(pattern))
    return { type: "integer", minimum: 0 };
  if (Array.isArray(words) && words.includes("true") && words.includes("false")) return { type: "boolean" };
  return written;
}

/** The envelope around `data`. */
function envelope(data: object, beside: object = {}): object {
  return {
    type: "object",
    required: ["code", "message", "data"],
    properties: { code: { type: "integer", const: 200 }, message: text, data, ...beside },
  };
}

/** Error answers, as components shared by all routes. */
export const failureResponses = Object.fromEntries(
  Object.entries(statuses).map(([status, description]) => [
    status,
    {
      description,
      ...(withRetryAfter.some((candidate) => candidate === status)
        ? { headers: headersOf({ "Retry-After": "Seconds to wait before a retry" }) }
        : {}),
      content: json(refTo(failureSchema(status))),
    },
  ]),
);

function failureSchema(status: string): string {
  if (status === "422") return "ValidationFailure";
  return status === "500" ? "UnexpectedFailure" : "Failure";
}

function headersOf(gives: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(gives).map(([name, description]) => [name, { description, schema: text }]),
  );
}

function json(schema: object, examples?: object) {
  return { "application/json": { schema, ...(examples === undefined ? {} : { examples }) } };
}

interface Examples {
  readonly requests?: object;
  readonly answers?: object;
}

/** Made from docs/reference/api.md by scripts/openapi-examples.ts. */
const examples: Readonly<Record<string, Required<Examples>>> = written;

function examplesOf(method: string, path: string): Examples {
  const { requests = {}, answers = {} } = examples[`${method.toUpperCase()} ${path}`] ?? {};
  return {
    ...(Object.keys(requests).length > 0 ? { requests } : {}),
    ...(Object.keys(answers).length > 0 ? { answers } : {}),
  };
}
