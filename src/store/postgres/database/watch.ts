/**
 * Hears what other nodes commit (`notify` of a trigger), so that they are noticed before the next poll. A connection
 * that hears may die without a word, for example after a fail-over: a notice to itself that does not arrive shows it,
 * and a new one takes its place.
 */
import { randomUUID } from "node:crypto";
import { messageOf } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import type { Address } from "./address.ts";
import { connect } from "./client.ts";

/** Of the trigger `events_told`. */
const channel = "patchbay";
const probeEveryMs = 10_000;
const probeAnswerMs = 5_000;

export interface Watch {
  /** Hears on a new connection: the server of the former one is not the primary any more. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param own the name of this process, of which no news is told
 * @param onNews another node has committed something
 */
export function watchOthers(address: Address, own: string, onNews: () => void, log: Log): Watch {
  const self = `probe ${randomUUID()}`;
  let closed = false;
  let session = open();
  let isLost = false;
  let unanswered: ReturnType<typeof setTimeout> | undefined;

  function open(): ReturnType<typeof connect> {
    const made: ReturnType<typeof connect> = connect(address, {
      max: 1,
      // The client would send first what it had not yet sent, before its greeting.
      onclose: () => {
        isLost ||= made === session;
      },
    });
    return made;
  }

  async function listen(): Promise<void> {
    try {
      const listening = session;
      await listening.listen(channel, (payload) => {
        if (payload === self) answered();
        else if (payload !== own && !payload.startsWith("probe ")) onNews();
      });
    } catch (error) {
      if (!closed) log.debug("store.listen_failed", { reason: messageOf(error) });
    }
  }

  function answered(): void {
    clearTimeout(unanswered);
    unanswered = undefined;
  }

  async function probe(): Promise<void> {
    if (closed || unanswered !== undefined) return;
    if (isLost) {
      await renew();
      return;
    }
    unanswered = setTimeout(() => void renew(), probeAnswerMs);
    try {
      await session.notify(channel, self);
    } catch (error) {
      if (!closed) log.debug("store.listen_failed", { reason: messageOf(error) });
    }
  }

  async function renew(): Promise<void> {
    answered();
    if (closed) return;
    log.warn("store.listener_lost");
    const former = session;
    session = open();
    isLost = false;
    await former.end({ timeout: 0 });
    await listen();
    // What was committed meanwhile was not heard.
    onNews();
  }

  void listen();
  const timer = setInterval(() => void probe(), probeEveryMs);
  timer.unref();
  return {
    renew,
    async close() {
      closed = true;
      clearInterval(timer);
      answered();
      await session.end({ timeout: 0 });
    },
  };
}
