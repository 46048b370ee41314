/** What each route gets, and the row of a route. */
import type { Caller, Scope } from "../auth/port.ts";
import type { Patience } from "../base/patience.ts";
import type { Body } from "../jobs/port.ts";
import type { HttpOptions } from "./port.ts";
import type { QuerySchema } from "./query.ts";
import type { Reservation } from "./reservation.ts";

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
  readonly reservation: Reservation;
  extendTimeout(): void;
  /** For an answer that goes on: whether the key may still do and see what it could. */
  isStillCaller(): Promise<boolean>;
  /** @throws ServiceError UnsupportedMediaType, PayloadTooLarge, TooManyRequests, BadRequest, Validation */
  body(): Promise<Body>;
  /** Its value is read when it is first asked for, by who takes turns for that. */
  unreadBody(): Promise<Body>;
  /** A body that is no JSON. @throws ServiceError UnsupportedMediaType, PayloadTooLarge, TooManyRequests, BadRequest */
  text(mostBytes: number): Promise<string>;
  /** Before a wait: the value of the body is needed no more. */
  doneWithBody(): void;
  /** For work that may take minutes: other large bodies are read meanwhile. */
  admitNextBody(): void;
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
