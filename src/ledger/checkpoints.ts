/** Signs checkpoints as time goes by, sends them to places outside, and deletes entries that are too old. */
import { ledgerLimits } from "../api/ledger/ledger.ts";
import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import type { Store } from "../store/port.ts";
import type { Place } from "./places.ts";
import type { Checkpoints } from "./port.ts";

export interface CheckpointOptions {
  readonly store: Pick<Store, "ledger" | "clock" | "makeId" | "shared">;
  readonly log: Log;
  readonly everyMs: number;
  readonly places: ReadonlyMap<string, Place>;
  /** Undefined: entries are kept. */
  readonly keptMs: number | undefined;
  /** Checkpoints; default: `ledgerLimits.keptCheckpoints`. */
  readonly kept?: number;
  /** Whether this node takes work now. */
  isReady(): boolean;
  /** A checkpoint was signed: webhooks are told of it. */
  onSigned(): void;
}

/** How often what is left to be sent is tried again, and whether a checkpoint is due is looked at. */
const beatMs = 60_000;
const soonMs = 1_000;
const sentAtOnce = 100;
const stopMs = 2_000;
const countedPending = 1_000;

/** Loaded when it is used. */
const signing = () => import("./signing.ts");

export interface OwnCheckpoints extends Checkpoints {
  /** A checkpoint was signed, and is to be sent. */
  wake(): void;
  /** Signs, sends and deletes what is due. */
  work(): Promise<void>;
}

export function createCheckpoints(options: CheckpointOptions): OwnCheckpoints {
  const { store, log, everyMs, places, keptMs, kept = ledgerLimits.keptCheckpoints } = options;
  const { ledger, clock } = store;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let working: Promise<void> | undefined;
  let isAsked = false;
  let stopped = true;

  function after(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(wake, ms);
  }

  function wake(): void {
    if (stopped) return;
    // What was signed meanwhile is not among what is being sent.
    isAsked = working !== undefined;
    working ??= work().finally(() => {
      working = undefined;
      after(isAsked ? 0 : Math.min(beatMs, everyMs));
    });
  }

  async function work(): Promise<void> {
    if (!options.isReady()) return;
    try {
      await signIfDue();
      await sendPending();
      await cutOld();
      await pruneOld();
    } catch (error) {
      log.warn("ledger.not_signed", { reason: messageOf(error) });
    }
  }

  async function signIfDue(): Promise<void> {
    const before = await ledger.newestCheckpoint();
    if (before !== undefined && clock.wall() - before.at < everyMs && clock.wall() >= before.at) return;
    const { signNewest } = await signing();
    const signed = await signNewest(store, [...places.keys()]);
    if (signed !== undefined && signed.seq !== before?.seq) options.onSigned();
  }

  async function sendPending(): Promise<void> {
    const { signedOf } = await signing();
    for (const stored of await ledger.pendingCheckpoints(sentAtOnce)) {
      const left: string[] = [];
      for (const name of stored.pending?.split(",") ?? []) {
        const place = places.get(name);
        // The setting was removed since.
        if (place === undefined) continue;
        try {
          await place(signedOf(stored));
        } catch (error) {
          left.push(name);
          log.warn("ledger.not_sent", { place: name, checkpoint: stored.seq, reason: messageOf(error) });
        }
      }
      await ledger.setPending(stored.n, left.length === 0 ? null : left.join(","));
      // In order, and not a thousand times in vain.
      if (left.length > 0 || stopped) return;
    }
  }

  /** Up to a checkpoint: it is what the rest follows. */
  async function cutOld(): Promise<void> {
    if (keptMs === undefined) return;
    const base = await ledger.checkpointBefore(clock.wall() - keptMs);
    if (base === undefined) return;
    const detail = `entries up to ${base.seq}, which the checkpoint of ${new Date(base.at).toISOString()} covers`;
    let deleted = 0;
    for (let count = 1; count > 0 && !stopped; deleted += count) {
      count = await ledger.cut(base.seq, detail);
      if (count > 0) await pause(20);
    }
    if (deleted > 0) log.info("ledger.cut", { up_to: base.seq, entries: deleted });
  }

  async function pruneOld(): Promise<void> {
    for (let count = 1; count > 0 && !stopped; ) {
      count = await ledger.pruneCheckpoints(kept);
      if (count > 0) await pause(20);
    }
  }

  return {
    start() {
      stopped = false;
      after(soonMs);
    },
    wake: () => after(0),
    work,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.race([working, pause(stopMs)]);
    },
    async state() {
      const [entries, newest, last] = await Promise.all([
        ledger.total(),
        ledger.newestCheckpoint(),
        ledger.last(),
      ]);
      const isCovered = last === undefined || newest?.seq === last.seq;
      const [oldest] = isCovered ? [] : await ledger.after(newest?.seq ?? 0, 1);
      const uncoveredSeconds = oldest === undefined ? 0 : Math.max(0, clock.wall() - oldest.at) / 1000;
      const pending = (await ledger.pendingCheckpoints(countedPending)).length;
      return { entries, uncoveredSeconds, pending };
    },
  };
}
