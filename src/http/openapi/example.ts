/** Examples of a route for the description of the API. */
import written from "../openapi-examples.json" with { type: "json" };

interface Examples {
  readonly requests?: object;
  readonly answers?: object;
}

/** Made from docs/reference/api.md by scripts/openapi-examples.ts. */
const examples: Readonly<Record<string, Required<Examples>>> = written;

export function examplesOf(method: string, path: string): Examples {
  const { requests = {}, answers = {} } = examples[`${method.toUpperCase()} ${path}`] ?? {};
  return {
    ...(Object.keys(requests).length > 0 ? { requests } : {}),
    ...(Object.keys(answers).length > 0 ? { answers } : {}),
  };
}
