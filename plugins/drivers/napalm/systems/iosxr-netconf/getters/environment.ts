/** Fans, temperatures, power and CPU load of an IOS XR router. */
import { type XmlElement, xml } from "patchbay/plugin";
import { decimalAt, integerAt } from "../../../common/elements.ts";
import { rounded } from "../../../common/numbers.ts";
import type { Environment } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { getOperation, leaves, model, nested } from "../operations.ts";
import { factsOf, factsOperation } from "./facts.ts";

/** Each router family has its own model; the router announces its model in the hello. */
const chassisModels = ["asr9k-envmon-ui", "envmon-ui", "fretta-envmon-ui"].map(
  (name) => `http://www.cisco.com/ns/yang/Cisco-IOS-XR-sysadmin-${name}`,
);

/** These have no chassis. */
const virtualModels: ReadonlySet<string> = new Set(["R-IOSXRV9000-CC"]);

const loadOperation = getOperation(nested(model("wdsysmon-fd-oper"), "system-monitoring/cpu-utilization"));
const memoryOperation = getOperation(xml("memory-summary", { xmlns: model("nto-misc-oper") }));

type Chassis = Pick<Environment, "fans" | "temperature" | "power">;

export const get_environment: Getter<XrDevice, "get_environment"> = async (device) => {
  const [chassis, load, memory] = await Promise.all([
    chassisOf(device),
    device.ask(loadOperation),
    device.ask(memoryOperation),
  ]);
  return {
    ...chassis,
    cpu: Object.fromEntries(
      load
        .all("data/system-monitoring/cpu-utilization")
        .map((node) => [node.textOf("node-name"), { "%usage": decimalAt(node, "total-cpu-five-minute", 0) }]),
    ),
    memory: memoryOf(memory),
  };
};

async function chassisOf(device: XrDevice): Promise<Chassis> {
  const chassisModel = chassisModels.find((uri) =>
    device.capabilities.some((capability) => capability.includes(uri)),
  );
  const { model: router } = factsOf(await device.ask(factsOperation));
  if (chassisModel === undefined || virtualModels.has(router))
    return { fans: {}, temperature: {}, power: {} };
  const subtree = xml("oper", {}, ...leaves("temperatures", "fan", "power"));
  const reply = await device.ask(getOperation(xml("environment", { xmlns: chassisModel }, subtree)));
  const locations = (kind: string) => reply.all(`data/environment/oper/${kind}/location`);
  return {
    fans: Object.fromEntries(
      locations("fan")
        .map((location) => location.textOf("location").replace(/^[0/]+/, ""))
        .filter((name) => name.includes("FT"))
        .map((name) => [name, { status: true }]),
    ),
    temperature: temperaturesOf(locations("temperatures")),
    power: powerOf(locations("power")),
  };
}

/** The sensor that represents a whole board. */
const boardSensors: ReadonlySet<string> = new Set(["Inlet", "Control Sensor"]);

function temperaturesOf(boards: readonly XmlElement[]): Environment["temperature"] {
  return Object.fromEntries(
    boards.flatMap((board) => {
      const sensor = board
        .all("sensor_attributes")
        .find((attributes) => boardSensors.has(attributes.textOf("sensor_id")));
      return sensor === undefined ? [] : [[board.textOf("location"), temperatureOf(sensor)] as const];
    }),
  );
}

function temperatureOf(sensor: XmlElement): Environment["temperature"][string] {
  const value = decimalAt(sensor, "value", 0);
  const isOutside = (limit: string) =>
    value <= decimalAt(sensor, `${limit}_lo`, Number.NEGATIVE_INFINITY) ||
    value >= decimalAt(sensor, `${limit}_hi`, Number.POSITIVE_INFINITY);
  return { temperature: value, is_alert: isOutside("major"), is_critical: isOutside("critical") };
}

function powerOf(locations: readonly XmlElement[]): Environment["power"] {
  const power: Record<string, Environment["power"][string]> = {};
  let capacity = 0;
  for (const location of locations) {
    const name = location.textOf("location");
    // A rack precedes its power supplies and holds their combined capacity.
    if (/^\d+$/.test(name)) capacity = decimalAt(location, "pem_attributes/usable_power_capacity", 0);
    else if (/\d\/P[TM]\d/.test(name))
      for (const supply of location.all("pem_attributes"))
        power[supply.textOf("pem")] = {
          status: supply.textOf("status") === "OK",
          output: rounded(decimalAt(supply, "output_voltage", 0) * decimalAt(supply, "output_current", 0), 2),
          capacity,
        };
  }
  return power;
}

/** Of the first route processor, in bytes. */
function memoryOf(reply: XmlElement): Environment["memory"] {
  const processor = reply
    .all("data/memory-summary/nodes/node")
    .find((node) => ["RP0", "RSP0"].includes(node.textOf("node-name").split("/")[1] ?? ""));
  const number = (leaf: string) => (processor === undefined ? 0 : integerAt(processor, `summary/${leaf}`, 0));
  const available = number("system-ram-memory");
  return { available_ram: available, used_ram: available - number("free-physical-memory") };
}
