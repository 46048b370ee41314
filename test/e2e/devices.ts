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

/** Its entry in an inventory, with the stored credential `lab`. */
export const labEntry = (
  name: string,
  { port }: Pick<SimulatedDevice, "port">,
  platform: string,
  more: object = {},
) => ({
  ...{ name, host: "127.0.0.1", port, driver: "netmiko", platform },
  credential: { name: "file", ref: "lab" },
  ...more,
});
