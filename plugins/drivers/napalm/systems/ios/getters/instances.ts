/** `get_network_instances` of IOS. */
import { canonicalInterface } from "../../../common/interface-names.ts";
import { firstGroup, sectionsOf, wordsOf } from "../../../common/text.ts";
import type { NetworkInstance } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";
import { interfacesOf } from "./facts.ts";

export const getNetworkInstances: Getter<IosDevice, "get_network_instances"> = async (device, { name }) => {
  const detail = await device.ask("show vrf detail");
  const interfaces = interfacesOf(await device.ask("show ip interface brief"));
  const vrfs = isUnknown(detail) ? [] : sectionsOf(detail, (line) => /^VRF \S/.test(line)).map(vrfOf);
  const assigned = new Set(vrfs.flatMap(({ interfaces }) => Object.keys(interfaces.interface)));
  const rest = interfaces.filter((interfaceName) => !assigned.has(interfaceName));
  const instances = [instanceOf("default", "DEFAULT_INSTANCE", "", rest), ...vrfs];
  return Object.fromEntries(
    instances
      .filter((instance) => name === "" || instance.name === name)
      .map((instance) => [instance.name, instance]),
  );
};

/** The interfaces are listed between their title and the first address family. */
function vrfOf({
  head,
  lines,
}: {
  readonly head: string;
  readonly lines: readonly string[];
}): NetworkInstance {
  const distinguisher = firstGroup(/\bRD (.+?)(?:;|$)/, head) ?? "";
  const text = `${head}\n${lines.join("\n")}`.split(/^Address family/m, 1)[0] ?? "";
  const [, members = ""] = text.split(/^\s*Interfaces:/m, 2);
  return instanceOf(
    firstGroup(/^VRF ([^\s;]+)/, head) ?? "",
    "L3VRF",
    distinguisher === "<not set>" ? "" : distinguisher,
    wordsOf(members).map((short) => canonicalInterface(short)),
  );
}

function instanceOf(
  name: string,
  type: string,
  distinguisher: string,
  interfaces: readonly string[],
): NetworkInstance {
  return {
    name,
    type,
    state: { route_distinguisher: distinguisher },
    interfaces: { interface: Object.fromEntries(interfaces.map((member) => [member, {}])) },
  };
}
