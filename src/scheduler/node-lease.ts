/** The life of this node: begun at start, renewed in time, ended in order; what happens when the store hangs. */

import type { Log } from "../base/log.ts";
import type { NodeLife } from "../store/libsql/claims.ts";
import type { NodeFacts } from "../store/libsql/nodes.ts";
import type { Store } from "../store/libsql/store.ts";
import { monotonicMs, type Trust } from "./lease-clock.ts";

export interface LifeTimes {
  /** The lease in the store. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** How long a renewal is trusted here, from when it was sent: shorter than the lease. */
  readonly trustMs: number;
}

export const defaultLifeTimes: LifeTimes = { leaseMs: 30_000, renewMs: 10_000, trustMs: 25_000 };

export interface Life {
  /**
   * Begins a life where there is none; tries once.
   * @returns undefined when another process lives under the name.
   */
  begin(): Promise<NodeLife | undefined>;
  /** Undefined before the first life, and from the end of one until the next has begun: nothing is taken then. */
  current(): NodeLife | undefined;
  /** Renews now, or begins anew. */
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
  /** Lives that could not be begun, one after the other. */
  let failures = 0;
  let beginning: Promise<NodeLife | undefined> | undefined;

  /** @returns undefined when another process lives under the name. */
  function begin(): Promise<NodeLife | undefined> {
    // The start of the node and a beat may ask at the same time: two lives would bury each other.
    beginning ??= beginNow().finally(() => {
      beginning = undefined;
    });
    return beginning;
  }

  async function beginNow(): Promise<NodeLife | undefined> {
    if (life) return life;
    const from = monotonicMs();
    const begun = await store.nodes.begin({ ...facts, leaseMs: times.leaseMs });
    if (!begun || over) return undefined;
    life = begun;
    failures = 0;
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
    if (!over) timer = setTimeout(() => void beat().finally(schedule), waitMs());
  }

  /** Soon again while something fails; a life that can not be begun is tried for ever, ever slower. */
  function waitMs(): number {
    if (life) return failing || distrusted ? times.renewMs / 10 : times.renewMs;
    return Math.min(times.renewMs, (times.renewMs / 10) * 2 ** Math.min(failures, 8));
  }

  async function beat(): Promise<void> {
    if (over) return;
    try {
      if (life) await renew(life);
      else await beginAgain();
    } catch (error) {
      log.warn(life ? "node.renew_failed" : "node.begin_failed", {
        reason: error instanceof Error ? error.message : String(error),
      });
      if (life) failing = true;
      else failures++;
    }
  }

  async function renew(held: NodeLife): Promise<void> {
    const from = monotonicMs();
    // A process that was stopped finds here that its time is over, before it does anything else.
    if (!trust.lasts()) lose();
    if (await store.nodes.renew(held, times.leaseMs, times.renewMs / 2)) return trusted(from);
    trust.end();
    log.error("node.declared_dead", { node: held.name, generation: held.generation });
    distrusted = true;
    life = undefined;
    tools.onDeclaredDead(held);
    await beginAgain();
  }

  async function beginAgain(): Promise<void> {
    if (await begin()) return;
    failures++;
    if (!over) log.error("node.name_taken", { node: facts.name });
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
