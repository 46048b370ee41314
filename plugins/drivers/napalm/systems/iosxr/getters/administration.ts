/** NTP, SNMP, local users and the configuration of iosxr. */
import { sanitizedConfigurations } from "../../../common/config-text.ts";
import { iosxrUserLevels } from "../../../common/iosxr-user-levels.ts";
import { linesOf } from "../../../common/text.ts";
import type { NtpServer, User } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { anywhere, decimalAt, integerAt, isTrue } from "./values.ts";

export const getNtpPeers: Getter<XrDevice, "get_ntp_peers"> = (device) => configured(device, "Peer");
export const getNtpServers: Getter<XrDevice, "get_ntp_servers"> = (device) => configured(device, "Server");

async function configured(device: XrDevice, kind: "Peer" | "Server"): Promise<Record<string, NtpServer>> {
  const response = await device.ask("<Get><Configuration><NTP></NTP></Configuration></Get>");
  const addresses = (["IPV4", "IPV6"] as const).flatMap((family) =>
    response
      .descendants(`Peer${family}Table`)
      .flatMap((table) => table.all(`Peer${family}`))
      .filter((peer) => peer.textOf(`PeerType${family}/Naming/PeerType`) === kind)
      .map((peer) => peer.textOf(`Naming/Address${family}`)),
  );
  return Object.fromEntries(addresses.filter((address) => address !== "").map((address) => [address, {}]));
}

export const getNtpStats: Getter<XrDevice, "get_ntp_stats"> = async (device) => {
  const response = await device.ask(
    "<Get><Operational><NTP><NodeTable></NodeTable></NTP></Operational></Get>",
  );
  return (
    response
      .descendants("NodeTable")
      .flatMap((table) => table.all("Node/Associations/PeerSummaryInfo/Entry/PeerInfoCommon"))
      // Another card of the same router.
      .filter((peer) => peer.textOf("Address") !== "DLRSC node")
      .map((peer) => ({
        remote: peer.textOf("Address"),
        referenceid: peer.textOf("ReferenceID"),
        synchronized: isTrue(peer, "IsSysPeer"),
        stratum: integerAt(peer, "Stratum"),
        type: "",
        when: "",
        hostpoll: integerAt(peer, "HostPoll"),
        reachability: integerAt(peer, "Reachability"),
        delay: decimalAt(peer, "Delay"),
        offset: decimalAt(peer, "Offset"),
        jitter: decimalAt(peer, "Dispersion"),
      }))
  );
};

const modes: Readonly<Record<string, string>> = { ReadOnly: "ro", ReadWrite: "rw" };

export const getSnmpInformation: Getter<XrDevice, "get_snmp_information"> = async (device) => {
  const response = await device.ask("<Get><Configuration><SNMP></SNMP></Configuration></Get>");
  const communities = response.descendants("DefaultCommunity").map((element) => [
    element.textOf("Naming/CommunityName"),
    // Spelled like this by the router.
    { mode: modes[element.textOf("Priviledge")] ?? "", acl: element.textOf("AccessList") },
  ]);
  return {
    chassis_id: anywhere(response, "ChassisID"),
    contact: anywhere(response, "Contact"),
    location: anywhere(response, "Location"),
    community: Object.fromEntries(communities),
  };
};

export const getUsers: Getter<XrDevice, "get_users"> = async (device) => {
  const response = await device.ask("<Get><Configuration><AAA></AAA></Configuration></Get>");
  const group = "UsergroupsUnderUsername/UsergroupUnderUsername/Naming/Name";
  return Object.fromEntries(
    response.descendants("Username").map((element): [string, User] => [
      element.textOf("Naming/Name"),
      {
        level: iosxrUserLevels[element.textOf(group)] ?? 0,
        password: element.textOf("Password/Password"),
        sshkeys: [],
      },
    ]),
  );
};

export const getConfig: Getter<XrDevice, "get_config"> = async (device, { retrieve, full, sanitized }) => {
  const ask = async (kind: "running" | "candidate", command: string) =>
    retrieve === kind || retrieve === "all" ? withoutHead(await device.configuration(command)) : "";
  const configurations = {
    running: await ask("running", `show running-config${full ? " all" : ""}`),
    // The router has no separate startup configuration.
    startup: "",
    candidate: await ask("candidate", "show configuration merge"),
  };
  return sanitized ? sanitizedConfigurations(configurations) : configurations;
};

/** Replaces lines added by the show command with empty ones. */
function withoutHead(text: string): string {
  return linesOf(text)
    .map((line) => line.replace(/^(?:Building configuration|!! IOS XR Configuration).*$/, ""))
    .join("\n");
}
