/** Simulated devices for end-to-end tests. */
import { builtins } from "../../plugins/index.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";

export interface SimulatedDevice {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly secret: string;
  connections(): number;
  /** Sessions that are open now. */
  sessions(): number;
  /** Lines that were entered, in order. */
  commands(): string[];
  stop(): Promise<void>;
}

export async function simulated(
  name: string,
  options: Partial<SimulatorOptions> = {},
): Promise<SimulatedDevice> {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  const device = await startSimulator({
    platform: registry.demand("platform", name),
    host: "0.0.0.0",
    password: "device-password-1",
    secret: "enable-secret-1",
    ...options,
  });
  return { ...device, commands: () => device.entered.map(({ line }) => line) };
}
