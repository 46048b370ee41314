/** Simulated devices, each on a loopback address of its own, that keep every line they were given with its moment. */
import { builtins } from "../../plugins/index.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";

export interface FleetDevice {
  readonly host: string;
  readonly port: number;
  readonly platform: string;
}

export interface Sighting {
  readonly host: string;
  readonly line: string;
  /** Milliseconds of the wall clock. */
  readonly at: number;
  /** Login of that device, counted from 1. */
  readonly session: number;
}

export interface Fleet {
  readonly devices: readonly FleetDevice[];
  connectionOf(device: FleetDevice): Record<string, unknown>;
  /** In the order in which each device got them. */
  sightings(): Sighting[];
  logins(): number;
  stop(): Promise<void>;
}

const login = { username: "chaos", password: "chaos-password-1", secret: "chaos-enable-1" };
/** One that keeps what it is told at once, and one that keeps it with a commit. */
const platforms = ["cisco_ios", "juniper_junos"] as const;

export async function startFleet(count: number, latencyMs: number): Promise<Fleet> {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  const running: { device: FleetDevice; simulator: Simulator }[] = [];
  for (let at = 0; at < count; at++) {
    const platform = platforms[at % 4 === 3 ? 1 : 0];
    const host = `127.0.1.${at + 1}`;
    const simulator = await startSimulator({
      platform: registry.demand("platform", platform),
      host,
      hostname: `D${at + 1}`,
      // Slower and faster ones: work is under way at any moment.
      latencyMs: Math.round(latencyMs * (0.5 + (at % 5) / 4)),
      ...login,
    });
    running.push({ device: { host, port: simulator.port, platform }, simulator });
  }
  return {
    devices: running.map(({ device }) => device),
    connectionOf: ({ host, port, platform }) => ({ host, port, device_type: platform, ...login }),
    sightings: () =>
      running.flatMap(({ device, simulator }) =>
        simulator.entered.map(({ at, session, line }) => ({
          host: device.host,
          line,
          at: performance.timeOrigin + at,
          session,
        })),
      ),
    logins: () => running.reduce((sum, { simulator }) => sum + simulator.connections(), 0),
    async stop() {
      await Promise.all(running.map(({ simulator }) => simulator.stop()));
    },
  };
}
