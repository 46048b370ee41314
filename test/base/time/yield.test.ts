/** Long work that runs side by side shares one stretch per turn of the event loop. */
import { expect, test } from "vitest";
import { giveWay, yieldToEventLoop } from "../../../src/base/time/yield.ts";

/** Computes for a millisecond, as a piece of an export does. */
function compute(): void {
  const until = performance.now() + 1;
  while (performance.now() < until);
}

/** Runs the work beside a count of the turns of the event loop, which small requests would get. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  void work.then(() => (over = true));
  while (!over) {
    turns++;
    await yieldToEventLoop();
  }
  return turns;
}

async function longWork(pieces: number, whose: string, done: string[]): Promise<void> {
  for (let piece = 0; piece < pieces; piece++) {
    await giveWay(whose);
    compute();
    done.push(whose);
  }
}

test("the event loop turns as often beside twenty long works as beside one of their length", async () => {
  const one = await turnsDuring(longWork(200, "a", []));
  const twenty = await turnsDuring(Promise.all(Array.from({ length: 20 }, () => longWork(10, "a", []))));
  expect(one).toBeGreaterThan(5);
  expect(twenty).toBeGreaterThan(one / 3);
});

test("callers take turns: one long work of another is not behind twenty", async () => {
  const done: string[] = [];
  const many = Array.from({ length: 20 }, () => longWork(10, "many", done));
  await Promise.all([...many, longWork(10, "one", done)]);
  expect(done.lastIndexOf("one")).toBeLessThan(done.lastIndexOf("many"));
});

test("work beside which nothing else runs goes on at once", async () => {
  await yieldToEventLoop();
  await yieldToEventLoop();
  expect(giveWay()).toBeUndefined();
});
