/** Addresses of each interface. */
import type { XmlElement } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { slot } from "../../../common/records.ts";
import type { InterfaceAddresses } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { integerAt } from "./values.ts";

type Family = keyof InterfaceAddresses;
type Prefixes = Record<string, { prefix_length: number }>;
type Addresses = Partial<Record<Family, Prefixes>>;

const question =
  "<Get><Operational><IPV4Network></IPV4Network><IPV6Network></IPV6Network></Operational></Get>";
const globalDetail = "NodeTable/Node/InterfaceData/VRFTable/VRF/GlobalDetailTable/GlobalDetail";

export const getInterfacesIp: Getter<XrDevice, "get_interfaces_ip"> = async (device) => {
  const response = await device.ask(question);
  const interfaces: Record<string, Addresses> = {};
  const prefixesOf = (element: XmlElement, family: Family): Prefixes => {
    const families = slot(interfaces, element.textOf("Naming/InterfaceName"), (): Addresses => ({}));
    families[family] ??= {};
    return families[family];
  };
  for (const network of response.descendants("IPV4Network"))
    for (const element of network.all("InterfaceTable/Interface")) {
      const prefixes = prefixesOf(element, "ipv4");
      add(prefixes, element.all("VRFTable/VRF/Detail").slice(0, 1), "PrimaryAddress");
      const secondary = element.all("VRFTable/VRF/Detail/SecondaryAddress/Entry");
      const secondaryPrefixes: Prefixes = {};
      for (const entry of secondary.toReversed()) add(secondaryPrefixes, [entry], "Address");
      Object.assign(prefixes, secondaryPrefixes);
    }
  // An interface with IPv6 enabled is listed even without an address.
  for (const network of response.descendants("IPV6Network"))
    for (const element of network.all(globalDetail))
      add(prefixesOf(element, "ipv6"), element.all("AddressList/Entry"), "Address");
  return interfaces;
};

function add(prefixes: Prefixes, entries: readonly XmlElement[], field: string): void {
  for (const entry of entries) {
    const address = addressOrText(entry.textOf(field));
    if (address !== "") prefixes[address] ??= { prefix_length: integerAt(entry, "PrefixLength") };
  }
}
