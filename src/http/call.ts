/** The context of each route handler, and the row type of the route table. */

import type { Body } from "../api/body.ts";
import type { Caller } from "../auth/port.ts";
import type { TimeBudget } from "../base/time/time-budget.ts";
import type { HttpOptions } from "./port.ts";
import type { Reservation } from "./request/reservation.ts";

export interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  readonly options: HttpOptions;
  readonly requestId: string;
  /** Time budget for store calls before the answer. */
  readonly budget: TimeBudget;
  /** The step `:name` of the path. */
  readonly name?: string;
  /** The step of the path behind it. */
  readonly item?: string;
  /** Resources held by this request; released once the answer has been sent. */
  readonly reservation: Reservation;
  /** For long-running answers: whether the key still has the same rights. */
  isStillCaller(): Promise<boolean>;
  /** After a wait: whether the key has been neither revoked nor expired. */
  isInForce(): Promise<boolean>;
  /** @throws ServiceError UnsupportedMediaType, PayloadTooLarge, TooManyRequests, BadRequest, Validation */
  body(): Promise<Body>;
  /** Like `body`, but not parsed yet: the consumer parses it when its turn comes. */
  unreadBody(): Promise<Body>;
  /**
   * A body that is not JSON.
   * @throws ServiceError UnsupportedMediaType, PayloadTooLarge, TooManyRequests, BadRequest
   */
  text(maxBytes: number): Promise<string>;
  /** Releases the parsed body; called before a wait. */
  doneWithBody(): void;
  /** For work that may take minutes: allows other large bodies to be read meanwhile. */
  admitNextBody(): void;
}

export type Route = (call: Call) => Response | Promise<Response>;
