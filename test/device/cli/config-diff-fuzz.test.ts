/** Any push to a device with contexts: a rollback is only reported if the configuration is the same as before. */
import { expect, test } from "vitest";
import { push } from "./open-options.ts";
import { simulatedTerminal } from "./simulated-terminal.ts";
import { testContext } from "./test-context.ts";

const cases = 80;

/** Park-Miller generator: a failure is reproducible by its seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 7919 + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Lines for a few contexts, so that additions, removals and replacements collide. */
function linesOf(random: (below: number) => number, removes: boolean): string[] {
  const no = () => (removes && random(3) === 0 ? "no " : "");
  return Array.from({ length: 1 + random(5) }, () => {
    const word = `${random(4)}`;
    switch (random(4)) {
      case 0:
        return [`${no()}ip route 10.${word}.0.0/16 blackhole`];
      case 1:
        return [`interface eth${word}`, `${no()}description port ${random(3)}`, "exit"];
      case 2:
        return ["router bgp 65001", `${no()}neighbor 10.0.0.${word} remote-as ${65000 + random(3)}`, "exit"];
      default:
        return [
          ...["router bgp 65001", "address-family ipv4 unicast", `${no()}network 10.${word}.0.0/16`],
          ...["exit", "exit"],
        ];
    }
  }).flat();
}

test("a rollback that reports success restores the configuration, for any push", async () => {
  const outcomes = { back: 0, told: 0 };
  for (let seed = 1; seed <= cases; seed++) {
    const random = randomOf(seed);
    const { open, device } = simulatedTerminal("frr_vtysh");
    const { cli } = await open();
    const ctx = testContext();
    await cli.configure(linesOf(random, false), push, ctx);
    const removes = seed % 2 === 0;
    const before = device.configuration.lines();
    const kept = await cli.keep(push, ctx);
    if (kept === undefined) throw new Error("nothing was kept");
    await cli.configure(linesOf(random, removes), { ...push, kept }, ctx);
    const isBack = await cli.undo(kept, ctx).then(
      () => true,
      () => false,
    );
    // This device appends a restored line after the others, so the configuration differs from before.
    expect({ seed, isBack }).toEqual({ seed, isBack: device.configuration.lines().join() === before.join() });
    if (!removes) expect({ seed, isBack }).toEqual({ seed, isBack: true });
    outcomes[isBack ? "back" : "told"]++;
    await cli.close();
  }
  expect(outcomes.back).toBeGreaterThan(cases / 2);
  expect(outcomes.told).toBeGreaterThan(0);
});
