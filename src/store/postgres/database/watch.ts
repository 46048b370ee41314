/**
 * Hears what other nodes commit (`notify` of a trigger), so that they are noticed before the next poll. It hears only while
 * somebody listens: each notice wakes every process that hears it, here and at the server. A connection that hears may
 * die without a word, for example after a fail-over: a notice to itself that does not arrive shows it, and a new one takes
 * its place.
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
/** It hears for a while after the last listener has gone: there may soon be another one. */
const restMs = 1_000;

export interface Watch {
  /**
   * @param listener another node has committed something; not called for what it commits before this node hears it
   * @returns unsubscribes
   */
  onNews(listener: () => void): () => void;
  /** Hears on a new connection: the server of the former one is not the primary any more. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** @param own the name of this process, of which no news is told */
export function watchOthers(address: Address, own: string, log: Log): Watch {
  const self = `probe ${randomUUID()}`;
  const listeners = new Set<() => void>();
  let closed = false;
  let session = open();
  let isLost = false;
  let unanswered: ReturnType<typeof setTimeout> | undefined;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let probing: ReturnType<typeof setInterval> | undefined;
  /** One after the other. */
  let last = Promise.resolve();
  /** The session that hears, or begins to. */
  let hearing: ReturnType<typeof connect> | undefined;

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

  const onNews = () => {
    for (const listener of listeners) listener();
  };

  let stopHearing: () => Promise<unknown> = async () => {};

  /** Hears or rests, as it is wanted by then. */
  function settle(): Promise<void> {
    last = last.then(async () => {
      const isWanted = probing !== undefined && !closed;
      try {
        if (isWanted && hearing !== session) await listen();
        else if (!isWanted && hearing === session) {
          hearing = undefined;
          await stopHearing();
        }
      } catch (error) {
        notHeard(error);
      }
    });
    return last;
  }

  async function listen(): Promise<void> {
    const on = session;
    hearing = on;
    let isAgain = false;
    const heard = (payload: string) => {
      if (payload === self) answered();
      else if (payload !== own && !payload.startsWith("probe ")) onNews();
    };
    try {
      const { unlisten } = await on.listen(channel, heard, () => {
        // The client has connected again by itself: it would not stop any more.
        if (isAgain && on === session) void renew();
        isAgain = true;
      });
      stopHearing = unlisten;
    } catch (error) {
      // The client would not try again in this session.
      isLost ||= on === session;
      throw error;
    }
  }

  function notHeard(error: unknown): void {
    if (!closed) log.debug("store.listen_failed", { reason: messageOf(error) });
  }

  function begin(): void {
    probing = setInterval(() => void probe(), probeEveryMs);
    probing.unref();
    void settle();
  }

  function rest(): void {
    clearInterval(probing);
    probing = undefined;
    answered();
    void settle();
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
      notHeard(error);
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
    if (probing === undefined) return;
    await settle();
    // What was committed meanwhile was not heard.
    onNews();
  }

  return {
    onNews(listener) {
      // Each has its own place, also if it is the same function twice.
      const one = () => listener();
      listeners.add(one);
      clearTimeout(resting);
      if (probing === undefined && !closed) begin();
      return () => {
        if (!listeners.delete(one) || listeners.size > 0 || closed) return;
        resting = setTimeout(rest, restMs);
        resting.unref();
      };
    },
    renew,
    async close() {
      closed = true;
      clearInterval(probing);
      probing = undefined;
      clearTimeout(resting);
      answered();
      await session.end({ timeout: 0 });
    },
  };
}
