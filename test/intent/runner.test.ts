/** The loops that compare devices: how often they look, and how many of them there are. */
import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { createDriftRunner } from "../../src/intent/runner.ts";
import type { StoredDriftDue } from "../../src/store/port.ts";

/** @param due devices that are due */
function start(due: number) {
  let left = due;
  let looks = 0;
  let running = 0;
  let most = 0;
  const compared = Promise.withResolvers<void>();
  const runner = createDriftRunner({
    store: {
      shared: false,
      clock: { steady: () => 0, wall: () => 0 },
      intents: {
        async takeDue(limit) {
          looks++;
          const taken = Array.from(
            { length: Math.min(limit, left) },
            (_, at): StoredDriftDue => ({ device: `d${at}`, mark: 1, takenT: 0 }),
          );
          left -= taken.length;
          return taken;
        },
        tell: async () => {},
      },
    },
    async judge(devices) {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return devices.length;
    },
    log: silentLog,
    freshMs: 1_000,
    onCompared: async () => compared.resolve(),
    onGarbage() {},
    isReady: () => true,
  });
  runner.start();
  return { runner, compared: compared.promise, figures: () => ({ looks, most, left }) };
}

test("if nothing is due, the store is asked once", async () => {
  const { runner, compared, figures } = start(0);
  await compared;
  expect(figures()).toEqual({ looks: 1, most: 0, left: 0 });
  await runner.stop();
});

test("many devices are compared in three loops", async () => {
  const { runner, compared, figures } = start(200);
  await compared;
  expect(figures()).toMatchObject({ most: 3, left: 0 });
  await runner.stop();
});
