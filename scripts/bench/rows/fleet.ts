/**
 * The row `fleet`: a bulk of 10,000 devices with two commands each, including logins, through the whole
 * service; next to a bare ssh2 client.
 */
import { readFileSync } from "node:fs";
import { floorClient } from "../cli/floor.ts";
import { bounded, login, round, showClock, timed } from "../cli/rows.ts";
import { startService } from "../service.ts";
import type { SpeedRow } from "./row.ts";
import { startDevice } from "./shared-device.ts";

const commands = [showClock, "show version"];
/** As many concurrent sessions as the service has slots. */
const atOnce = 200;
const warmUp = 400;

/** A loopback address per device. */
const hostOf = (n: number) => `127.${1 + (n >> 14)}.${(n >> 7) & 127}.${(n & 127) + 1}`;

interface Answer {
  readonly data: { readonly succeeded?: readonly unknown[] };
}

export default {
  name: "fleet",
  title: "10,000 devices x 2 commands, logins included (1,000 in the short form)",
  unit: "s",
  better: "less",
  goal: 12,
  async measure({ quick }) {
    const devices = quick ? 1_000 : 10_000;
    const device = await startDevice();
    const client = floorClient(device.near, "lines");
    const bare = async (n: number) => {
      const session = await client.open(hostOf(n));
      for (const command of commands) await session.show(command);
      await session.close();
    };
    await bounded(warmUp, atOnce, bare);
    const floorMs = await timed(() => bounded(devices, atOnce, bare));

    const service = await startService();
    const bulk = async (count: number, from: number) => {
      const response = await service.call(
        "POST",
        "/device/bulk",
        {
          driver: "netmiko",
          connection_args: { device_type: "cisco_ios", port: device.near, ...login },
          devices: Array.from({ length: count }, (_, n) => ({ host: hostOf(from + n) })),
          command: commands,
          options: { queue_strategy: "fifo" },
        },
        120,
      );
      const { data } = (await response.json()) as Answer;
      const succeeded = data.succeeded?.length ?? 0;
      if (succeeded !== count) throw new Error(`${succeeded} of ${count} devices succeeded`);
    };
    await bulk(warmUp, devices);
    const ms = await timed(() => bulk(devices, 0));
    const peakMb = peakKb(service.pid) / 1024;
    await service.stop();
    device.stop();
    return {
      value: round(ms / 1000),
      floor: { name: "bare ssh2", value: round(floorMs / 1000) },
      details: { devices, peak_mb: Math.round(peakMb) },
    };
  },
} satisfies SpeedRow;

/** Peak memory of a process. */
function peakKb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}
