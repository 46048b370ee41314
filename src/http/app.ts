/** The routes on one page, and what stands around each of them: request id, key, log line, envelope. */
import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { type Caller, demandScope, type Scope } from "../access.ts";
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Jobs } from "../jobs/api.ts";
import { type Authenticate, callerOf } from "./auth.ts";
import { bulk, execute, testConnection } from "./device.ts";
import { audit, health, live, ready } from "./health.ts";
import { cancelJobs, listJobs } from "./job.ts";
import { describeApi } from "./openapi.ts";
import { failure } from "./respond.ts";
import { parse, render } from "./template.ts";
import { listWorkers, stopWorkers } from "./worker.ts";

export interface HttpOptions {
  readonly jobs: Jobs;
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly apiVersion: string;
  readonly maxBodyBytes: number;
  readonly keyInQuery: boolean;
  /** The last address of X-Forwarded-For is the caller's. */
  readonly behindProxy: boolean;
}

/** What a route gets. */
export interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  readonly options: HttpOptions;
  /** The engine in the path of a template route. */
  readonly name?: string;
  /** Lets a slow answer outlive the idle limit of the connection. */
  extendTimeout(): void;
}

type Route = (call: Call) => Response | Promise<Response>;

/** Method, path, least scope, what it does. */
const routes: [string, string, Scope, Route][] = [
  ["POST", "/device/execute", "operate", execute],
  ["POST", "/device/bulk", "operate", bulk],
  ["POST", "/device/test-connection", "operate", testConnection],
  ["POST", "/template/render", "operate", render],
  ["POST", "/template/render/:name", "operate", render],
  ["POST", "/template/parse", "operate", parse],
  ["POST", "/template/parse/:name", "operate", parse],
  ["GET", "/job", "read", listJobs],
  ["DELETE", "/job", "operate", cancelJobs],
  ["GET", "/worker", "read", listWorkers],
  ["DELETE", "/worker", "admin", stopWorkers],
  ["GET", "/health", "read", health],
  ["GET", "/audit", "admin", audit],
  ["GET", "/openapi.json", "read", describeApi],
];

interface Arrival {
  from: string | null;
  extendTimeout(): void;
}

export interface HttpApp {
  fetch(request: Request, arrival: Arrival): Promise<Response>;
}

export function createHttpApp(options: HttpOptions): HttpApp {
  const router = new Hono<{ Bindings: { call: Call } }>({ strict: true });
  for (const [method, path, scope, route] of routes) {
    router.on(method, path, (context) => {
      const { call } = context.env;
      demandScope(call.caller, scope);
      const name = context.req.param("name");
      return route(name === undefined ? call : { ...call, name });
    });
  }
  router.notFound((context) => {
    const path = context.req.path;
    const allowed = routes.filter(([, known]) => matches(known, path)).map(([method]) => method);
    if (allowed.length === 0) throw new ServiceError("NotFound", "There is no such path.");
    throw new ServiceError("MethodNotAllowed", "This path takes another method.", {
      allow: allowed.join(", "),
    });
  });
  router.onError((error) => {
    throw error;
  });

  async function answer(
    request: Request,
    url: URL,
    arrival: Arrival,
    seen: { caller?: Caller },
  ): Promise<Response> {
    if (request.method === "GET" && url.pathname === "/livez") return live();
    if (request.method === "GET" && url.pathname === "/readyz") return ready(options.jobs);
    const from = options.behindProxy ? forwarded(request, arrival.from) : arrival.from;
    const caller = await callerOf(request, url, from, options);
    seen.caller = caller;
    return router.fetch(request, {
      call: { request, url, caller, options, extendTimeout: arrival.extendTimeout },
    });
  }

  return {
    async fetch(request, arrival) {
      const startedAt = performance.now();
      const url = new URL(request.url);
      const requestId = requestIdOf(request);
      const seen: { caller?: Caller } = {};
      let response: Response;
      try {
        response = await answer(request, url, arrival, seen);
      } catch (error) {
        response = failure(error, options.log);
      }
      response.headers.set("X-Request-ID", requestId);
      response.headers.set("Cache-Control", "no-store");
      response.headers.set("Referrer-Policy", "no-referrer");
      response.headers.set("X-Content-Type-Options", "nosniff");
      const ms = Math.round((performance.now() - startedAt) * 10) / 10;
      // The path only: a query may hold the key.
      const line = {
        method: request.method,
        path: url.pathname.slice(0, 200),
        status: response.status,
        ms,
        request: requestId,
        key: seen.caller?.name,
      };
      options.log[url.pathname === "/livez" || url.pathname === "/readyz" ? "debug" : "info"](
        "http.request",
        line,
      );
      return request.method === "HEAD" ? new Response(null, response) : response;
    },
  };
}

function matches(pattern: string, path: string): boolean {
  return (
    pattern === path ||
    (pattern.endsWith("/:name") && new RegExp(`^${pattern.slice(0, -6)}/[^/]+$`).test(path))
  );
}

function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID();
}

function forwarded(request: Request, direct: string | null): string | null {
  return request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() || direct;
}
