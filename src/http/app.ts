/** What surrounds every route: request id, API key, access log line, envelope. */
import { Hono } from "hono";
import { recipesOf } from "../api/access/recipe-right.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { isSameReach } from "../auth/reach.ts";
import { requireRecipe, requireRight, rightsOf } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { createTimeBudget } from "../base/time/time-budget.ts";
import { yieldToEventLoop } from "../base/time/yield.ts";
import { type FailureContext, failure } from "./answer/respond.ts";
import type { Call } from "./call.ts";
import { createOpenRoutes } from "./open-route.ts";
import type { HttpApp, HttpOptions, RequestConnection } from "./port.ts";
import { noQuery, queryOf, requireParameters } from "./query.ts";
import { withoutAlias } from "./request/aliases.ts";
import { callerOf, type FoundKey, keyOf } from "./request/auth.ts";
import { type ReadBody, readBody, readText } from "./request/body.ts";
import { addressOf, requestIdOf, urlOf } from "./request/request-facts.ts";
import { type Reservation, reserve } from "./request/reservation.ts";
import { needsSpace, type RouteDefinition } from "./route.ts";
import { definitions, describedRoutes, openDefinitions } from "./route-table.ts";
import { createConsole, favicon } from "./routes/console.ts";
import { descriptionQuery, docsFiles, docsPage, type OpenRoute, openApi } from "./routes/docs.ts";
import { createReadyAnswer, live } from "./routes/health.ts";
import { llms } from "./routes/mcp.ts";
import { openMetrics } from "./routes/metrics.ts";

/** Facts collected while handling a request, for the log. */
interface RequestState {
  from: string | null;
  caller?: Caller;
  key?: FoundKey;
  body?: ReadBody;
  /** Admits the next large body. */
  leave?: () => void;
  reservation?: Reservation;
  /** The declared route pattern. */
  route?: string;
}

/**
 * Bodies up to this size are parsed at once; larger ones one after the other, so that small requests run in between.
 */
const smallBody = 16_384;
/** A body of this size may take a hundred times as much memory once parsed: only one is in memory at a time. */
const largeBody = 1024 * 1024;
/** If a body arrives within this time, the key is accepted without another look. */
const slowBodyMs = 5_000;
/** Characters of a path in the log and the trail. */
const shownPath = 200;
const revokedMeanwhile =
  "The API key or session has ended, or its rights have changed, since this request began.";

