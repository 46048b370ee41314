/** The web console: its page at `/`, its files below `/console/`. They need no key and contain no data. */
import { ServiceError } from "../../base/errors.ts";
import { sendShared } from "../answer/shared-file.ts";
import type { ConsoleFile } from "../port.ts";
import { acceptsPages } from "../request/request-facts.ts";

/** No inline script or style, nothing from other origins. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const yearS = 31_536_000;

export interface Console {
  /** Whether a request is for the console; everything else goes to the API. */
  wants(request: Request, url: URL): boolean;
  /** @throws ServiceError NotFound */
  answer(request: Request, url: URL): Promise<Response>;
}

/** @param load loads the files, once. */
export function createConsole(load: () => Promise<readonly ConsoleFile[]>): Console {
  let loading: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;
  const files = () => {
    loading ??= load().then((list) => new Map(list.map((file) => [file.path, file])));
    // Retried by the next request after a failure.
    loading.catch(() => (loading = undefined));
    return loading;
  };
  return {
    wants: (request, { pathname }) =>
      (request.method === "GET" || request.method === "HEAD") &&
      (pathname.startsWith("/console/") || (pathname === "/" && acceptsPages(request))),

    async answer(request, { pathname }) {
      const file = (await files()).get(pathname);
      if (file === undefined) throw new ServiceError("NotFound", "There is no such file of the console.");
      const headers = {
        "Content-Type": file.type,
        "Content-Security-Policy": policy,
        "X-Frame-Options": "DENY",
        Vary: "Accept, Accept-Encoding",
        // File names contain a hash; the page refers to the current ones.
        "Cache-Control": pathname === "/" ? "no-cache" : `public, max-age=${yearS}, immutable`,
      };
      return sendShared(request, headers, { bytes: async () => file.bytes, packed: async () => file.packed });
    },
  };
}

/** Browsers ask for it on their own: a port of a patch panel. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f5fbf"/><path d="M4 5h8v6h-2v1H6v-1H4z" fill="#fff"/><path d="M6 5v2M8 5v2M10 5v2" stroke="#1f5fbf"/></svg>`;
const iconHeaders = { "Content-Type": "image/svg+xml", "Cache-Control": "public, max-age=86400" };

export function favicon(): Response {
  return new Response(icon, { headers: iconHeaders });
}
