/** The base of every stream: holds the log open, with a cursor and a wake-up bell. */
import { onAbort } from "../base/time/deadline.ts";
import { type Cursor, createCursor, type LogTools, type Step } from "./cursor.ts";
import type { EventMark, JobChange, Listening, StreamEvent } from "./port.ts";

export interface Listener {
  readonly bell: Bell;
  readonly cursor: Cursor;
  /** Continues from the position. */
  moveTo(from: EventMark): void;
  /** Waits for the bell. @returns whether a keep-alive is due. */
  wait(): Promise<boolean>;
  /** Records that something was delivered. */
  delivered(): void;
  close(): void;
}

/** Approximate size as text. */
const bytesOfChange = 200;
/** Proxies and clients close connections that are silent for longer. */
const aliveMs = 15_000;

/** @throws ServiceError Unavailable */
export async function openListener(tools: LogTools, { from, signal }: Listening): Promise<Listener> {
  const { tail } = tools;
  const bell = createBell();
  const release = await tail.hold();
  const beat = setInterval(bell.ring, aliveMs);
  const stops = [release, tail.onNews(bell.ring), onAbort(signal, bell.ring), () => clearInterval(beat)];
  let cursor = createCursor(tools, from?.log);
  let deliveredAt = performance.now();
  return {
    bell,
    get cursor() {
      return cursor;
    },
    moveTo(mark) {
      cursor = createCursor(tools, mark);
    },
    async wait() {
      await bell.rung();
      return performance.now() - deliveredAt >= aliveMs - 1_000;
    },
    delivered() {
      deliveredAt = performance.now();
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}

export type Taken = Extract<StreamEvent, { kind: "changes" }> | { readonly kind: "lost" | "slow" };

/** All further entries of the cursor that pass the filter. */
export async function* take(
  { pacer }: LogTools,
  listener: Listener,
  sieve: (step: Step) => readonly JobChange[],
): AsyncGenerator<Taken> {
  for (;;) {
    const step = await listener.cursor.next();
    if (step === undefined) return;
    if (step === "lost" || step === "slow") {
      yield { kind: step };
      if (step === "slow") return;
      continue;
    }
    const list = sieve(step);
    if (list.length === 0) continue;
    const changes = (list[0]?.n ?? 0) > step.behind ? list : list.filter(({ n }) => n > step.behind);
    if (changes.length === 0) continue;
    await pacer.turn(changes.length * bytesOfChange);
    yield { kind: "changes", changes };
  }
}

/** Wakes a single waiter. Rings before the wait are kept; several rings wake it once. */
interface Bell {
  ring(): void;
  /** Resolves at the next ring, or at once if it rang since the last call. */
  rung(): Promise<void>;
}

function createBell(): Bell {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    async rung() {
      if (!hasRung) await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      hasRung = false;
    },
  };
}
