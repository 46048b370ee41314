/** Fans, temperatures, power and CPU load of a Junos chassis. */
import { type XmlElement, type XmlFragment, xml } from "patchbay/plugin";
import { integerAt, textAt } from "../../../common/elements.ts";
import { decimal, integer } from "../../../common/numbers.ts";
import type { Environment } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { answered, type JunosDevice } from "../device.ts";

type Mutable<Part extends keyof Environment> = Record<
  string,
  Environment[Part][string & keyof Environment[Part]]
>;

export const get_environment: Getter<JunosDevice, "get_environment"> = async (device) => {
  const node: XmlFragment[] = (await isCluster(device)) ? [xml("node", {}, "primary")] : [];
  const [items, engines, thresholds, supplies] = await Promise.all([
    device.ask(xml("get-environment-information", {}, ...node)),
    device.ask(xml("get-route-engine-information", {}, ...node)),
    // Not all chassis support the last two.
    answered(device, xml("get-temperature-threshold-information", {}, ...node)),
    answered(device, xml("get-power-usage-information-detail")),
  ]);
  const limits = limitsOf(thresholds);
  const isRefused = thresholds === undefined;
  const fans: Mutable<"fans"> = {};
  const temperature: Mutable<"temperature"> = {};
  const power: Mutable<"power"> = {};
  const itemNames = supplies?.descendants("power-usage-item").map((supply) => supply.textOf("name")) ?? [];
  const names = new Map(itemNames.map((name) => [name, supplyName(name)]));
  let kind = "";
  for (const item of items.descendants("environment-item")) {
    const name = item.textOf("name");
    // Only the first item of a class names it.
    kind = item.textOf("class") || kind;
    const isGood = item.textOf("status") === "OK";
    if (kind === "Fans") fans[name] = { status: isGood };
    if (kind === "Power") power[names.get(name) ?? name] = { status: isGood, capacity: -1, output: -1 };
    if (kind === "Temp" && (isRefused || limits !== undefined))
      temperature[name] = temperatureOf(item, limits ?? noLimits);
  }
  for (const supply of supplies?.descendants("power-usage-item") ?? []) {
    const name = supply.textOf("name");
    if (name === "") continue;
    power[supplyName(name)] = {
      status: supply.textOf("state") === "Online",
      capacity: decimal(textAt(supply, "pem-capacity-detail/capacity-actual"), -1),
      output: decimal(textAt(supply, "dc-output-detail/dc-power"), -1),
    };
  }
  return { fans, temperature, power, ...loadOf(engines) };
};

/** Power readings use this other name for the same supply. */
const supplyName = (name: string) => name.replaceAll("PEM", "Power Supply");

async function isCluster(device: JunosDevice): Promise<boolean> {
  const status = await answered(device, xml("get-chassis-cluster-status"));
  return (status?.descendants("cluster-id").length ?? 0) > 0;
}

interface Limits {
  readonly yellow: number;
  readonly red: number;
}

const noLimits: Limits = { yellow: Number.POSITIVE_INFINITY, red: Number.POSITIVE_INFINITY };

/** Like NAPALM: applies the last threshold to all sensors; without thresholds it reports no temperatures. */
function limitsOf(reply: XmlElement | undefined): Limits | undefined {
  const last = reply?.descendants("temperature-threshold").at(-1);
  if (last === undefined) return undefined;
  return {
    yellow: integerAt(last, "yellow-alarm", noLimits.yellow),
    red: integerAt(last, "red-alarm", noLimits.red),
  };
}

function temperatureOf(item: XmlElement, { yellow, red }: Limits): Environment["temperature"][string] {
  const celsius = decimal(item.find("temperature")?.attribute("celsius"), undefined);
  const isAbove = (limit: number) => celsius !== undefined && celsius >= limit;
  return {
    temperature: celsius ?? 0,
    is_alert: isAbove(yellow) || isAbove(red),
    is_critical: isAbove(red),
  };
}

/** By slot, or by node name in a cluster; memory of the last routing engine, in MB. */
function loadOf(engines: XmlElement): Pick<Environment, "cpu" | "memory"> {
  const nodes = engines.descendants("multi-routing-engine-item");
  const named: (readonly [string, XmlElement])[] =
    nodes.length > 0
      ? nodes.flatMap((node) =>
          node.descendants("route-engine").map((engine) => [node.textOf("re-name"), engine] as const),
        )
      : engines
          .descendants("route-engine")
          .map((engine, at) => [engine.textOf("slot") || String(at), engine] as const);
  const last = named.at(-1)?.[1];
  return {
    cpu: Object.fromEntries(
      named.map(([name, engine]) => [name, { "%usage": 100 - integerAt(engine, "cpu-idle", 100) }]),
    ),
    memory: last === undefined ? { available_ram: 0, used_ram: 0 } : memoryOf(last),
  };
}

function memoryOf(engine: XmlElement): Environment["memory"] {
  const size = textAt(engine, "memory-dram-size", "memory-system-total") ?? "";
  const available = integer(size.replace(/\D/g, ""), 0);
  const used = integerAt(engine, "memory-system-total-used", 0);
  // Most systems report used memory only as a percentage.
  const estimated = halfToEven((available / 100) * integerAt(engine, "memory-buffer-utilization", 0));
  return { available_ram: available, used_ram: used === 0 ? estimated : used };
}

/** Python's rounding: 102.5 becomes 102. */
function halfToEven(value: number): number {
  const below = Math.floor(value);
  return value - below === 0.5 ? below + (below % 2) : Math.round(value);
}
