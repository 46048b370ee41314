/** A simulated device of a platform, with passwords that a test searches for. */
import type { PlatformPlugin } from "../plugin/platform.ts";
import { type SimulatorOptions, startSimulator } from "./simulator/simulator.ts";

export interface SimulatedDevice {
  /** The connection_args that log in to it. */
  readonly connection: {
    readonly device_type: string;
    readonly host: string;
    readonly port: number;
    readonly username: string;
    readonly password: string;
    readonly secret: string;
  };
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly secret: string;
  connections(): number;
  /** Sessions open now. */
  sessions(): number;
  /** Entered lines, in order. */
  commands(): string[];
  /** How often it has reloaded. */
  reloads(): number;
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
  const { port, username, password, secret } = device;
  const host = options.host === undefined || options.host === "0.0.0.0" ? "127.0.0.1" : options.host;
  const connection = { device_type: platform.name, host, port, username, password, secret };
  const commands = () => device.entered.map(({ line }) => line);
  const reloads = () => device.device.system?.reloads ?? 0;
  return { ...device, connection, commands, reloads };
}
