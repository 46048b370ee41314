/**
 * Opens sessions on one connection. Servers limit them (`MaxSessions`) and refuse further ones until another has ended.
 */

import { ServiceError } from "../../base/errors.ts";
import { abortReason, onAbort, pause, type TimeLimit } from "../../base/time/deadline.ts";
import { where } from "./login/target.ts";
import type { Closable } from "./session-count.ts";
import { ask, type Done, type Transport } from "./transport.ts";

/**
 * A server frees a session shortly after it reports it closed, so the next one may come too early. After these retries,
 * only the end of another session of this connection helps.
 */
const moments = [10, 20, 40, 80, 160, 320];

/** Like `ask`, for a session channel: if there are too many, it waits as long as the task lasts. */
export async function askSession<T extends Closable>(
  transport: Transport,
  limit: TimeLimit,
  operation: string,
  start: (done: Done<T>) => void,
  discard?: (late: T) => void,
): Promise<T> {
  const { sessions, endpoint } = transport;
  let lastChanges = sessions.changes();
  for (let refusals = 0; ; refusals++) {
    try {
      const channel = await ask(transport, limit, operation, start, discard);
      sessions.add(channel);
      return channel;
    } catch (error) {
      if (!isTooMany(error)) throw error;
      // Other sessions open and close: there is room, but not for all at once.
      if (sessions.changes() !== lastChanges) refusals = 0;
      lastChanges = sessions.changes();
      const moment = moments[refusals];
      if (moment === undefined && sessions.open() === 0) {
        const message = `${where(endpoint)} did not ${operation}: it refused another session on this connection (MaxSessions)`;
        throw new ServiceError("DriverError", message, { outcome: "none" }, { cause: error });
      }
      if (moment !== undefined) await pause(moment, limit.signal);
      else {
        await nextEnd(transport, limit);
        refusals = -1;
      }
    }
  }
}

/** RFC 4254 section 5.1: SSH_OPEN_CONNECT_FAILED, which OpenSSH sends here, and SSH_OPEN_RESOURCE_SHORTAGE. */
const tooMany: readonly unknown[] = [2, 4];

function isTooMany(error: unknown): boolean {
  if (!(error instanceof ServiceError) || !(error.cause instanceof Error)) return false;
  return "reason" in error.cause && tooMany.includes(error.cause.reason);
}

function nextEnd({ sessions, ended }: Transport, { signal }: TimeLimit): Promise<void> {
  return new Promise((resolve, reject) => {
    const stops: (() => void)[] = [];
    const finish = (settle: () => void) => {
      for (const stop of stops) stop();
      settle();
    };
    sessions.onNextEnd(() => finish(resolve));
    for (const signalOf of [ended, signal])
      stops.push(onAbort(signalOf, () => finish(() => reject(abortReason(signalOf)))));
  });
}
