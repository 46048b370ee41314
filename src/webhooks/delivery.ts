/** Delivers webhooks in order of job ends, one at a time per receiver, with the requested retry intervals. */

import { createHolders } from "../auth/holders.ts";
import { messageOf, ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { createFairSemaphore } from "../base/share/fair-semaphore.ts";
import { createDeadline, onAbort, pause } from "../base/time/deadline.ts";
import { createPollPace } from "../base/time/poll-pace.ts";
import { readWebhookContent, type WebhookContent } from "../jobs/request/webhook-content.ts";
import type { Pool } from "../pool/port.ts";
import {
  type DeliveryAttempt,
  type DueDelivery,
  type NodeFence,
  ownerChars,
  type Store,
} from "../store/port.ts";
import { createFailingReceivers } from "./failing.ts";
import { webhookMessage } from "./message.ts";
import { keyIsGone } from "./standing.ts";

export interface WebhookDelivery {
  wake(): void;
  /** Starts no further delivery. Running ones get a moment to end; the next start repeats what was cut off. */
  stop(): Promise<void>;
}

export interface WebhookDeliveryTools {
  readonly store: Pick<Store, "deliveries" | "jobs" | "keys" | "persons" | "roles" | "clock" | "shared">;
  readonly pool: Pool;
  readonly log: Log;
  readonly iso: (ms: number) => string;
  lease(): NodeFence | undefined;
}

const claimMost = 64;
/**
 * Receivers served concurrently: a hanging one blocks only its own deliveries. Limited per key, because all receivers
 * of a key may hang for minutes; those that failed last time take no more than half of it.
 */
const receiversMost = 192;
const receiversOfKey = 32;
/** Few messages above this size are held at once: a receiver may take two minutes to read one. */
const largeBytes = 512 * 1024;
const largeOnes = { atOnce: 6, perKey: 3 } as const;
const maxSleepMs = 60_000;
/** Poll interval on a shared store: other nodes deliver for their jobs, unless they died or are overloaded. */
const sharedSleep = { leastMs: 5_000, maxMs: 30_000 } as const;
const retryMs = 2_000;
const betweenMs = 20;
/** Grace period after the plugin's own timeout. */
const graceMs = 3_000;
/** Time for running deliveries at shutdown. */
const cutMs = 2_000;

export function createWebhookDelivery({
  store,
  pool,
  log,
  iso,
  lease: currentLease,
}: WebhookDeliveryTools): WebhookDelivery {
  const holders = createHolders(store);
  const receivers = new Map<string, Promise<void>>();
  let running: Promise<void> | undefined;
  let pollAgain = false;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pace = createPollPace(sharedSleep);
  const cutting = new AbortController();
  const large = createFairSemaphore(largeOnes);
  const failing = createFailingReceivers(store.clock.steady);

  function wake(): void {
    pollAgain = true;
    if (!stopped) running ??= deliverDue();
  }

  /** Claims only if a cheap read finds something due. */
  async function poll(): Promise<void> {
    try {
      const dueMs = await store.deliveries.nextDueMs();
      if (dueMs === 0) wake();
      else sleep(dueMs);
    } catch (error) {
      if (stopped) return;
      log.warn("webhook.store_failed", { reason: String(error) });
      wakeIn(retryMs);
    }
  }

  async function deliverDue(): Promise<void> {
    while (pollAgain && !stopped) {
      pollAgain = false;
      try {
        await takeDue();
        sleep(await store.deliveries.nextDueMs());
        // Many jobs end together: one poll serves them all.
        if (pollAgain) await pause(betweenMs);
      } catch (error) {
        log.warn("webhook.store_failed", { reason: String(error) });
        wakeIn(retryMs);
      }
    }
    running = undefined;
  }

  async function takeDue(): Promise<void> {
    const lease = currentLease();
    if (!lease || receivers.size >= receiversMost) return;
    const busy = [...receivers.keys()];
    const byOwner = Map.groupBy(busy, (receiver) => receiver.slice(0, ownerChars));
    const full = [...byOwner].flatMap(([owner, its]) => (its.length >= receiversOfKey ? [owner] : []));
    const skipped = [...busy, ...failing.setAside(busy)];
    const deliveries = await store.deliveries.claim(lease, skipped, claimMost, full);
    if (deliveries.length > 0) pace.looked(true);
    // Other keys may have more due.
    if (deliveries.length === claimMost) pollAgain = true;
    for (const [receiver, list] of byReceiver(deliveries)) {
      // Each that begins may be the last that its key has room for; the others are claimed again later.
      if (failing.setAside(receivers.keys()).includes(receiver)) continue;
      const served = serve(lease, list).finally(() => {
        receivers.delete(receiver);
        wake();
      });
      receivers.set(receiver, served);
    }
  }

  function sleep(nextMs: number | undefined): void {
    pace.looked(false);
    const maxWaitMs = store.shared ? pace.nextMs() : maxSleepMs;
    const dueMs = nextMs ?? maxWaitMs;
    // Due deliveries are running, or wait for their receiver, which wakes this when done or rested.
    const restMs = failing.nextMs() ?? retryMs;
    wakeIn(Math.min(maxWaitMs, dueMs === 0 ? Math.min(retryMs, restMs) : dueMs + 5));
  }

  function wakeIn(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void poll(), ms);
  }

  async function serve(lease: NodeFence, list: readonly DueDelivery[]): Promise<void> {
    for (const delivery of list) {
      if (stopped) return;
      try {
        const receiverFailed = await deliver(lease, delivery);
        // The rest is claimed again when it has rested.
        if (receiverFailed) return;
      } catch (error) {
        log.warn("webhook.not_recorded", { job: delivery.jobId, reason: String(error) });
      }
    }
  }

  /** @returns whether the receiver did not take it */
  async function deliver(lease: NodeFence, delivery: DueDelivery): Promise<boolean> {
    const at = store.clock.wall();
    const giveUp = async (error: string) => {
      await store.deliveries.record(lease, delivery, { at, status: null, error }, "failed");
      return false;
    };
    if (delivery.content === undefined) return giveUp("the stored webhook is damaged");
    const webhook = readWebhookContent(delivery.content);
    const { plan, owner } = webhook;
    if (owner !== undefined && !(await isInForce(owner))) return giveUp(keyIsGone);
    const startedAt = store.clock.steady();
    const outcome = await send(delivery, webhook, at);
    if (outcome === undefined) return giveUp("the job was deleted");
    // Cut off by shutdown: does not count as an attempt.
    if (!outcome.ok && cutting.signal.aborted) return false;
    const entry: DeliveryAttempt = {
      at,
      status: outcome.status,
      ...(outcome.ok ? {} : { error: outcome.error }),
    };
    if (outcome.ok) {
      failing.answered(delivery.receiver);
      await store.deliveries.record(lease, delivery, entry, "delivered");
      return false;
    }
    failing.failed(delivery.receiver, store.clock.steady() - startedAt);
    const { retries, intervals } = plan;
    const intervalS = intervals[Math.min(delivery.tries, intervals.length - 1)] ?? 0;
    const next = delivery.tries < retries ? intervalS * 1000 : "failed";
    log.warn("webhook.failed", {
      job: delivery.jobId,
      attempt: delivery.tries + 1,
      error: outcome.error,
      next,
    });
    await store.deliveries.record(lease, delivery, entry, next);
    return true;
  }

  async function isInForce(id: string): Promise<boolean> {
    return (await holders.byId(id))?.state === "in_force";
  }

  /** @returns undefined if the job no longer exists */
  async function send(delivery: DueDelivery, webhook: WebhookContent, now: number) {
    const { includeResult, timeout } = webhook.plan;
    if (webhook.message !== undefined) return attempt(webhook, webhook.message, timeout * 1000 + graceMs);
    const [head] = await store.jobs.heads({ ids: [delivery.jobId] }, 1);
    if (head === undefined) return undefined;
    const load = async () => (await store.jobs.load([head.seq], { result: includeResult }))[0];
    const small = head.bytes > largeBytes ? undefined : (await load())?.openUpTo(largeBytes);
    const leave = small ? undefined : await large.acquire(delivery.receiver.slice(0, ownerChars));
    try {
      if (cutting.signal.aborted) return { ok: false, status: null, error: "the service has stopped" };
      const job = small ?? (await load())?.open();
      if (job === undefined) return undefined;
      const payload = webhookMessage(job, webhook, delivery, { includeResult, iso, now });
      return await attempt(webhook, payload, timeout * 1000 + graceMs);
    } finally {
      leave?.();
    }
  }

  async function attempt({ webhook, options, reach = [] }: WebhookContent, payload: string, limitMs: number) {
    const deadline = createDeadline(
      limitMs,
      () => new ServiceError("JobTimeout", "The receiver did not answer in time."),
    );
    const unlisten = onAbort(cutting.signal, () =>
      deadline.abort(new ServiceError("Cancelled", "The service has stopped.")),
    );
    try {
      const { ok, status, message } = await pool.run(
        { kind: "deliver", webhook, options, payload, reach },
        { deadline },
      );
      return { ok, status, error: message ?? `answered ${status}` };
    } catch (error) {
      return { ok: false, status: null, error: messageOf(error) };
    } finally {
      unlisten();
      deadline.dispose();
    }
  }

  async function ended(): Promise<void> {
    await running;
    await Promise.all(receivers.values());
  }

  return {
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.race([ended(), pause(cutMs)]);
      cutting.abort();
      await ended();
    },
  };
}

function byReceiver(deliveries: readonly DueDelivery[]): Map<string, DueDelivery[]> {
  const lists = new Map<string, DueDelivery[]>();
  for (const delivery of deliveries)
    lists.set(delivery.receiver, [...(lists.get(delivery.receiver) ?? []), delivery]);
  return lists;
}
