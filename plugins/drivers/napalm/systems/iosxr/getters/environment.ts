/** get_environment: power, fans, temperature, CPU load and memory, as reported by each card. */
import type { XmlElement } from "patchbay/plugin";
import { escapeXml } from "patchbay/plugin";
import { decimal } from "../../../common/numbers.ts";
import { unlessRefused } from "../../../common/refused.ts";
import type { Environment } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { getFacts } from "./facts.ts";
import { decimalAt, integerAt } from "./values.ts";

const inventory =
  "<Get><AdminOperational><PlatformInventory><RackTable><Rack><Naming><Name>0</Name></Naming><SlotTable></SlotTable></Rack></RackTable></PlatformInventory></AdminOperational></Get>";
const load = "<Get><Operational><SystemMonitoring></SystemMonitoring></Operational></Get>";

export const getEnvironment: Getter<XrDevice, "get_environment"> = async (device) => {
  const slots = await slotsOf(device);
  const { model, os_version } = await getFacts(device, {});
  const sensors = new Map<string, readonly XmlElement[]>();
  const isVirtual = model.toLowerCase().startsWith("xrv");
  const power = slots.filter(({ kind, name }) => kind === "PM" && !otherChassis.has(name));
  const slotsToRead = isVirtual ? power : slots;
  for (const { name } of slotsToRead) sensors.set(name, await sensorsOf(device, name));
  const of = (kind: string) =>
    [...sensors].filter(([slot]) => slots.some(({ name, kind: is }) => name === slot && is === kind));
  const physical = isVirtual ? [] : [...sensors];
  return {
    power: powersOf(of("PM").filter(([slot]) => !otherChassis.has(slot))),
    fans: Object.fromEntries(
      isVirtual ? [] : of("FT").flatMap(([slot, slotSensors]) => fanOf(slot, slotSensors)),
    ),
    temperature: Object.fromEntries(
      physical.flatMap(([slot, slotSensors]) => temperatureOf(slot, slotSensors)),
    ),
    cpu: cpuOf(await device.ask(load)),
    memory: isVirtual ? noMemory : memoryOf(await device.ask(memoryQuestion(os_version)), slots),
  };
};

interface Slot {
  readonly name: string;
  /** `PM` power, `FT` fans, `RSP` and `RP` processors, `LC` line cards (only numbered). */
  readonly kind: string;
}

/** Slots missing in some chassis versions; ignored as power supplies, whatever the router reports. */
const otherChassis: ReadonlySet<string> = new Set(["PM6", "PM7"]);
const noMemory = { available_ram: 0, used_ram: 0 };

async function slotsOf(device: XrDevice): Promise<readonly Slot[]> {
  const response = await device.ask(inventory);
  return response
    .descendants("Slot")
    .filter((slot) => slot.descendants("CardTable").some(isActive))
    .map((slot) => {
      const name = slot.textOf("Naming/Name");
      return { name, kind: name.replace(/\d+/g, "") || "LC" };
    });
}

function isActive(cards: XmlElement): boolean {
  return cards.textOf("Card/Attributes/FRUInfo/ModuleAdministrativeState") === "ADMIN_UP";
}

/** All sensors of a card; empty if the router reports none. */
async function sensorsOf(device: XrDevice, slot: string): Promise<readonly XmlElement[]> {
  const question = `<Get><AdminOperational><EnvironmentalMonitoring><RackTable><Rack><Naming><rack>0</rack></Naming><SlotTable><Slot><Naming><slot>${escapeXml(slot)}</slot></Naming></Slot></SlotTable></Rack></RackTable></EnvironmentalMonitoring></AdminOperational></Get>`;
  const response = await unlessRefused(device.ask(question), () => undefined);
  return response?.descendants("SensorName") ?? [];
}

function sensor(sensors: readonly XmlElement[], name: string): XmlElement | undefined {
  return sensors.findLast((sensor) => sensor.textOf("Naming/Name") === name);
}

/** Like NAPALM: missing values of a supply are those of the previous one. */
function powersOf(supplies: readonly (readonly [slot: string, sensors: readonly XmlElement[]])[]) {
  const power: Record<string, Environment["power"][string]> = {};
  const values = { host__PM: 0, host__VOLT: 0, host__CURR: 0 };
  for (const [slot, sensors] of supplies) {
    for (const name of ["host__PM", "host__VOLT", "host__CURR"] as const) {
      const element = sensor(sensors, name);
      if (element !== undefined) values[name] = decimalAt(element, "ValueBrief");
    }
    const capacity = Math.max(0, values.host__PM);
    // In millivolts and milliamperes.
    const output = (values.host__VOLT * values.host__CURR) / 1_000_000;
    power[slot] = { status: capacity > 0, capacity, output };
  }
  return power;
}

function fanOf(slot: string, sensors: readonly XmlElement[]): [string, { status: boolean }][] {
  const speed = sensor(sensors, "host__FanSpeed_0");
  return speed === undefined ? [] : [[slot, { status: speed.textOf("ValueDetailed/Status") === "1" }]];
}

/** Thresholds are pairs of bounds: minor, major, critical; values are in tenths of a degree. */
function temperatureOf(
  slot: string,
  sensors: readonly XmlElement[],
): [string, Environment["temperature"][string]][] {
  const inlet = sensor(sensors, "host__Inlet0");
  if (inlet === undefined) return [];
  const value = decimalAt(inlet, "ValueBrief");
  const limits = inlet.all("ThresholdTable/Threshold/ValueBrief").map((limit) => decimal(limit.textOf(), 0));
  const within = (pair: number) => {
    const [from, to] = limits.slice(pair * 2, pair * 2 + 2);
    return from !== undefined && to !== undefined && from <= value && value <= to;
  };
  return [[slot, { temperature: value / 10, is_alert: within(1), is_critical: within(2) }]];
}

function cpuOf(response: XmlElement): Environment["cpu"] {
  return Object.fromEntries(
    response.descendants("CPUUtilization").map((card) => {
      const [rack, slot, instance] = ["Rack", "Slot", "Instance"].map((part) =>
        card.textOf(`Naming/NodeName/${part}`),
      );
      return [`${rack}/${slot}/${instance}`, { "%usage": decimalAt(card, "TotalCPUFiveMinute") }];
    }),
  );
}

/** Since version 7 it is no longer an admin query. */
function memoryQuestion(version: string): string {
  const where = Number(/^(\d{1,3})\./.exec(version)?.[1] ?? 0) >= 7 ? "Operational" : "AdminOperational";
  return `<Get><${where}><MemorySummary></MemorySummary></${where}></Get>`;
}

/** Memory of the first processor card. */
function memoryOf(response: XmlElement, slots: readonly Slot[]): Environment["memory"] {
  const processor = slots.find(({ kind }) => kind === "RSP") ?? slots.find(({ kind }) => kind === "RP");
  const node = response
    .descendants("Node")
    .find((node) => node.textOf("Naming/NodeName/Slot") === processor?.name);
  if (node === undefined) return noMemory;
  const available = integerAt(node, "Summary/SystemRAMMemory");
  const free = integerAt(node, "Summary/FreeApplicationMemory");
  return available > 0 && free > 0 ? { available_ram: available, used_ram: available - free } : noMemory;
}