/** @param table other routes than those of the service, for tests */
export function createHttpApp(
  options: HttpOptions,
  table: readonly RouteDefinition[] = definitions,
): HttpApp {
  const methods = [...new Set(table.map(({ method }) => method))];
  const console = createConsole(options.consoleFiles);
  const open = openRoutes(options);
  const unkeyed = createOpenRoutes(options, openDefinitions);

  // Routes on the raw path: a router that decodes it would see another path than a proxy in front.
  const router = new Hono<{ Bindings: { call: Call; state: RequestState } }>({
    strict: true,
    getPath: (request, options) => (options?.env?.call.url ?? urlOf(request)).pathname,
  });
  /** Paths without a name in them: no name of a stored thing hides their methods. */
  const literal = new Set(table.map(({ path }) => path).filter((path) => !path.includes(":")));
  for (const one of table) {
    const { method, path, scope, right, runsRecipe, handle, query } = one;
    const grows = needsSpace(one);
    router.on(method, path, (context) => {
      const { call, state } = context.env;
      if (path.includes(":") && literal.has(call.url.pathname)) return refuse(call.url.pathname);
      state.route = path;
      const { name, item }: Readonly<Record<string, string>> = context.req.param();
      if (runsRecipe && call.caller.recipes) requireRecipe(call.caller, name ?? "");
      else requireScope(call.caller, scope);
      if (right !== undefined) requireRight(call.caller, right);
      requireParameters(query, call.url);
      if (grows) options.disk?.require();
      return handle(name === undefined ? call : { ...call, name, item });
    });
  }
  router.notFound((context) => refuse(context.env.call.url.pathname));
  router.onError((error) => {
    throw error;
  });

  /** Methods of a path for the Allow header; empty if the path does not exist. */
  function allowedAt(path: string): string {
    const matching = literal.has(path)
      ? methods.filter((method) => table.some((one) => one.path === path && one.method === method))
      : methods.filter((method) => router.router.match(method, path)[0].length > 0);
    const withoutKey = [...(open.has(path) ? ["GET", "HEAD"] : []), ...unkeyed.methodsAt(path)];
    return [...matching, ...withoutKey].join(", ");
  }

  function refuse(path: string): never {
    const allow = allowedAt(path);
    if (allow === "") throw new ServiceError("NotFound", "There is no such endpoint.");
    throw new ServiceError("MethodNotAllowed", "This endpoint does not support the method.", { allow });
  }

  async function answer(
    request: Request,
    url: URL,
    requestId: string,
    connection: RequestConnection,
    state: RequestState,
  ): Promise<Response> {
    if (console.wants(request, url)) {
      requireParameters(noQuery, url);
      state.route = "console";
      return console.answer(request, url);
    }
    const reads = request.method === "GET" || request.method === "HEAD";
    const opened = reads ? open.get(url.pathname) : undefined;
    if (opened) {
      requireParameters(opened.query ?? noQuery, url);
      state.route = url.pathname;
      return opened(request, url);
    }
    const arriving = async <T>(body: () => Promise<T>): Promise<T> => {
      connection.restoreTimeout();
      const arrived = await body();
      connection.extendTimeout();
      return arrived;
    };
    const route = unkeyed.find(request, url);
    if (route) {
      state.route = route.path;
      state.reservation = reserve(options.admission, unkeyed.callerAt(state.from));
      return unkeyed.answer(route, request, url, state.from, state.reservation, arriving);
    }
    const foundKey = keyOf(request, url, options.keyInQuery, connection.certificate);
    if (foundKey) state.key = foundKey;
    const { budget = createTimeBudget() } = connection;
    const caller = await callerOf(foundKey, request, url, state.from, options, budget);
    state.caller = caller;
    // Hono would run the GET handler and read jobs for nothing.
    if (request.method === "HEAD") return refuse(url.pathname);
    const { admission } = options;
    const reservation = reserve(admission, shareOf(caller));
    state.reservation = reservation;
    admission.rateLimiter.spend(shareOf(caller), 1);
    await options.admin.noteBreakGlass(caller, `${request.method} ${shownOf(url.pathname)}`);
    const recheck = () => callerOf(foundKey, request, url, state.from, options, createTimeBudget(), false);
    const isStillCaller = () => isStill(recheck(), (now) => hasRightsOf(now, caller));
    const startedAt = performance.now();
    /** A body may take minutes to arrive: a key that was revoked since must not act. @throws ServiceError Forbidden */
    const requireStillCaller = async () => {
      if (performance.now() - startedAt < slowBodyMs || (await isStillCaller())) return;
      throw new ServiceError("Forbidden", revokedMeanwhile);
    };
    const unreadBody = async () => {
      const limits = { maxBytes: options.maxBodyBytes, hold: reservation.holdBytes };
      const body = await arriving(() => readBody(request, limits));
      if (body.text.length > largeBody) {
        // Waits for those of others.
        state.leave = await admission.largeBodies.acquireSoon(shareOf(caller), request.signal);
      }
      await requireStillCaller();
      if (body.text.length <= smallBody) body.check();
      state.body = body;
      return body;
    };
    const call: Call = {
      request,
      url,
      caller,
      options,
      requestId,
      budget,
      reservation: reservation,
      isStillCaller,
      isInForce: () => isStill(recheck(), () => true),
      unreadBody,
      async text(limit) {
        const maxBytes = Math.min(limit, options.maxBodyBytes);
        const text = await arriving(() => readText(request, { maxBytes, hold: reservation.holdBytes }));
        await requireStillCaller();
        return text;
      },
      doneWithBody: () => doneWithBody(state),
      admitNextBody: () => admitNextBody(state),
      async body() {
        const body = await unreadBody();
        if (body.text.length > smallBody) {
          await admission.heavyWork.runSoon(shareOf(caller), request.signal, body.check);
          await requireStillCaller();
        }
        return body;
      },
    };
    return router.fetch(request, { call, state });
  }

  return {
    async fetch(request, connection) {
      const startedAt = performance.now();
      const written = urlOf(request);
      if (connection.secure) written.protocol = "https:";
      const url = withoutAlias(written);
      const requestId = requestIdOf(request);
      const state: RequestState = { from: addressOf(request, connection.from, options.behindProxy) };
      let response: Response;
      // What has arrived is answered, however long that takes.
      connection.extendTimeout();
      try {
        response = await answer(request, url, requestId, connection, state);
      } catch (error) {
        const reported = disconnectionOf(error, request) ?? error;
        response = failure(reported, options.log, circumstances(requestId, state));
        // Does not wait for the rest of an unread body.
        if (request.body !== null && state.body === undefined) response.headers.set("Connection", "close");
      }
      doneWithBody(state);
      const sending = state.reservation?.answered();
      if (!sending) connection.restoreTimeout();
      const { headers } = response;
      headers.set("X-Request-ID", requestId);
      if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
      headers.set("Referrer-Policy", "no-referrer");
      headers.set("X-Content-Type-Options", "nosniff");
      const { status } = response;
      const ms = performance.now() - startedAt;
      options.metrics.requestAnswered({
        method: request.method,
        route: state.route,
        status,
        seconds: ms / 1000,
      });
      options.log[open.has(url.pathname) || state.route === "console" ? "debug" : "info"]("http.request", {
        method: request.method,
        // Without the query, which may contain the API key.
        path: shownOf(written.pathname),
        status,
        ms: Math.round(ms * 10) / 10,
        request: requestId,
        key: state.caller?.name,
        from: state.from,
      });
      return request.method === "HEAD" ? new Response(null, response) : response;
    },
  };
}

