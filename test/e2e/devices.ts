/** Simulated devices of the built-in platforms, by name. */
import { builtins } from "../../plugins/index.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { type SimulatedDevice, simulate } from "../../src/testkit/device.ts";
import type { SimulatorOptions } from "../../src/testkit/simulator/simulator.ts";

export type { SimulatedDevice };

export async function simulated(
  name: string,
  options: Partial<SimulatorOptions> = {},
): Promise<SimulatedDevice> {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  return simulate(registry.require("platform", name), { host: "0.0.0.0", ...options });
}
