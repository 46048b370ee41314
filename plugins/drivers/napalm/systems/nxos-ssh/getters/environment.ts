/** `get_environment` of nxos_ssh: CPU, memory, temperatures. */
import { rounded } from "../../../common/numbers.ts";
import { firstGroup, linesOf, needed, wordsOf } from "../../../common/text.ts";
import type { Environment } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

const resources = "show system resources";

export const getEnvironment: Getter<NxosDevice, "get_environment"> = async (device) => {
  const output = await device.text(resources);
  const used = firstGroup(/^Memory usage:.*?(\d+)K used/m, output);
  const total = firstGroup(/^Memory usage:\s+(\d+)K total/m, output);
  return {
    cpu: processorsOf(output),
    memory: {
      used_ram: Number(needed(used, resources, output)),
      available_ram: Number(needed(total, resources, output)),
    },
    temperature: temperaturesOf(await device.text("show environment temperature")),
    power: { invalid: { status: true, output: -1, capacity: -1 } },
    fans: { invalid: { status: true } },
  };
};

function processorsOf(output: string): Environment["cpu"] {
  const cpu: Record<string, { "%usage": number }> = { "0": { "%usage": -1 } };
  for (const line of linesOf(output)) {
    const [, id, idle] = /^\s+CPU(\d+) states\s+:.*kernel,\s+([\d.]+)% idle/.exec(line) ?? [];
    if (id !== undefined) cpu[id] = { "%usage": rounded(100 - Number(idle), 2) };
  }
  return cpu;
}

/** Module, sensor, major and minor threshold, temperature, state. */
function temperaturesOf(output: string): Environment["temperature"] {
  const temperatures: Record<string, Environment["temperature"][string]> = {};
  for (const line of linesOf(output)) {
    const words = wordsOf(line);
    if (!/^\d/.test(line) || words.length < 6) continue;
    const [major, minor, temperature] = words.slice(-4, -1).map(Number);
    const sensor = words.slice(1, -4).join(" ");
    if (major === undefined || minor === undefined || !Number.isFinite(temperature)) continue;
    const now = temperature ?? 0;
    temperatures[`${sensor}-${words[0]}`] = {
      is_alert: now >= minor,
      is_critical: now >= major,
      temperature: now,
    };
  }
  return temperatures;
}
