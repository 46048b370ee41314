/** What the HTTP layer is made of, and what each route gets. */

import type { Caller, Scope } from "../auth/port.ts";
import type { Log } from "../base/log.ts";
import type { Patience } from "../base/patience.ts";
import type { Body, Jobs } from "../jobs/port.ts";
import type { Admission } from "../queue/port.ts";
import type { Authenticate } from "./auth.ts";
import type { QuerySchema } from "./query.ts";
import type { Stay } from "./reservation.ts";

export interface HttpOptions {
  readonly jobs: Jobs;
  readonly admission: Admission;
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
  /** What is left of it where the request has waited already. */
  readonly patience?: Patience;
  /** Lets a slow answer outlive the idle limit of the connection. */
  extendTimeout(): void;
  /** The answer is there: whoever does not read it is cut off again. */
  restoreTimeout(): void;
}

export interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  readonly options: HttpOptions;
  readonly requestId: string;
  /** For what is asked of the store before the answer. */
  readonly patience: Patience;
  /** The engine in the path of a template route. */
  readonly name?: string;
  /** What it holds of the service, given back when its answer was sent. */
  readonly stay: Stay;
  extendTimeout(): void;
  /** @throws ServiceError UnsupportedMediaType, PayloadTooLarge, TooManyRequests, BadRequest, Validation */
  body(): Promise<Body>;
  /** Its value is read when it is first asked for, by who takes turns for that. */
  unreadBody(): Promise<Body>;
}

export type Route = (call: Call) => Response | Promise<Response>;

/** Method, path, least scope, what it does, its parameters; without those it has none. */
export type RouteRow = readonly [
  method: string,
  path: string,
  scope: Scope,
  route: Route,
  query?: QuerySchema,
];
