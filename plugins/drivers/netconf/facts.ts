/** What a server says of itself: by the standard models that it has, and its capabilities. */
import { type Context, type NetconfSession, PluginError, type XmlElement, xml } from "patchbay/plugin";
import { type Facts, factsOf, type SaidFacts } from "../shared/facts.ts";
import type { Models } from "./models.ts";

/** Beginnings of capabilities, and the platform whose servers announce them. */
const platforms: readonly (readonly [string, string])[] = [
  ["http://xml.juniper.net/netconf/junos/", "juniper_junos"],
  ["http://cisco.com/ns/yang/Cisco-IOS-XR-", "cisco_xr"],
  ["http://cisco.com/ns/yang/Cisco-IOS-XE-native", "cisco_xe"],
  ["http://cisco.com/ns/yang/cisco-nx-os-device", "cisco_nxos"],
  ["http://arista.com/yang/", "arista_eos"],
  ["urn:nokia.com:sros:", "nokia_sros"],
  ["urn:nokia.com:srlinux:", "nokia_srl"],
  ["urn:huawei:yang:", "huawei_vrp"],
];

/** The platform, if its servers have capabilities of their own. */
export function platformOf(capabilities: readonly string[]): string | undefined {
  return platforms.find(([begin]) => capabilities.some((uri) => uri.startsWith(begin)))?.[1];
}

/** Where the standard models have the facts; the first that is there counts. */
const sources: readonly {
  readonly module: string;
  readonly root: string;
  readonly read: (root: XmlElement) => SaidFacts;
}[] = [
  {
    module: "ietf-system",
    root: "system-state",
    read: (root) => ({
      os: root.textOf("platform/os-name"),
      version: root.textOf("platform/os-release") || root.textOf("platform/os-version"),
      model: root.textOf("platform/machine"),
    }),
  },
  { module: "ietf-system", root: "system", read: (root) => ({ hostname: root.textOf("hostname") }) },
  {
    module: "ietf-hardware",
    root: "hardware",
    read(root) {
      const chassis = root.all("component").find((one) => /(?:^|:)chassis$/.test(one.textOf("class")));
      return {
        vendor: chassis?.textOf("mfg-name"),
        model: chassis?.textOf("model-name"),
        serial: chassis?.textOf("serial-num"),
        version: chassis?.textOf("software-rev"),
      };
    },
  },
  {
    module: "openconfig-platform",
    root: "components",
    read(root) {
      const chassis = root.all("component").find((one) => /(?:^|:)CHASSIS$/.test(one.textOf("state/type")));
      return {
        vendor: chassis?.textOf("state/mfg-name"),
        model: chassis?.textOf("state/part-no"),
        serial: chassis?.textOf("state/serial-no"),
        version: chassis?.textOf("state/software-version"),
      };
    },
  },
];

/** A model that the user may not read is left out. */
export async function readFacts(session: NetconfSession, models: Models, ctx: Context): Promise<Facts> {
  const said: SaidFacts[] = [];
  for (const { module, root: name, read } of sources) {
    if (!models.has(module)) continue;
    const filter = xml("filter", { type: "subtree" }, xml(name, { xmlns: models.namespaceOf(module) }));
    const reply = await session.rpc(xml("get", {}, filter), {}, ctx).catch((error) => {
      if (error instanceof PluginError && error.kind === "CommandError") return undefined;
      throw error;
    });
    const element = reply?.root.find(`data/${name}`);
    if (element !== undefined) said.push(read(element));
  }
  return factsOf(said);
}
