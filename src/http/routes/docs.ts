/** GET /openapi.json, GET /docs, and the files of its page. */
import { promisify } from "node:util";
import { zlib } from "../../base/on-demand.ts";
import type { Call } from "../call.ts";
import { docsHtml, docsPolicy, docsScript } from "../docs-page.ts";
import type { HttpOptions } from "../port.ts";
import { takesGzip } from "../request-facts.ts";

/** The words of all routes are loaded by the first who asks for them. */
export async function openApi(call: Pick<Call, "options">): Promise<Response> {
  return (await import("../openapi-document.ts")).describeApi(call);
}

export function docsPage(): Response {
  return new Response(docsHtml, {
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": docsPolicy },
  });
}

/** What anybody may have: they are the same everywhere and say nothing of this service. */
export function docsFiles({ pageFiles }: HttpOptions): ReadonlyMap<string, OpenRoute> {
  return new Map<string, OpenRoute>([
    ["/docs/start.js", () => new Response(docsScript, { headers: script })],
    ["/docs/swagger-ui.js", async (request) => sent(await pageFiles.script(), script, request)],
    ["/docs/swagger-ui.css", async (request) => sent(await pageFiles.style(), style, request)],
  ]);
}

export type OpenRoute = (request: Request) => Response | Promise<Response>;

const script = { "Content-Type": "text/javascript; charset=utf-8" };
const style = { "Content-Type": "text/css; charset=utf-8" };

/** As it is packed, to whoever unpacks it. */
async function sent(
  packed: Uint8Array,
  headers: Record<string, string>,
  request: Request,
): Promise<Response> {
  const vary = { ...headers, Vary: "Accept-Encoding" };
  if (takesGzip(request))
    return new Response(packed.slice(), { headers: { ...vary, "Content-Encoding": "gzip" } });
  return new Response(new Uint8Array(await promisify(zlib().gunzip)(packed)), { headers: vary });
}
