/** Waiting listeners are admitted in FIFO order, all of them, whether jobs run or not. */
import { expect, test } from "vitest";
import { createPacer } from "../../src/events/pacer.ts";

test.each([true, false])("all listeners get their turn in order, while jobs run: %s", async (busy) => {
  const { turn, waiting } = createPacer(() => busy);
  const served: number[] = [];
  const all = Array.from({ length: 100 }, async (_, at) => {
    await turn(at % 10 === 0 ? 1024 * 1024 : 200);
    served.push(at);
  });
  expect(waiting()).toBe(100);
  await Promise.all(all);
  expect(served).toEqual(Array.from({ length: 100 }, (_, at) => at));
  expect(waiting()).toBe(0);
});

test("listeners are served in small groups, without blocking the event loop", async () => {
  const { turn } = createPacer(() => false);
  const seen: string[] = [];
  const all = Array.from({ length: 60 }, async () => {
    await turn(200);
    seen.push("listener");
  });
  const other = (async () => {
    while (seen.length < 60) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push("other");
    }
  })();
  await Promise.all([...all, other]);
  expect(seen.indexOf("other")).toBeLessThan(seen.lastIndexOf("listener"));
});
