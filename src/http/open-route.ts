/** Routes that need no key: limited by the caller's address in place of a key. */
import type * as v from "valibot";
import type { Body } from "../api/body.ts";
import { ServiceError } from "../base/errors.ts";
import type { HttpOptions } from "./port.ts";
import { type QuerySchema, queryOf, requireParameters } from "./query.ts";
import { readBody, readText } from "./request/body.ts";
import type { Reservation } from "./request/reservation.ts";
import type { RouteFacts } from "./route.ts";

export interface OpenCall {
  readonly request: Request;
  readonly url: URL;
  readonly options: HttpOptions;
  /** Address of the caller; null on a Unix socket. */
  readonly from: string | null;
  /** The step `:name` of the path; empty if there is none. */
  readonly name: string;
  /** @throws ServiceError UnsupportedMediaType, PayloadTooLarge, TooManyRequests, BadRequest */
  text(maxBytes: number): Promise<string>;
  /** A body of JSON. @throws ServiceError as `text`, Validation */
  body(maxBytes: number): Promise<Body>;
}

interface OpenFacts extends RouteFacts {
  /** Accepts parameters that it does not name. */
  readonly lenient?: true;
  /** Of the rate that one address has. */
  readonly cost: number;
  /** What there are too many of from one address; default: sign-ins. */
  readonly counted?: string;
}

interface Definition<Q extends QuerySchema> extends OpenFacts {
  readonly query: Q;
  handle(call: OpenCall, query: v.InferOutput<Q>): Response | Promise<Response>;
}

export interface OpenRouteDefinition extends OpenFacts {
  readonly query: QuerySchema;
  readonly handle: (call: OpenCall) => Response | Promise<Response>;
}

export function openRoute<const Q extends QuerySchema>(definition: Definition<Q>): OpenRouteDefinition {
  return {
    ...definition,
    handle: (call) => definition.handle(call, queryOf(definition.query, call.url)),
  };
}

/** Reads a body while the connection may not be idle. */
type Arriving = <T>(body: () => Promise<T>) => Promise<T>;

export interface OpenRoutes {
  /** Undefined: the request is not for one of these. */
  find(request: Request, url: URL): OpenRouteDefinition | undefined;
  /** For the `Allow` header. */
  methodsAt(path: string): string[];
  /** Who is limited: one address, in place of a key. */
  callerAt(from: string | null): string;
  answer(
    route: OpenRouteDefinition,
    request: Request,
    url: URL,
    from: string | null,
    reservation: Reservation,
    arriving: Arriving,
  ): Promise<Response>;
}

export function createOpenRoutes(options: HttpOptions, table: readonly OpenRouteDefinition[]): OpenRoutes {
  const callerAt = (from: string | null) => `address ${from ?? "of a Unix socket"}`;
  return {
    find: (request, url) =>
      table.find(({ method, path }) => method === request.method && fits(path, url.pathname)),
    methodsAt: (path) => table.filter((route) => fits(route.path, path)).map(({ method }) => method),
    callerAt,
    async answer(route, request, url, from, reservation, arriving) {
      spend(options, callerAt(from), route);
      if (!route.lenient) requireParameters(route.query, url);
      return route.handle({
        request,
        url,
        options,
        from,
        name: nameIn(route.path, url.pathname),
        text: (maxBytes) => arriving(() => readText(request, { maxBytes, hold: reservation.holdBytes })),
        body: (maxBytes) => arriving(() => readBody(request, { maxBytes, hold: reservation.holdBytes })),
      });
    },
  };
}

/** @throws ServiceError TooManyRequests */
function spend({ admission }: HttpOptions, caller: string, { cost, counted = "sign-ins" }: OpenFacts): void {
  try {
    admission.openRate.spend(caller, cost);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.kind, `There are too many ${counted} from this address.`, error.detail);
  }
}

/** On the raw path, as for all routes. */
function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  return (
    wanted.length === given.length &&
    wanted.every((step, at) => (step === ":name" ? given[at] !== "" : step === given[at]))
  );
}

function nameIn(pattern: string, path: string): string {
  const at = pattern.split("/").indexOf(":name");
  return at < 0 ? "" : (path.split("/")[at] ?? "");
}
