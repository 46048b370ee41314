/**
 * Takes of a whole fleet over SSH in one job each: devices are simulated in processes of their own, each device at a
 * loopback address of its own. First a bare ssh2 client that logs in and reads the same text from each, which is the
 * floor; then the service with a login for each take, and with a login and a short command for each device, so that
 * what a take costs beside its login is the difference; last the takes over sessions that are kept, which the service does
 * not do for so many devices by itself.
 */
import process from "node:process";
import * as v from "valibot";
import { floorClient } from "../cli/floor.ts";
import { bounded, showClock, timed } from "../cli/rows.ts";
import { memoryMb } from "../rows/shared-list.ts";
import { cpuMsOf } from "../rows/shared-noop.ts";
import { type BenchService, startService } from "../service.ts";
import { type SimulatedSwitch, startSimulated } from "./simulated.ts";
import { addDevices, hostOf, login, take } from "./taken.ts";

/** As many concurrent sessions as the service has slots. */
const atOnce = 200;
/** So few that each job logs in. */
const fewKept = 50;
const answerOf = v.object({ data: v.object({ succeeded: v.array(v.unknown()) }) });
const round = (value: number) => Math.round(value * 100) / 100;

export async function measureFleet(devices: number, processes: number): Promise<object> {
  const switches = await Promise.all(Array.from({ length: processes }, () => startSimulated()));
  const portOf = (n: number) => switches[n % processes]?.port ?? 0;
  const run = (work: () => Promise<Figures>) => measured(switches, work);
  /** @param kept sessions that stay open */
  async function withService<T>(kept: number, work: (service: BenchService) => Promise<T>): Promise<T> {
    const service = await startService(undefined, {
      PATCHBAY_MAX_SESSIONS: String(kept),
      PATCHBAY_SESSION_IDLE_SECONDS: "3600",
    });
    try {
      await service.call("PUT", "/credential/lab", login);
      await addDevices(service, devices, (n) => ({
        ...{ host: hostOf(n), port: portOf(n), driver: "netmiko", platform: "cisco_ios" },
        credential: { name: "file", ref: "lab" },
      }));
      return await work(service);
    } finally {
      await service.stop();
    }
  }
  try {
    const floor = await run(() => floorOf(devices, portOf));
    const cold = await withService(fewKept, async (service) => {
      const idleMb = memoryMb(service.pid, "VmRSS");
      await service.call("POST", "/device/bulk", { select: "name:sw-1*", command: showClock }, 600);
      const logins = await run(() => loginsOf(service, devices));
      const takes = await run(() => take(service, devices));
      const peakMb = memoryMb(service.pid, "VmHWM");
      return { logins_and_a_command: logins, takes, memory_mb: { idle: idleMb, peak: peakMb } };
    });
    const { takes, logins_and_a_command: logins } = cold;
    const kept = await withService(devices, async (service) => {
      await take(service, devices);
      return { ...(await run(() => take(service, devices))), peak_mb: memoryMb(service.pid, "VmHWM") };
    });
    return {
      ...{ devices, processes, floor, ...cold },
      takes_without_logins: {
        wall_s: round(takes.wall_s - logins.wall_s),
        all_cpu_us_each: takes.all_cpu_us_each - logins.all_cpu_us_each,
      },
      takes_over_kept_sessions: kept,
    };
  } finally {
    for (const one of switches) one.stop();
  }
}

interface Figures {
  readonly wall_s: number;
  readonly all_cpu_us_each: number;
}

/** A login and `show clock` at each device. */
async function loginsOf(service: BenchService, devices: number): Promise<Figures> {
  const before = cpuMsOf(service.pid);
  const ms = await timed(async () => {
    const body = { select: "tag:lab", command: showClock };
    const answer = await service.call("POST", "/device/bulk", body, 600);
    const { data } = v.parse(answerOf, await answer.json());
    if (data.succeeded.length !== devices)
      throw new Error(`${data.succeeded.length} of ${devices} devices answered`);
  });
  return {
    wall_s: round(ms / 1000),
    all_cpu_us_each: Math.round(((cpuMsOf(service.pid) - before) * 1000) / devices),
  };
}

/** With the CPU time of the devices, which use the same cores. */
async function measured(
  switches: readonly SimulatedSwitch[],
  run: () => Promise<Figures>,
): Promise<Figures & { readonly devices_cpu_s: number }> {
  const devicesMs = () => switches.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);
  const before = devicesMs();
  const figures = await run();
  return { ...figures, devices_cpu_s: round((devicesMs() - before) / 1000) };
}

/** A session a device, which shows the same text. */
async function floorOf(devices: number, portOf: (n: number) => number): Promise<Figures> {
  const cpu = process.cpuUsage();
  const ms = await timed(() =>
    bounded(devices, atOnce, async (n) => {
      const session = await floorClient(portOf(n), "lines").open(hostOf(n));
      const text = await session.show("show running-config");
      if (!/^end\r?$/m.test(text)) throw new Error(`${hostOf(n)} has shown ${text.length} characters`);
      await session.close();
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { wall_s: round(ms / 1000), all_cpu_us_each: Math.round((user + system) / devices) };
}
