import { expect, test } from "vitest";
import { oneByOne } from "../../../../plugins/drivers/napalm/systems/nxos/request-queue.ts";

const longMs = 600_000;

test("a request starts after the previous one ends, even with an error", async () => {
  const inTurn = oneByOne(longMs);
  const events: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = inTurn(async () => {
    events.push("first begins");
    await held.promise;
    events.push("first ends");
    throw new Error("refused");
  });
  const second = inTurn(async () => {
    events.push("second");
    return 2;
  });
  const third = inTurn(async () => events.push("third"));
  held.resolve();
  await expect(first).rejects.toThrow("refused");
  expect(await second).toBe(2);
  await third;
  expect(events).toEqual(["first begins", "first ends", "second", "third"]);
});

test("a request that takes too long does not delay the next one", async () => {
  const inTurn = oneByOne(1);
  const held = Promise.withResolvers<string>();
  const first = inTurn(() => held.promise);
  expect(await inTurn(async () => "second")).toBe("second");
  held.resolve("first");
  expect(await first).toBe("first");
});
