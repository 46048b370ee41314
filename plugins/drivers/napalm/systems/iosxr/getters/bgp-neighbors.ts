/** BGP neighbours by VRF. */
import type { XmlElement } from "patchbay/plugin";
import { escapeXml } from "patchbay/plugin";
import type { BgpNeighbor } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { addressAt, integerAt } from "./values.ts";

const instanceName = "<Naming><InstanceName>default</InstanceName></Naming>";

/** The configured BGP VRFs besides the default one. */
export async function configuredVrfs(device: XrDevice): Promise<readonly string[]> {
  const response = await device.ask(
    `<Get><Operational><BGP><ConfigInstanceTable><ConfigInstance>${instanceName}<ConfigInstanceVRFTable></ConfigInstanceVRFTable></ConfigInstance></ConfigInstanceTable></BGP></Operational></Get>`,
  );
  return response.descendants("ConfigVRF").map((vrf) => vrf.textOf("Naming/VRFName"));
}

/** Queries one BGP instance. */
export function askInstance(device: XrDevice, inside: string): Promise<XmlElement> {
  return device.ask(
    `<Get><Operational><BGP><InstanceTable><Instance>${instanceName}${inside}</Instance></InstanceTable></BGP></Operational></Get>`,
  );
}

export const getBgpNeighbors: Getter<XrDevice, "get_bgp_neighbors"> = async (device) => {
  const instances: Record<string, { router_id: string; peers: Record<string, BgpNeighbor> }> = {};
  const tables = "<GlobalProcessInfo></GlobalProcessInfo><NeighborTable></NeighborTable>";
  const read = (name: string, response: XmlElement, vrf: string) => {
    const root = `Get/Operational/BGP/InstanceTable/Instance/InstanceActive/${vrf}`;
    instances[name] = {
      router_id: response.textOf(`${root}/GlobalProcessInfo/VRF/RouterID`),
      peers: Object.fromEntries(response.descendants("Neighbor").map(peerOf)),
    };
  };
  const vrfs = await configuredVrfs(device);
  const inDefault = `<InstanceActive><DefaultVRF>${tables}</DefaultVRF></InstanceActive>`;
  read("global", await askInstance(device, inDefault), "DefaultVRF");
  for (const vrf of vrfs) {
    const inside = `<InstanceActive><VRFTable><VRF><Naming>${escapeXml(vrf)}</Naming>${tables}</VRF></VRFTable></InstanceActive>`;
    read(vrf, await askInstance(device, inside), "VRFTable/VRF");
  }
  return instances;
};

function peerOf(neighbor: XmlElement): [string, BgpNeighbor] {
  const isUp = neighbor.textOf("ConnectionState") === "BGP_ST_ESTAB";
  const family = neighbor.textOf("ConnectionRemoteAddress/AFI");
  const accepted = integerAt(neighbor, "AFData/Entry/PrefixesAccepted");
  return [
    addressAt(neighbor, "Naming/NeighborAddress"),
    {
      local_as: integerAt(neighbor, "LocalAS"),
      remote_as: integerAt(neighbor, "RemoteAS"),
      remote_id: neighbor.textOf("RouterID"),
      is_up: isUp,
      is_enabled: neighbor.textOf("ConnectionAdminStatus") === "1",
      description: neighbor.textOf("Description"),
      uptime: isUp ? integerAt(neighbor, "ConnectionEstablishedTime") : -1,
      address_family: {
        [/^IPv[46]$/.test(family) ? family.toLowerCase() : family]: {
          received_prefixes: accepted + integerAt(neighbor, "AFData/Entry/PrefixesDenied"),
          accepted_prefixes: accepted,
          sent_prefixes: integerAt(neighbor, "AFData/Entry/PrefixesAdvertised"),
        },
      },
    },
  ];
}
