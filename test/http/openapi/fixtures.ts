/** The API description as the service returns it, with the built-in plugins and a test's own. */
import { builtins } from "../../../plugins/index.ts";
import type { HttpOptions } from "../../../src/http/port.ts";
import { schemasOfPlugins } from "../../../src/registry/plugin-schemas.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { createApp, keys } from "../doubles/fixtures.ts";

interface Media {
  schema: { $ref?: string; anyOf?: object[]; properties?: Record<string, object> };
  examples?: Record<string, { value: unknown }>;
}
export interface Operation {
  operationId: string;
  deprecated?: boolean;
  "x-alias-of"?: string;
  tags: string[];
  summary: string;
  security?: object[];
  parameters?: { name: string; in: string; description: string; required?: boolean; schema: object }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { $ref?: string; headers?: object; content: Record<string, Media> }>;
}
export interface Schema {
  type?: string;
  required?: string[];
  properties?: Record<string, { description?: string; const?: unknown }>;
  oneOf?: { $ref: string }[];
  anyOf?: { $ref: string }[];
  discriminator?: { mapping: Record<string, string> };
}
export interface ApiDocument {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  tags: { name: string }[];
  security: object[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, object>;
    responses: Record<string, object>;
    schemas: Record<string, Schema>;
  };
}

/** @param plugins in addition to the built-in ones */
export async function describedWith(
  options: Partial<HttpOptions> = {},
  plugins: readonly unknown[] = [],
  query = "",
): Promise<ApiDocument> {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  for (const plugin of plugins) registry.add(plugin, "a folder");
  const { app } = createApp({}, { pluginSchemas: () => schemasOfPlugins(registry), ...options });
  const request = new Request(`http://patchbay.example/openapi.json${query}`, {
    headers: { "x-api-key": keys.read },
  });
  const answer = await app.fetch(request, { from: null, extendTimeout() {}, restoreTimeout() {} });
  return JSON.parse(await answer.text());
}
