/** The console for browsers: its page at `/`, its files below `/console/`. Both need no key and hold no data. */
import { ServiceError } from "../../base/errors.ts";
import type { ConsoleFile } from "../port.ts";
import { sendShared } from "../shared-file.ts";

/** No inline script or style, and nothing from elsewhere. */
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
  /** Whether a request is for the console; the API is asked by everything else. */
  wants(request: Request, url: URL): boolean;
  /** @throws ServiceError NotFound */
  answer(request: Request, url: URL): Promise<Response>;
}

/** @param load gives the files, once. */
export function createConsole(load: () => Promise<readonly ConsoleFile[]>): Console {
  let loading: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;
  const files = () => {
    loading ??= load().then((all) => new Map(all.map((file) => [file.path, file])));
    // What failed once is tried again by the next request.
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
        // Files are named by their hash; the page tells which ones are current.
        "Cache-Control": pathname === "/" ? "no-cache" : `public, max-age=${yearS}, immutable`,
      };
      return sendShared(request, headers, { bytes: async () => file.bytes, packed: async () => file.packed });
    },
  };
}

/** A browser says that it takes pages; scripts say that they take anything, or nothing. */
function acceptsPages(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/html") === true;
}
