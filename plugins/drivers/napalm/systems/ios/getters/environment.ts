/** `get_environment` of IOS. Fans and power are left out: no output for them is common to all devices. */
import { firstGroup, linesOf, wordsOf } from "../../../common/text.ts";
import type { Environment } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

type Temperature = { is_alert: boolean; is_critical: boolean; temperature: number };

export const getEnvironment: Getter<IosDevice, "get_environment"> = async (device) => {
  const usage = firstGroup(/CPU utilization.*one minute: (\d+)%/, await device.ask("show proc cpu"));
  return {
    cpu: { "0": { "%usage": Number(usage ?? 0) } },
    memory: await memoryOf(device),
    temperature: temperaturesOf(await device.ask("show env temperature status")),
    power: { invalid: { status: true, output: -1, capacity: -1 } },
    fans: { invalid: { status: true } },
  };
};

async function memoryOf(device: IosDevice): Promise<Environment["memory"]> {
  const output = await device.ask("show memory statistics");
  if (isUnknown(output)) return systemMemory(await device.ask("show memory"));
  const pools: Record<"processor" | "io", { total: number; used: number }> = {
    processor: { total: 0, used: 0 },
    io: { total: 0, used: 0 },
  };
  for (const line of linesOf(output)) {
    const [, , total, used] = wordsOf(line);
    const pool = line.includes("Processor") ? "processor" : /I\/O|io/.test(line) ? "io" : undefined;
    if (pool !== undefined && /^\d+$/.test(total ?? "")) {
      pools[pool] = { total: Number(total), used: Number(used) };
    }
  }
  return {
    available_ram: pools.processor.total + pools.io.total,
    used_ram: pools.processor.used + pools.io.used,
  };
}

/** `System memory  : 8068024K total, 3432324K used, …` */
function systemMemory(output: string): Environment["memory"] {
  const [, total, used] = /System memory\s*:\s*(\d+)K total,\s*(\d+)K used/.exec(output) ?? [];
  return { available_ram: Number(total ?? 0), used_ram: Number(used ?? 0) };
}

function temperaturesOf(output: string): Record<string, Temperature> {
  if (isUnknown(output) || output.includes("Not Supported")) {
    return { invalid: { is_alert: false, is_critical: false, temperature: -1 } };
  }
  const temperatures: Record<string, Temperature> = {};
  let now: Temperature | undefined;
  for (const line of linesOf(output)) {
    const name = firstGroup(/^(.*) Temperature Value/, line);
    const value = Number.parseFloat(line.slice(line.lastIndexOf(":") + 1));
    if (name !== undefined) {
      now = { is_alert: false, is_critical: false, temperature: value };
      temperatures[name.toLowerCase()] = now;
    } else if (now !== undefined && line.includes("Yellow Threshold")) {
      now.is_alert = now.temperature > value;
    } else if (now !== undefined && line.includes("Red Threshold")) {
      now.is_critical = now.temperature > value;
    }
  }
  return temperatures;
}
