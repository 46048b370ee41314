/** Liveness check: a request without effect that needs no session. */

import { ServiceError } from "../../base/errors.ts";
import { createDeadline, type TimeLimit } from "../../base/time/deadline.ts";
import type { Client } from "./ssh2.ts";
import { connectionLost } from "./target.ts";
import { ask, type Transport } from "./transport.ts";

/** Non-public parts of ssh2: its keepalive, and the callbacks waiting for replies, in request order. */
interface Pinging {
  readonly _protocol: { ping(): void };
  readonly _callbacks: ((failed: boolean | Error) => void)[];
}

/** Any reply counts, including "unknown request". Returns false if none arrives in time. */
export async function answers(transport: Transport, withinMs: number, limit: TimeLimit): Promise<boolean> {
  const late = createDeadline(Math.min(withinMs, limit.remaining()), () =>
    connectionLost(transport.endpoint),
  );
  try {
    await ask<void>(transport, { signal: late.signal, remaining: late.remaining }, "answer", (done) => {
      const client = transport.client as Client & Pinging;
      client._callbacks.push((failed) => done(failed instanceof Error ? failed : undefined, undefined));
      client._protocol.ping();
    });
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  } finally {
    late.dispose();
  }
}
