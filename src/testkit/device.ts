/** A simulated device of a platform, with passwords that a test searches for. */
import type { PlatformPlugin } from "../plugin/platform.ts";
import { type SimulatorOptions, startSimulator } from "../simulator/simulator.ts";

export interface SimulatedDevice {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly secret: string;
  connections(): number;
  /** Sessions open now. */
  sessions(): number;
  /** Entered lines, in order. */
  commands(): string[];
  stop(): Promise<void>;
}

export async function simulate(
  platform: PlatformPlugin,
  options: Partial<SimulatorOptions> = {},
): Promise<SimulatedDevice> {
  const device = await startSimulator({
    platform,
    password: "device-password-1",
    secret: "enable-secret-1",
    ...options,
  });
  return { ...device, commands: () => device.entered.map(({ line }) => line) };
}
