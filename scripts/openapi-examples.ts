/**
 * Generates src/http/openapi-examples.json: the examples of docs/reference/api.md for the API description. `--check`
 * only compares.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { readApiExamples } from "./api-examples.ts";

const target = "src/http/openapi-examples.json";

interface Examples {
  requests: Record<string, { value: unknown }>;
  answers: Record<string, { value: unknown }>;
}
const examples: Record<string, Examples> = {};
for (const { method, path, body, answer, status } of readApiExamples()) {
  // Responses with errors or warnings are not examples of correct requests.
  if (status === undefined || status >= 400 || JSON.stringify(answer).includes('"warnings":')) continue;
  const of = examples[`${method} ${path}`] ?? { requests: {}, answers: {} };
  examples[`${method} ${path}`] = of;
  const name = (all: object) => `example${Object.keys(all).length + 1}`;
  if (body !== undefined) of.requests[name(of.requests)] = { value: body };
  if (answer !== undefined) of.answers[name(of.answers)] = { value: answer };
}

const lines = Object.entries(examples).map(
  ([route, all]) => `${JSON.stringify(route)}: ${JSON.stringify(all)}`,
);
const text = `{\n${lines.join(",\n")}\n}\n`;

if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
  console.error(
    `${target} is not up to date with docs/reference/api.md: run \`bun scripts/openapi-examples.ts\``,
  );
  process.exit(1);
}
