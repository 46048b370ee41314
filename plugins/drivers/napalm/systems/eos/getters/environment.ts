/** get_environment: fans, temperatures, power, CPU and memory. */
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { shaped } from "../../../common/shape.ts";
import { linesOf, needed, unreadable } from "../../../common/text.ts";
import type { Environment } from "../../../models.ts";
import type { EosDevice, Getter } from "../device.ts";

const slot = v.object({ label: v.string(), status: v.optional(v.string(), "") });
const cooling = v.object({ fanTraySlots: v.optional(v.array(slot), []) });
const sensors = v.optional(
  v.array(
    v.object({
      name: v.string(),
      currentTemperature: v.optional(v.number(), 0),
      overheatThreshold: v.optional(v.number(), Number.POSITIVE_INFINITY),
      criticalThreshold: v.optional(v.number(), Number.POSITIVE_INFINITY),
    }),
  ),
  [],
);
const cards = v.optional(v.array(v.object({ tempSensors: sensors })), []);
const temperature = v.object({ tempSensors: sensors, cardSlots: cards, powerSupplySlots: cards });
const supplies = v.object({
  powerSupplies: v.optional(
    v.record(
      v.string(),
      v.object({
        state: v.optional(v.string(), "ok"),
        outputPower: v.optional(v.number(), -1),
        capacity: v.optional(v.number(), -1),
      }),
    ),
    {},
  ),
});

const top = "show processes top once";

export const get_environment: Getter<"get_environment"> = async (device) => {
  const [[fans], [heat], power, [processes = ""]] = await Promise.all([
    device.json("show system environment cooling"),
    device.json("show system environment temperature"),
    powerOf(device),
    device.text(top),
  ]);
  return {
    fans: Object.fromEntries(
      shaped(cooling, fans).fanTraySlots.map(({ label, status }) => [label, { status: status === "ok" }]),
    ),
    temperature: temperaturesOf(shaped(temperature, heat)),
    power: Object.fromEntries(
      Object.entries(shaped(supplies, power).powerSupplies).map(([name, supply]) => [
        name,
        { status: supply.state === "ok", output: supply.outputPower, capacity: supply.capacity },
      ]),
    ),
    ...loadOf(processes),
  };
};

/** Virtual switches such as vEOS refuse the command. */
async function powerOf(device: EosDevice): Promise<unknown> {
  try {
    return (await device.json("show system environment power"))[0];
  } catch (error) {
    if (error instanceof PluginError && error.kind === "CommandError") return {};
    throw error;
  }
}

function temperaturesOf(response: v.InferOutput<typeof temperature>): Environment["temperature"] {
  // If sensors share a name, the one of the board wins.
  const sensors = [
    ...[...response.cardSlots, ...response.powerSupplySlots].flatMap((card) => card.tempSensors),
    ...response.tempSensors,
  ];
  return Object.fromEntries(
    sensors.map(({ name, currentTemperature, overheatThreshold, criticalThreshold }) => [
      name,
      {
        temperature: currentTemperature,
        is_alert: currentTemperature > overheatThreshold,
        is_critical: currentTemperature > criticalThreshold,
      },
    ]),
  );
}

/** Parses the header of `top`, whose format depends on the release. */
function loadOf(processes: string): Pick<Environment, "cpu" | "memory"> {
  const lines = linesOf(processes);
  const cpu = lines.find((line) => /Cpu\(s\):/.test(line));
  const memory = lines.find((line) => /Mem *:/.test(line));
  if (cpu === undefined || memory === undefined) throw unreadable(top, lines[0] ?? "");
  const idle = Number(needed(/([\d.]+)[ %]*id\b/.exec(cpu)?.[1], top, cpu));
  const kilobytes = (label: string) => {
    const amount = Number(needed(new RegExp(`([\\d.]+)k? *${label}\\b`).exec(memory)?.[1], top, memory));
    return Math.trunc(/^\s*MiB/.test(memory) ? amount * 1024 : amount);
  };
  return {
    cpu: { "0": { "%usage": Number((100 - idle).toFixed(1)) } },
    memory: { available_ram: kilobytes("total"), used_ram: kilobytes("used") },
  };
}
