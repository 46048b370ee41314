/** Lets listeners on a few at a time, and seldom while the main thread is behind: jobs come first, however many listen. */
import { pause } from "../base/deadline.ts";
import { yieldToEventLoop } from "../base/yield.ts";

export interface Pacer {
  /** Resolves when this listener may be given so many bytes. */
  turn(bytes: number): Promise<void>;
  /** How many wait for their turn. */
  waiting(): number;
}

/** Given between two turns of the event loop. */
const most = { listeners: 24, bytes: 1024 * 1024 } as const;
/** While jobs run, a turn of the loop that takes longer says that the loop has enough to do. */
const calmMs = 3;
/** Then listeners wait, but never longer than this for the next few. */
const mostRestMs = 400;
const restMs = 40;
/** Of the time that serving took; otherwise the loop would never be found calm. */
const restFactor = 4;

/** @param busy whether jobs wait or run. */
export function createPacer(busy: () => boolean): Pacer {
  const queue: { bytes: number; go(): void }[] = [];
  let serving = false;

  async function turnOfLoop(): Promise<number> {
    const from = performance.now();
    await yieldToEventLoop();
    return performance.now() - from;
  }

  async function calm(): Promise<void> {
    for (let restedMs = 0; restedMs < mostRestMs && busy(); restedMs += restMs) {
      if ((await turnOfLoop()) <= calmMs) return;
      await pause(restMs);
    }
  }

  function letGo(): void {
    let bytes = 0;
    for (let count = 0; count < most.listeners && bytes < most.bytes; count++) {
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
      letGo();
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
