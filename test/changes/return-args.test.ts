/** A device is given back what it had with the driver's arguments of the change. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChangeWorld } from "./world.ts";

let world: Awaited<ReturnType<typeof createChangeWorld>>;
beforeAll(async () => {
  world = await createChangeWorld(1);
});
afterAll(() => world.stop());

test("a return has the arguments of its change, but for those of one push only", async () => {
  const driver_args = { read_timeout: 77, confirm_delay: 3 };
  const outcome = await world.run({
    request: {
      ...{ config: ["ntp server 192.0.2.1", "bogus"], strategy: { canary: 1, waves: ["100%"] }, driver_args },
    },
    trouble: { device: 2, kind: "refuses" },
  });
  const returns = world.sent.filter(({ lines }) => lines.some((line) => line.startsWith("no ")));
  expect(returns, JSON.stringify([outcome, world.sent])).not.toEqual([]);
  for (const { args } of returns) {
    expect(args).toMatchObject({ read_timeout: 77 });
    expect(args).not.toHaveProperty("confirm_delay");
  }
});
