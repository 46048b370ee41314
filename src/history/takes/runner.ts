/** Submits takes that are due: after pushes, and for devices whose configuration is said to have changed. */
import { ownTakeTag } from "../../api/history/history.ts";
import type { Caller } from "../../auth/port.ts";
import { mayReach } from "../../auth/reach.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { pause } from "../../base/time/deadline.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { Jobs } from "../../jobs/port.ts";
import type { Store, StoredDue } from "../../store/port.ts";

export interface RunnerOptions {
  readonly store: Pick<Store, "history" | "shared">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly jobs: Pick<Jobs, "take">;
  readonly log: Log;
  /** Whether this node takes work now. */
  isReady(): boolean;
  /** The caller of a key; undefined: it was revoked or has expired. */
  ownerOf(keyId: string): Promise<Caller | undefined>;
  /** Pushes one that is due. @returns whether there may be more */
  pushDue(): Promise<boolean>;
  /** Versions were deleted. */
  onPruned(count: number): void;
  /** How long versions are kept, and how many per device and part. */
  readonly keep: { readonly days: number; readonly versions: number };
}

export interface HistoryRunner {
  start(): void;
  /** Something is due, or will be. */
  wake(): void;
  stop(): Promise<void>;
}

const atOnce = 500;
const againMs = 5_000;
/** On a shared store other nodes ask, too. */
const sharedMs = 10_000;
/** How often remotes are looked at; a push is no hurry. */
const pushMs = 10_000;
const pruneMs = 3_600_000;
/** A take that cannot be submitted is given up then. */
const maxTries = 20;
const stopMs = 2_000;

export function createHistoryRunner(options: RunnerOptions): HistoryRunner {
  const { store, inventory, jobs, log } = options;
  const { history } = store;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pruner: ReturnType<typeof setInterval> | undefined;
  let pusher: ReturnType<typeof setInterval> | undefined;
  let isPushing = false;
  let looking: Promise<void> | undefined;
  let isRequested = false;
  let stopped = true;

  function wake(): void {
    if (stopped) return;
    isRequested = true;
    clearTimeout(timer);
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }

  async function look(): Promise<void> {
    let inMs: number | undefined = againMs;
    while (isRequested && !stopped) {
      isRequested = false;
      try {
        if (options.isReady()) {
          while (!stopped && (await submitDue())) isRequested = false;
          inMs = await history.nextDueMs();
        }
      } catch (error) {
        inMs = againMs;
        log.warn("history.not_taken", { reason: String(error) });
      }
    }
    const least = Math.min(
      inMs ?? Number.POSITIVE_INFINITY,
      store.shared ? sharedMs : Number.POSITIVE_INFINITY,
    );
    if (!stopped && least !== Number.POSITIVE_INFINITY) timer = setTimeout(wake, Math.max(50, least));
  }

  /** @returns whether there may be more */
  async function submitDue(): Promise<boolean> {
    const due = await history.takeDue(atOnce);
    if (due.length === 0) return false;
    const snapshot = await inventory.snapshot();
    const ofCaller = Map.groupBy(due, ({ caller }) => caller);
    for (const [keyId, ofKey] of ofCaller) {
      const caller = await options.ownerOf(keyId);
      const usable = ofKey.filter(({ name }) => {
        const device = snapshot.device(name);
        // One that the key reaches no longer would have the others refused.
        if (device === undefined || caller === undefined || !mayReach(caller, device.host)) return false;
        // Without an account of its own the login would fail, and count as one.
        return device.credential !== null || device.connection.username !== undefined;
      });
      if (caller !== undefined && usable.length > 0) await submit(usable, caller);
      if (usable.length < ofKey.length) await history.done(ofKey.filter((one) => !usable.includes(one)));
    }
    return due.length === atOnce;
  }

  async function submit(due: readonly StoredDue[], caller: Caller): Promise<void> {
    const byName = new Map(due.map((one) => [one.name, one]));
    const names = due.map(({ name }) => name);
    const value = { devices: names, label: "configuration read for the history", tags: [ownTakeTag] };
    const body = { text: JSON.stringify(value), value };
    try {
      await jobs.take(body, caller, undefined, undefined, undefined, (device) => {
        const { source = "push", causeJobId, who = null, note } = byName.get(device.toLowerCase()) ?? {};
        return { source, causeJobId: causeJobId ?? undefined, who, note: note ?? undefined };
      });
      await history.done(due);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (due.length > 1 && isRefusal(error)) {
        // More than a bulk may have, or one of them is refused: the others are read.
        const half = due.length >> 1;
        await submit(due.slice(0, half), caller);
        return submit(due.slice(half), caller);
      }
      const isFinal = isRefusal(error) || error.kind === "Forbidden";
      const given = due.filter(({ tries }) => isFinal || tries >= maxTries);
      log.warn("history.not_taken", { devices: due.length, given: given.length, reason: error.message });
      await history.done(given);
    }
  }

  async function push(): Promise<void> {
    if (isPushing || !options.isReady()) return;
    isPushing = true;
    try {
      while (!stopped && (await options.pushDue()));
    } catch (error) {
      log.warn("history.not_pushed", { reason: String(error) });
    } finally {
      isPushing = false;
    }
  }

  async function prune(): Promise<void> {
    try {
      for (let deleted = 1; deleted > 0 && !stopped; ) {
        deleted = await history.prune(options.keep);
        if (deleted > 0) options.onPruned(deleted);
        await pause(20);
      }
    } catch (error) {
      log.warn("history.not_pruned", { reason: String(error) });
    }
  }

  return {
    start() {
      stopped = false;
      wake();
      void prune();
      pruner = setInterval(() => void prune(), pruneMs);
      pusher = setInterval(() => void push(), pushMs);
    },
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearInterval(pruner);
      clearInterval(pusher);
      await Promise.race([looking, pause(stopMs)]);
    },
  };
}

/** Of the devices, or of their number: fewer of them may be taken. */
function isRefusal({ kind }: ServiceError): boolean {
  return kind === "PayloadTooLarge" || kind === "Validation";
}
