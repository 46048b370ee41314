/** Generates a TypeScript program that sends the requests of docs/reference/api.md through a client with generated types. */
import type { ApiExample } from "../../../scripts/api-examples.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The types reject wrong value types and unknown names, as the service does. */
export function isRefused({ answer }: ApiExample): boolean {
  return /"received":|is not known to the driver/.test(JSON.stringify(answer ?? null));
}

export function clientProgram(examples: readonly ApiExample[]): string {
  return `import createClient from "openapi-fetch";
import type { paths } from "./api.ts";

const [baseUrl = "", key = "", job = "", bulk = "", port = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { "X-API-KEY": key } });
const simulated = Number(port);
const seen: { status: number; body: unknown }[] = [];
${examples.map(call).join("")}
console.log(JSON.stringify({ seen, job, bulk, simulated }));
`;
}

function call(example: ApiExample): string {
  const { method, path, file, answer } = example;
  const options = [
    ...params(example),
    ...bodyOf(example),
    ...(file === undefined
      ? []
      : [
          'body: "bytes", bodySerializer: (bytes: string) => bytes, headers: { "Content-Type": "application/octet-stream" }',
        ]),
    // The example shows something other than JSON.
    ...(answer === undefined && method === "GET" ? ['parseAs: "text" as const'] : []),
  ];
  return `{
  ${isRefused(example) ? "// @ts-expect-error the service refuses it as well, or warns of it\n  " : ""}const { response, data, error } = await client.${method}(${JSON.stringify(path)}, { ${options.join(", ")} });
  seen.push({ status: response.status, body: data ?? error });
}
`;
}

function params({ path, steps, query, headers }: ApiExample): string[] {
  const inHeader = Object.entries(headers)
    .filter(([name]) => name === "prefer" || name === "idempotency-key")
    .map(([name, value]) => [name === "prefer" ? "Prefer" : "Idempotency-Key", JSON.stringify(value)]);
  const parts = {
    path: Object.entries(steps).map(([name, value]) => [name, literal(path, value)]),
    query: Object.entries(query).map(([name, value]) => [name, literal(path, value)]),
    header: inHeader,
  };
  const given = Object.entries(parts)
    .filter(([, entries]) => entries.length > 0)
    .map(
      ([part, entries]) =>
        `${part}: { ${entries.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(", ")} }`,
    );
  return given.length === 0 ? [] : [`params: { ${given.join(", ")} }`];
}

/** Replaces ids with those created by the test. */
function literal(path: string, value: string): string {
  if (uuid.test(value) || /^\$[A-Z]+$/.test(value)) return path.startsWith("/bulk") ? "bulk" : "job";
  if (/^\d+$/.test(value) || value === "true" || value === "false") return value;
  return JSON.stringify(value);
}

/** Uses the test's devices; on one line, so that a comment can apply to it. */
function bodyOf({ body }: ApiExample): string[] {
  if (body === undefined) return [];
  return [
    `body: ${JSON.stringify(body)
      .replaceAll('"port":2222', '"port":simulated')
      .replaceAll(/"port":222\d/g, '"port":simulated')}`,
  ];
}
