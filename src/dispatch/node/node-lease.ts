/** Manages the lease of this node: acquires, renews and releases it, also if the store hangs. */

import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { monotonicMs } from "../../base/time/monotonic.ts";
import type { NodeFacts, NodeFence, Store } from "../../store/port.ts";
import type { LeaseClock, LeaseTimes } from "../port.ts";
export const defaultLeaseTimes: LeaseTimes = { leaseMs: 30_000, renewMs: 10_000, validMs: 25_000 };

export interface LeaseKeeper {
  /**
   * Acquires the lease if there is none. A single try.
   * @returns undefined if another live process has the name.
   */
  acquire(): Promise<NodeFence | undefined>;
  /** The current lease; undefined if there is none, and then no work is claimed. */
  current(): NodeFence | undefined;
  /** Since it was restored after it had lapsed; endless if it never has. */
  heldMs(): number;
  /** Renews or reacquires now. */
  renewNow(): Promise<void>;
  release(): Promise<void>;
  /** Stops renewing without releasing. */
  abandon(): void;
}

export interface LeaseKeeperTools {
  readonly store: Pick<Store, "nodes">;
  readonly facts: Omit<NodeFacts, "leaseMs">;
  readonly times: LeaseTimes;
  readonly leaseClock: LeaseClock;
  readonly log: Log;
  /** The lease was not renewed in time: nothing may be sent. */
  onLeaseLapsed(): void;
  /** The lease was replaced in the store: its claims are gone. */
  onDeclaredDead(lease: NodeFence): void;
  /** A renewal succeeded. */
  onLeaseRestored(lease: NodeFence): void;
}

export function createLeaseKeeper(tools: LeaseKeeperTools): LeaseKeeper {
  const { store, facts, times, leaseClock, log } = tools;
  let lease: NodeFence | undefined;
  let renewTimer: ReturnType<typeof setTimeout> | undefined;
  let lapseTimer: ReturnType<typeof setTimeout> | undefined;
  let lapsed = false;
  let restoredAt = Number.NEGATIVE_INFINITY;
  let stopped = false;
  let failing = false;
  /** Consecutive failures. */
  let failures = 0;
  let acquiring: Promise<NodeFence | undefined> | undefined;

  /** @returns undefined if another live process has the name. */
  function acquire(): Promise<NodeFence | undefined> {
    // Start and renewal may run concurrently: two new leases would replace each other.
    acquiring ??= acquireNow().finally(() => {
      acquiring = undefined;
    });
    return acquiring;
  }

  async function acquireNow(): Promise<NodeFence | undefined> {
    if (lease) return lease;
    const from = monotonicMs();
    const acquired = await store.nodes.acquire({ ...facts, leaseMs: times.leaseMs });
    if (!acquired || stopped) return undefined;
    lease = acquired;
    failures = 0;
    extend(from);
    schedule();
    return acquired;
  }

  function extend(from: number): void {
    leaseClock.extend(from, times.validMs);
    failing = false;
    const wasLapsed = lapsed;
    lapsed = false;
    if (wasLapsed) restoredAt = monotonicMs();
    clearTimeout(lapseTimer);
    if (Number.isFinite(leaseClock.leftMs())) lapseTimer = setTimeout(lapse, leaseClock.leftMs());
    if (lease && wasLapsed) tools.onLeaseRestored(lease);
  }

  function lapse(): void {
    if (leaseClock.isValid()) {
      lapseTimer = setTimeout(lapse, leaseClock.leftMs());
      return;
    }
    if (lapsed || stopped) return;
    lapsed = true;
    log.error("node.lease_lapsed", { node: facts.name });
    tools.onLeaseLapsed();
  }

  function schedule(): void {
    clearTimeout(renewTimer);
    if (!stopped) renewTimer = setTimeout(() => void renewNow().finally(schedule), waitMs());
  }

  /** Retries soon after a failure; retries to acquire back off but never stop. */
  function waitMs(): number {
    if (lease) return failing || lapsed ? times.renewMs / 10 : times.renewMs;
    return Math.min(times.renewMs, (times.renewMs / 10) * 2 ** Math.min(failures, 8));
  }

  async function renewNow(): Promise<void> {
    if (stopped) return;
    try {
      if (lease) await renew(lease);
      else await reacquire();
    } catch (error) {
      log.warn(lease ? "node.renew_failed" : "node.lease_failed", {
        reason: messageOf(error),
      });
      if (lease) failing = true;
      else failures++;
    }
  }

  async function renew(fence: NodeFence): Promise<void> {
    const from = monotonicMs();
    // A process that was suspended notices here first that its lease has lapsed.
    if (!leaseClock.isValid()) lapse();
    if (await store.nodes.renew(fence, times.leaseMs, times.renewMs / 2)) return extend(from);
    leaseClock.end();
    log.error("node.declared_dead", { node: fence.name, generation: fence.generation });
    lapsed = true;
    lease = undefined;
    tools.onDeclaredDead(fence);
    await reacquire();
  }

  async function reacquire(): Promise<void> {
    if (await acquire()) return;
    failures++;
    if (!stopped) log.error("node.name_taken", { node: facts.name });
  }

  function halt(): void {
    stopped = true;
    clearTimeout(renewTimer);
    clearTimeout(lapseTimer);
  }

  return {
    acquire,
    current: () => lease,
    heldMs: () => (leaseClock.isValid() ? monotonicMs() - restoredAt : 0),
    renewNow,
    abandon: halt,
    async release() {
      halt();
      if (lease) await store.nodes.setState(lease, "dead");
      leaseClock.end();
    },
  };
}
