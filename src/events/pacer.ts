/** Throttles listeners, more so while the event loop is busy: jobs have priority over any number of listeners. */
import { pause } from "../base/time/deadline.ts";
import { yieldToEventLoop } from "../base/time/yield.ts";

export interface Pacer {
  /** Resolves when the listener may receive this many bytes. */
  turn(bytes: number): Promise<void>;
  /** Number of waiting listeners. */
  waiting(): number;
}

/** Maximum served per turn of the event loop. */
const max = { listeners: 24, bytes: 1024 * 1024 } as const;
/** While jobs run, a longer turn means that the event loop is busy. */
const calmMs = 3;
/** Maximum pause while busy. */
const maxRestMs = 400;
const restMs = 40;
/** Pause as a multiple of the serving time; otherwise the loop would always look busy. */
const restFactor = 4;

/** @param busy whether jobs are waiting or running. */
export function createPacer(busy: () => boolean): Pacer {
  const queue: { bytes: number; go(): void }[] = [];
  let serving = false;

  async function turnOfLoop(): Promise<number> {
    const from = performance.now();
    await yieldToEventLoop();
    return performance.now() - from;
  }

  async function calm(): Promise<void> {
    for (let restedMs = 0; restedMs < maxRestMs && busy(); restedMs += restMs) {
      if ((await turnOfLoop()) <= calmMs) return;
      await pause(restMs);
    }
  }

  function releaseBatch(): void {
    let bytes = 0;
    for (let count = 0; count < max.listeners && bytes < max.bytes; count++) {
      const next = queue.shift();
      if (next === undefined) return;
      bytes += next.bytes;
      next.go();
    }
  }

  async function serve(): Promise<void> {
    serving = true;
    while (queue.length > 0) {
      await calm();
      releaseBatch();
      const tookMs = await turnOfLoop();
      if (queue.length > 0 && busy()) await pause(tookMs * restFactor);
    }
    serving = false;
  }

  return {
    turn: (bytes) =>
      new Promise((go) => {
        queue.push({ bytes, go });
        if (!serving) void serve();
      }),
    waiting: () => queue.length,
  };
}
