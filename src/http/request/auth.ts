/**
 * Authenticates a request by API key or login session. Checked in this order: header, password (for programs of
 * Oxidized), query parameter, cookies, client certificate.
 */

import type { Authenticate, Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import type { TimeBudget } from "../../base/time/time-budget.ts";
import { isOwnOrigin } from "./request-facts.ts";

interface AuthOptions {
  readonly authenticate: Authenticate;
  readonly authenticateSession: Authenticate;
  readonly authenticateCertificate: Authenticate;
  readonly keyInQuery: boolean;
  readonly behindProxy: boolean;
}

export interface FoundKey {
  readonly key: string;
  readonly by: "header" | "password" | "query" | "cookie" | "session" | "certificate";
}

/** Cookie of a login session. */
export const sessionCookie = "patchbay_session";

const refusals = {
  session: "The session has expired: log in again.",
  certificate: "The API key is missing, and the client certificate does not belong to a key.",
  key: "The API key is missing or not valid.",
};

function refused(foundKey?: FoundKey): ServiceError {
  const by = foundKey?.by === "session" || foundKey?.by === "certificate" ? foundKey.by : "key";
  return new ServiceError("Forbidden", refusals[by]);
}

/** @throws ServiceError Forbidden, TooManyRequests */
export async function callerOf(
  foundKey: FoundKey | undefined,
  request: Request,
  url: URL,
  from: string | null,
  options: AuthOptions,
  budget: TimeBudget,
  counts = true,
): Promise<Caller> {
  if (foundKey === undefined || foundKey.key === "") throw refused();
  // A browser sends both automatically.
  const unasked = foundKey.by !== "header" && foundKey.by !== "query";
  if (unasked && !ownDoing(request, url, options.behindProxy)) {
    const carrier = foundKey.by === "certificate" || foundKey.by === "password" ? foundKey.by : "cookie";
    throw new ServiceError("Forbidden", `A ${carrier} is only accepted from pages of this service.`);
  }
  const authenticate = authenticateBy(foundKey.by, options);
  const caller = await authenticate(foundKey.key, from, budget, counts);
  if (caller === undefined) throw refused(foundKey);
  if ("lockedForS" in caller) {
    throw new ServiceError(
      "TooManyRequests",
      "This API key or session is not valid, and too many invalid ones were sent from this address.",
      {
        retryAfter: caller.lockedForS,
      },
    );
  }
  return caller;
}

function authenticateBy(by: FoundKey["by"], options: AuthOptions): Authenticate {
  if (by === "certificate") return options.authenticateCertificate;
  return by === "session" ? options.authenticateSession : options.authenticate;
}

/** The first credential that is present decides, even if it is empty or wrong. */
export function keyOf(
  request: Request,
  url: URL,
  inQuery: boolean,
  certificate?: string,
): FoundKey | undefined {
  const { headers } = request;
  const header = headers.get("x-api-key") ?? bearer(headers.get("authorization"));
  if (header !== null) return { key: header.trim(), by: "header" };
  const password = url.pathname.startsWith("/oxidized/")
    ? passwordOf(headers.get("authorization"))
    : undefined;
  if (password !== undefined) return { key: password, by: "password" };
  const query =
    inQuery && url.search !== ""
      ? (url.searchParams.get("X-API-KEY") ?? url.searchParams.get("x-api-key"))
      : null;
  if (query !== null) return { key: query, by: "query" };
  const cookies = headers.get("cookie");
  const cookie = cookieOf(cookies, "X-API-KEY");
  if (cookie !== undefined) return { key: cookie, by: "cookie" };
  const session = cookieOf(cookies, sessionCookie);
  if (session !== undefined) return { key: session, by: "session" };
  return certificate === undefined ? undefined : { key: certificate, by: "certificate" };
}

/** Of the scheme `Basic`, whose user name says nothing: programs for Oxidized know no other. */
function passwordOf(authorization: string | null): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]{1,2048}) *$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const at = text.indexOf(":");
  return at < 0 ? undefined : text.slice(at + 1);
}

/** Other schemes belong to proxies and are ignored. */
function bearer(authorization: string | null): string | null {
  const found = /^bearer(?: +(\S*))? *$/i.exec(authorization ?? "");
  return found === null ? null : (found[1] ?? "");
}

export function cookieOf(header: string | null, name: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair
      .slice(at + 1)
      .trim()
      .replace(/^"(.*)"$/, "$1");
    try {
      return decodeURIComponent(value);
    } catch {
      return value;
    }
  }
  return undefined;
}

/**
 * CSRF check: a browser attaches the cookie to requests that other sites trigger, and sends an Origin with everything
 * except plain reads. A script with a cookie sends no Origin and is not affected by CSRF.
 */
function ownDoing(request: Request, url: URL, behindProxy: boolean): boolean {
  if (request.method === "GET" || request.method === "HEAD") return true;
  const origin = request.headers.get("origin");
  if (origin !== null) return isOwnOrigin(origin, request, url, behindProxy);
  const site = request.headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}
