/** Simulated devices, each on its own loopback address, which record every line received with its time. */
import { builtins } from "../../plugins/index.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { startSimulator } from "../../src/testkit/simulator/simulator.ts";
import type { Sighting } from "./sighting.ts";
import { startStrangerDevice, strangerToken } from "./stranger.ts";

export interface FleetDevice {
  readonly host: string;
  readonly port: number;
  /** Built-in over SSH, or a third-party driver over HTTP. */
  readonly driver: "netmiko" | "stranger";
  readonly platform?: string;
}

export interface Fleet {
  readonly devices: readonly FleetDevice[];
  connectionOf(device: FleetDevice): Record<string, unknown>;
  /** In the order in which each device received them. */
  sightings(): Sighting[];
  logins(): number;
  stop(): Promise<void>;
}

export const login = { username: "chaos", password: "chaos-password-1", secret: "chaos-enable-1" };
/** One applies lines at once, the other on commit. */
const platforms = ["cisco_ios", "juniper_junos"] as const;

interface Running {
  readonly device: FleetDevice;
  sightings(): readonly Sighting[];
  logins(): number;
  stop(): Promise<void>;
}

export async function startFleet(count: number, latencyMs: number): Promise<Fleet> {
  const running: Running[] = [];
  for (let at = 0; at < count; at++) {
    const host = `127.0.1.${at + 1}`;
    // Slower and faster devices, so that work is in progress at any moment.
    const ownLatencyMs = Math.round(latencyMs * (0.5 + (at % 5) / 4));
    running.push(
      at % 5 === 2
        ? await startStranger(host, ownLatencyMs)
        : await startSimulated(host, ownLatencyMs, platforms[at % 4 === 3 ? 1 : 0]),
    );
  }
  return {
    devices: running.map(({ device }) => device),
    connectionOf: ({ host, port, driver, platform }) =>
      driver === "stranger"
        ? { host, port, token: strangerToken }
        : { host, port, device_type: platform, ...login },
    sightings: () => running.flatMap((device) => device.sightings()),
    logins: () => running.reduce((sum, device) => sum + device.logins(), 0),
    async stop() {
      await Promise.all(running.map((device) => device.stop()));
    },
  };
}

async function startStranger(host: string, latencyMs: number): Promise<Running> {
  const { port, sightings, logins, stop } = await startStrangerDevice(host, latencyMs);
  return { device: { host, port, driver: "stranger" }, sightings: () => sightings, logins, stop };
}

async function startSimulated(
  host: string,
  latencyMs: number,
  platform: (typeof platforms)[number],
): Promise<Running> {
  const simulator = await startSimulator({
    platform: platformOf(platform),
    host,
    hostname: `D${host.slice(host.lastIndexOf(".") + 1)}`,
    latencyMs,
    ...login,
  });
  return {
    device: { host, port: simulator.port, driver: "netmiko", platform },
    sightings: () =>
      simulator.entered.map(({ at, session, line }) => ({
        host,
        line,
        at: performance.timeOrigin + at,
        session,
      })),
    logins: () => simulator.connections(),
    stop: () => simulator.stop(),
  };
}

/** For a simulator: the registry has the platforms of the program. */
export function platformOf(name: string) {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  return registry.require("platform", name);
}
