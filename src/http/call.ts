/** What the HTTP layer is made of, and what each route gets. */
import type { Caller, Scope } from "../auth/caller.ts";
import type { Log } from "../base/log.ts";
import type { Body, Jobs } from "../jobs/api.ts";
import type { Authenticate } from "./auth.ts";

export interface HttpOptions {
  readonly jobs: Jobs;
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly apiVersion: string;
  readonly maxBodyBytes: number;
  readonly keyInQuery: boolean;
  /** The last address of X-Forwarded-For is the caller's; X-Forwarded-Host and -Proto tell our own origin. */
  readonly behindProxy: boolean;
}

/** What the runtime knows of a request besides the request. */
export interface Arrival {
  readonly from: string | null;
  /** Lets a slow answer outlive the idle limit of the connection. */
  extendTimeout(): void;
}

export interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  readonly options: HttpOptions;
  readonly requestId: string;
  /** The engine in the path of a template route. */
  readonly name?: string;
  extendTimeout(): void;
  /** @throws ServiceError UnsupportedMediaType, PayloadTooLarge, BadRequest, Validation */
  body(): Promise<Body>;
}

export type Route = (call: Call) => Response | Promise<Response>;

/** Method, path, least scope, what it does. */
export type RouteRow = readonly [method: string, path: string, scope: Scope, route: Route];
