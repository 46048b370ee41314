/** The part of a connection that every operation uses: the client, and a way to await it that never hangs. */

import { messageOf, ServiceError } from "../../base/errors.ts";
import type { Endpoint } from "../../base/net/dial.ts";
import { abortReason, onAbort, type TimeLimit } from "../../base/time/deadline.ts";
import { where } from "./login/target.ts";
import type { SessionCount } from "./session-count.ts";
import type { Client } from "./ssh2.ts";

export interface Transport {
  readonly client: Client;
  readonly endpoint: Endpoint;
  /** Aborted when the connection ends, for any reason; the abort reason is the error to report. */
  readonly ended: AbortSignal;
  readonly sessions: SessionCount;
  /** Milliseconds for which reading from the server was held, in all. */
  heldMs(): number;
}

export type Done<T> = (error: Error | null | undefined, value: T) => void;

/**
 * Calls `start` and waits for its callback, at most as long as the task and the connection last.
 * @param operation the request as an error message words it: `open a shell`
 * @param discard receives a value that arrived too late
 */
export function ask<T>(
  transport: Transport,
  limit: TimeLimit,
  operation: string,
  start: (done: Done<T>) => void,
  discard: (late: T) => void = () => {},
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let isOver = false;
    const stops: (() => void)[] = [];
    const finish = (settle: () => void) => {
      isOver = true;
      for (const stop of stops) stop();
      settle();
    };
    const fail = (error: ServiceError) => {
      if (!isOver) finish(() => reject(error));
    };
    stops.push(onAbort(transport.ended, fail));
    if (!isOver) stops.push(onAbort(limit.signal, fail));
    if (isOver) return;
    try {
      start((error, value) => {
        if (error) fail(refused(transport, operation, error));
        else if (isOver) discard(value);
        else finish(() => resolve(value));
      });
    } catch (error) {
      fail(refused(transport, operation, error));
    }
  });
}

function refused({ endpoint, ended }: Transport, operation: string, error: unknown): ServiceError {
  if (ended.aborted) return abortReason(ended);
  if (error instanceof ServiceError) return error;
  const errorText = messageOf(error);
  const message = `${where(endpoint)} did not ${operation}: ${errorText}`;
  return new ServiceError(
    /not connected|no response from server/i.test(errorText) ? "ConnectionLost" : "DriverError",
    message,
    undefined,
    { cause: error },
  );
}
