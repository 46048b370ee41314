/** NTP, SNMP and users of IOS XR. */
import { type XmlElement, xml } from "patchbay/plugin";
import { decimalAt, integerAt } from "../../../common/elements.ts";
import { iosxrUserLevels } from "../../../common/iosxr-user-levels.ts";
import type { NetconfDevice } from "../../../common/netconf.ts";
import type { NtpServer } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { getConfigOperation, getOperation, leaves, model, nested } from "../operations.ts";

const ntpConfigOperation = getConfigOperation(
  "running",
  nested(model("ip-ntp-cfg"), "ntp/peer-vrfs/peer-vrf"),
);

async function ntpAddresses(
  device: NetconfDevice,
  kind: "peer" | "server",
): Promise<Record<string, NtpServer>> {
  const reply = await device.ask(ntpConfigOperation);
  const addresses = ["ipv4", "ipv6"].flatMap((family) =>
    reply
      .all(`data/ntp/peer-vrfs/peer-vrf/peer-${family}s/peer-${family}`)
      .filter((peer) => peer.textOf(`peer-type-${family}/peer-type`) === kind)
      .map((peer) => peer.textOf(`address-${family}`)),
  );
  return Object.fromEntries(addresses.filter((address) => address !== "").map((address) => [address, {}]));
}

export const get_ntp_peers: Getter<NetconfDevice, "get_ntp_peers"> = (device) => ntpAddresses(device, "peer");
export const get_ntp_servers: Getter<NetconfDevice, "get_ntp_servers"> = (device) =>
  ntpAddresses(device, "server");

const ntpStateOperation = getOperation(
  nested(model("ip-ntp-oper"), "ntp/nodes/node/associations/peer-summary-info/peer-info-common"),
);

export const get_ntp_stats: Getter<NetconfDevice, "get_ntp_stats"> = async (device) =>
  (await device.ask(ntpStateOperation))
    .all("data/ntp/nodes/node/associations/peer-summary-info/peer-info-common")
    // The router itself, as seen by some of its boards.
    .filter((peer) => peer.textOf("address") !== "DLRSC node")
    .map((peer) => ({
      remote: peer.textOf("address"),
      synchronized: peer.textOf("is-sys-peer") === "true",
      referenceid: peer.textOf("reference-id"),
      stratum: integerAt(peer, "stratum", 0),
      type: "",
      when: "",
      hostpoll: integerAt(peer, "host-poll", 0),
      reachability: integerAt(peer, "reachability", 0),
      delay: decimalAt(peer, "delay", 0),
      offset: decimalAt(peer, "offset", 0),
      jitter: decimalAt(peer, "dispersion", 0),
    }));

const snmpOperation = getConfigOperation(
  "running",
  xml("snmp", { xmlns: model("snmp-agent-cfg") }, ...leaves("administration", "system")),
);
const snmpModes: Readonly<Record<string, string>> = { "read-only": "ro", "read-write": "rw" };

export const get_snmp_information: Getter<NetconfDevice, "get_snmp_information"> = async (device) => {
  const reply = await device.ask(snmpOperation);
  const system = (leaf: string) => reply.textOf(`data/snmp/system/${leaf}`);
  return {
    chassis_id: system("chassis-id"),
    contact: system("contact"),
    location: system("location"),
    community: Object.fromEntries(
      reply
        .all("data/snmp/administration/default-communities/default-community")
        .map((community) => [community.textOf("community-name"), communityOf(community)]),
    ),
  };
};

function communityOf(community: XmlElement): { readonly acl: string; readonly mode: string } {
  return {
    acl: community.textOf("v6-access-list") || community.textOf("v4-access-list"),
    // Spelled like this in the model.
    mode: snmpModes[community.textOf("priviledge")] ?? "",
  };
}

const usersOperation = getConfigOperation(
  "running",
  xml(
    "aaa",
    { xmlns: model("aaa-lib-cfg") },
    xml("usernames", { xmlns: model("aaa-locald-cfg") }, xml("username")),
  ),
);

export const get_users: Getter<NetconfDevice, "get_users"> = async (device) =>
  Object.fromEntries(
    (await device.ask(usersOperation)).all("data/aaa/usernames/username").map((user) => [
      user.textOf("name"),
      {
        level: iosxrUserLevels[user.textOf("usergroup-under-usernames/usergroup-under-username/name")] ?? 0,
        password: user.textOf("password"),
        sshkeys: [],
      },
    ]),
  );
