/** Compares devices that are due: those with a new version, and those that somebody asked for. */
import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import type { Store } from "../store/port.ts";
import type { Judge } from "./judge.ts";

export interface RunnerOptions {
  readonly store: Pick<Store, "shared" | "clock"> & {
    readonly intents: Pick<Store["intents"], "takeDue" | "tell">;
  };
  readonly judge: Judge["judge"];
  readonly log: Log;
  /** Configurations that were read before say nothing: in ms. */
  readonly freshMs: number;
  /** Devices were compared, or some time has passed. Never rejects. */
  onCompared(): Promise<void>;
  /** Texts of many devices are no longer needed. */
  onGarbage(): void;
  /** Whether this node takes work now. */
  isReady(): boolean;
}

export interface DriftRunner {
  start(): void;
  /** Something is due. */
  wake(): void;
  /** The same, a moment later: jobs end often. */
  soon(): void;
  /** Resolves when something was compared on this node, or some time has passed. */
  moved(signal: AbortSignal, waitMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Devices that are compared together, in each of the loops: some are compared while others are read or stored. */
const atOnce = 24;
const loops = 3;
const soonMs = 250;
/** On a shared store other nodes add devices, and one that died leaves some. */
const lookMs = 15_000;
const againMs = 5_000;
const oldMs = 5 * 60_000;
const otherNodesMs = 1_000;
const stopMs = 2_000;

export function createDriftRunner(options: RunnerOptions): DriftRunner {
  const { store, judge, log, isReady, freshMs, onCompared, onGarbage } = options;
  let toldAt = Number.NEGATIVE_INFINITY;
  let stopped = true;
  let soon: ReturnType<typeof setTimeout> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let working: Promise<unknown> | undefined;
  let isRequested = false;
  const listeners = new Set<() => void>();

  function wake(): void {
    if (stopped) return;
    isRequested = true;
    clearTimeout(timer);
    working ??= work().finally(() => {
      working = undefined;
      if (stopped) return;
      if (isRequested) wake();
      else timer = setTimeout(wake, lookMs);
    });
  }

  async function work(): Promise<void> {
    while (isRequested && !stopped) {
      isRequested = false;
      if (!isReady()) continue;
      await loop(loops - 1);
      await tellOld();
      if (!stopped) await onCompared();
    }
  }

  /** What was compliant is no more when it gets too old. */
  async function tellOld(): Promise<void> {
    const now = store.clock.steady();
    if (stopped || now - toldAt < oldMs) return;
    toldAt = now;
    await store.intents.tell(store.clock.wall() - freshMs).catch((error: unknown) => {
      log.warn("drift.not_told", { reason: String(error) });
    });
  }

  /** @param others loops that may run beside this one: they begin while more is due than is compared at once */
  async function loop(others: number): Promise<void> {
    let beside: Promise<void> | undefined;
    while (!stopped) {
      try {
        const due = await store.intents.takeDue(atOnce);
        if (due.length === 0) break;
        if (due.length === atOnce && others > 0) beside ??= loop(others - 1);
        await judge(due);
        onGarbage();
        for (const listener of listeners) listener();
      } catch (error) {
        // They are due again after a while.
        log.warn("drift.not_compared", { reason: String(error) });
        await pause(againMs);
        break;
      }
    }
    await beside;
  }

  return {
    start() {
      stopped = false;
      wake();
    },
    wake,
    soon() {
      if (soon !== undefined || stopped) return;
      soon = setTimeout(() => {
        soon = undefined;
        wake();
      }, soonMs);
    },
    async moved(signal, waitMs) {
      const ended = new AbortController();
      const listener = () => ended.abort();
      listeners.add(listener);
      signal.addEventListener("abort", listener);
      try {
        await pause(Math.min(waitMs, store.shared ? otherNodesMs : waitMs), ended.signal);
      } finally {
        listeners.delete(listener);
        signal.removeEventListener("abort", listener);
      }
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(soon);
      await Promise.race([working, pause(stopMs)]);
    },
  };
}