/** The token of a hook is a secret. */
const shownOf = (path: string) => path.replace(/^\/hook\/.*/s, "/hook/***").slice(0, shownPath);

function hasRightsOf(now: Caller, former: Caller): boolean {
  return (
    now.scope === former.scope &&
    isSameReach(now.hosts, former.hosts) &&
    rightsOf(now).join() === rightsOf(former).join() &&
    recipesOf(now).join() === recipesOf(former).join()
  );
}

/** Re-checks a key during a long answer: it may have been revoked, or its hosts changed. */
async function isStill(recheck: Promise<Caller>, fits: (now: Caller) => boolean): Promise<boolean> {
  try {
    return fits(await recheck);
  } catch (error) {
    // An unavailable store does not revoke a key.
    return error instanceof ServiceError && error.kind === "Unavailable";
  }
}

/** Admits the next large body once this one is no longer referenced on the way back. */
function doneWithBody(state: RequestState): void {
  if (state.leave === undefined) return;
  state.body?.forget();
  admitNextBody(state);
}

function admitNextBody(state: RequestState): void {
  const { leave } = state;
  if (leave === undefined) return;
  delete state.leave;
  void yieldToEventLoop().then(leave);
}

function circumstances(request: string, state: RequestState): FailureContext {
  return { request, sent: () => [state.key?.key, state.body?.parsedSoFar()] };
}

/** Detects that the caller disconnected, which is not our fault; only errors caused by that count. */
function disconnectionOf(error: unknown, request: Request): ServiceError | undefined {
  if (!request.signal.aborted) return undefined;
  const caused =
    error === request.signal.reason ||
    (error instanceof Error && error.name === "AbortError") ||
    (error instanceof ServiceError && error.kind === "Cancelled");
  return caused ? new ServiceError("Cancelled", "The caller has disconnected.") : undefined;
}

/**
 * Routes that need no API key and do not count as requests in progress, by path; each handles GET and HEAD.
 */
function openRoutes(options: HttpOptions): ReadonlyMap<string, OpenRoute> {
  const open = new Map<string, OpenRoute>([
    ["/favicon.ico", favicon],
    ["/livez", live],
    ["/llms.txt", llms],
    ["/readyz", createReadyAnswer(options.jobs)],
    ...docsFiles(options),
  ]);
  if (options.openMetrics) open.set("/metrics", () => openMetrics({ options }));
  if (options.openDescription) {
    const describe = (_request: Request, url: URL) =>
      openApi({ options }, describedRoutes, queryOf(descriptionQuery, url));
    open.set("/openapi.json", Object.assign(describe, { query: descriptionQuery }));
    open.set("/docs", docsPage);
  }
  return open;
}
