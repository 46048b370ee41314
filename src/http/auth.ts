/** Finds the API key of a request and who it is: header, query parameter, cookie, in this order. */
import type { Caller } from "../access.ts";
import { ServiceError } from "../base/errors.ts";

export type Authenticate = (
  key: string,
  from: string | null,
) => Promise<Caller | { lockedForS: number } | undefined>;

export interface AuthOptions {
  readonly authenticate: Authenticate;
  readonly keyInQuery: boolean;
}

const refused = () => new ServiceError("Forbidden", "The API key is missing or not valid.");

/** @throws ServiceError Forbidden, TooManyRequests */
export async function callerOf(
  request: Request,
  url: URL,
  from: string | null,
  options: AuthOptions,
): Promise<Caller> {
  const found = keyOf(request, url, options.keyInQuery);
  if (found === undefined || found.key === "") throw refused();
  if (found.by === "cookie" && !sameOrigin(request, url)) throw refused();
  const caller = await options.authenticate(found.key, from);
  if (caller === undefined) throw refused();
  if ("lockedForS" in caller) {
    throw new ServiceError("TooManyRequests", "Too many wrong API keys came from this address.", {
      retryAfter: caller.lockedForS,
    });
  }
  return caller;
}

function keyOf(
  request: Request,
  url: URL,
  inQuery: boolean,
): { key: string; by: "header" | "query" | "cookie" } | undefined {
  const header = request.headers.get("x-api-key") ?? bearer(request.headers.get("authorization"));
  if (header !== undefined && header !== null) return { key: header.trim(), by: "header" };
  const query = inQuery ? (url.searchParams.get("X-API-KEY") ?? url.searchParams.get("x-api-key")) : null;
  if (query !== null) return { key: query, by: "query" };
  const cookie = cookieOf(request.headers.get("cookie"));
  return cookie === undefined ? undefined : { key: cookie, by: "cookie" };
}

function bearer(authorization: string | null): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
}

function cookieOf(header: string | null): string | undefined {
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    if (part.slice(0, at).trim() !== "X-API-KEY") continue;
    try {
      return decodeURIComponent(
        part
          .slice(at + 1)
          .trim()
          .replace(/^"(.*)"$/, "$1"),
      );
    } catch {
      return part.slice(at + 1).trim();
    }
  }
  return undefined;
}

/** A browser sends the cookie along with what another site makes it post. */
function sameOrigin(request: Request, url: URL): boolean {
  if (request.method === "GET" || request.method === "HEAD") return true;
  const origin = request.headers.get("origin");
  if (origin === null) return request.headers.get("sec-fetch-site") !== "cross-site";
  return URL.canParse(origin) && new URL(origin).host === (request.headers.get("host") ?? url.host);
}
