/** Whether the far side answers: a request that means nothing, and needs no session of it. */
import { createDeadline, type TimeLimit } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import type { Client } from "./ssh2.ts";
import { connectionLost } from "./target.ts";
import { ask, type Transport } from "./transport.ts";

/** Parts of ssh2 that are not public: its keepalive, and those who wait for answers, in the order of the questions. */
interface Pinging {
  readonly _protocol: { ping(): void };
  readonly _callbacks: ((failed: boolean | Error) => void)[];
}

/** Any answer will do: that it does not know the request is one. False when none comes in time. */
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
