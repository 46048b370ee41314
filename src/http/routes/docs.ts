/** GET /openapi.json, GET /docs, and the files of its page. */
import { promisify } from "node:util";
import * as v from "valibot";
import type { RecipeRecord } from "../../api/recipes/recipe.ts";
import { described } from "../../api/schema.ts";
import { zlib } from "../../base/lazy-modules.ts";
import { plainJson } from "../answer/respond.ts";
import { type SharedFile, sendShared } from "../answer/shared-file.ts";
import type { Call } from "../call.ts";
import { docsHtml, docsPolicy, docsScript } from "../docs-page.ts";
import type { HttpOptions } from "../port.ts";
import { type QuerySchema, truthTold } from "../query.ts";
import { type DescribedRoute, route } from "../route.ts";

const anyJson = described(v.record(v.string(), v.unknown()), "An OpenAPI document");

export const descriptionQuery = v.object({
  recipes: v.optional(
    truthTold(
      "`false`: without an operation for each recipe that the caller may run; without a key there are none",
    ),
    "true",
  ),
  aliases: v.optional(
    truthTold("`false`: without operations that are the same as another one, which `x-alias-of` names"),
    "true",
  ),
});

/** @param definitions of all routes */
export const docsRoutes = (definitions: () => readonly DescribedRoute[]) => [
  route({
    id: "getApiDescription",
    method: "GET",
    path: "/openapi.json",
    scope: "read",
    summary: "This document",
    query: descriptionQuery,
    answer: anyJson,
    stream: ["application/json"],
    async handle(call, query) {
      const { options, caller } = call;
      const runnable = query.recipes ? await options.recipes.runnable(caller) : [];
      return openApi(call, definitions(), query, runnable);
    },
  }),
  route({
    id: "getApiPage",
    method: "GET",
    path: "/docs",
    scope: "read",
    summary: "This document in a browser",
    answer: v.string(),
    stream: ["text/html"],
    handle: docsPage,
  }),
];

/** The API description is loaded on first use. */
export async function openApi(
  call: Pick<Call, "options">,
  definitions: readonly DescribedRoute[],
  { aliases }: v.InferOutput<typeof descriptionQuery>,
  recipes: readonly RecipeRecord[] = [],
): Promise<Response> {
  const document = (await import("../openapi/document.ts")).describeApi(call, definitions, aliases);
  if (recipes.length === 0) return plainJson(document);
  return plainJson((await import("../openapi/recipe.ts")).withRecipes(document, recipes));
}

export function docsPage(): Response {
  return new Response(docsHtml, {
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": docsPolicy },
  });
}

/** Public files: the same in every installation, without information about this service. */
export function docsFiles({ pageFiles }: HttpOptions): ReadonlyMap<string, OpenRoute> {
  const library = unpacking(pageFiles.script);
  const looks = unpacking(pageFiles.style);
  return new Map<string, OpenRoute>([
    ["/docs/start.js", () => new Response(docsScript, { headers: script })],
    ["/docs/swagger-ui.js", (request) => sendShared(request, script, library)],
    ["/docs/swagger-ui.css", (request) => sendShared(request, style, looks)],
  ]);
}

export interface OpenRoute {
  (request: Request, url: URL): Response | Promise<Response>;
  /** Absent: it takes no parameters. */
  readonly query?: QuerySchema;
}

const vary = { Vary: "Accept-Encoding" };
const script = { "Content-Type": "text/javascript; charset=utf-8", ...vary };
const style = { "Content-Type": "text/css; charset=utf-8", ...vary };

/** Decompressed once, on the first request without gzip, which browsers do not send. */
function unpacking(packed: () => Promise<Uint8Array>): SharedFile {
  let unpacked: Promise<Uint8Array> | undefined;
  return {
    packed,
    bytes() {
      unpacked ??= packed().then((bytes) => promisify(zlib().gunzip)(bytes));
      unpacked.catch(() => (unpacked = undefined));
      return unpacked;
    },
  };
}
