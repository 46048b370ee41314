/** The life of this node: begun at start, renewed in time, ended in order; what happens when the store hangs. */

import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { NodeLife } from "../store/claims.ts";
import type { NodeFacts } from "../store/nodes.ts";
import type { Store } from "../store/store.ts";
import { monotonicMs, type Trust } from "./trust.ts";

export interface LifeTimes {
  /** The lease in the store. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** How long a renewal is trusted here, from when it was sent: shorter than the lease. */
  readonly trustMs: number;
}

export const defaultLifeTimes: LifeTimes = { leaseMs: 30_000, renewMs: 10_000, trustMs: 25_000 };

export interface Life {
  begin(): Promise<NodeLife>;
  current(): NodeLife | undefined;
  /** Renews now. */
  beat(): Promise<void>;
  end(): Promise<void>;
  /** Renews no more, and leaves the row as it is. */
  abandon(): void;
}

export interface LifeTools {
  readonly store: Pick<Store, "nodes">;
  readonly facts: Omit<NodeFacts, "leaseMs">;
  readonly times: LifeTimes;
  readonly trust: Trust;
  readonly log: Log;
  /** The lease could not be renewed in time: nothing may be sent. */
  onTrustLost(): void;
  /** Another life took this one's place in the store: its claims are gone. */
  onDeclaredDead(life: NodeLife): void;
  /** A renewal worked (again). */
  onTrusted(life: NodeLife): void;
}

export function createLife(tools: LifeTools): Life {
  const { store, facts, times, trust, log } = tools;
  let life: NodeLife | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let watch: ReturnType<typeof setTimeout> | undefined;
  let distrusted = false;
  let over = false;
  let failing = false;

  async function begin(): Promise<NodeLife> {
    const from = monotonicMs();
    const begun = await store.nodes.begin({ ...facts, leaseMs: times.leaseMs });
    if (!begun) {
      const text = `The node name "${facts.name}" is in use by another process on this store. Give this one another name (PATCHBAY_NODE), or wait until its lease is over.`;
      throw new ServiceError("Unavailable", text);
    }
    life = begun;
    trusted(from);
    schedule();
    return begun;
  }

  function trusted(from: number): void {
    trust.extend(from, times.trustMs);
    failing = false;
    const again = distrusted;
    distrusted = false;
    clearTimeout(watch);
    if (Number.isFinite(trust.left())) watch = setTimeout(lose, trust.left());
    if (life && again) tools.onTrusted(life);
  }

  function lose(): void {
    if (trust.lasts()) {
      watch = setTimeout(lose, trust.left());
      return;
    }
    if (distrusted || over) return;
    distrusted = true;
    log.error("node.trust_lost", { node: facts.name });
    tools.onTrustLost();
  }

  function schedule(): void {
    clearTimeout(timer);
    if (!over)
      timer = setTimeout(
        () => void beat().finally(schedule),
        failing || distrusted ? times.renewMs / 10 : times.renewMs,
      );
  }

  async function beat(): Promise<void> {
    if (!life || over) return;
    const from = monotonicMs();
    try {
      // A process that was stopped finds here that its time is over, before it does anything else.
      if (!trust.lasts()) lose();
      if (await store.nodes.renew(life, times.leaseMs, times.renewMs / 2)) trusted(from);
      else await rebegin(life);
    } catch (error) {
      log.warn("node.renew_failed", { reason: error instanceof Error ? error.message : String(error) });
      failing = true;
    }
  }

  async function rebegin(former: NodeLife): Promise<void> {
    trust.end();
    log.error("node.declared_dead", { node: former.name, generation: former.generation });
    distrusted = true;
    life = undefined;
    tools.onDeclaredDead(former);
    const from = monotonicMs();
    const begun = await store.nodes.begin({ ...facts, leaseMs: times.leaseMs });
    life = begun ?? former;
    if (begun) trusted(from);
  }

  function halt(): void {
    over = true;
    clearTimeout(timer);
    clearTimeout(watch);
  }

  return {
    begin,
    current: () => life,
    beat,
    abandon: halt,
    async end() {
      halt();
      if (life) await store.nodes.setState(life, "dead");
      trust.end();
    },
  };
}
