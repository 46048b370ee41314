/** `get_bgp_neighbors` of IOS: combines the summary with the neighbour details of each family. */
import { addressOrText, asNumber } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup, linesOf, needed } from "../../../common/text.ts";
import type { BgpNeighbor } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";
import { type SummaryRow, summaryOf } from "./bgp-summary.ts";

const summaryCommand = "show bgp all summary";
/** Families that NAPALM reports, with the command keywords for their neighbours. */
const families: Readonly<Record<string, string>> = {
  "ipv4 unicast": "ipv4 unicast",
  "ipv4 multicast": "ipv4 multicast",
  "ipv6 unicast": "ipv6 unicast",
  "ipv6 multicast": "ipv6 multicast",
  "vpnv4 unicast": "vpnv4 unicast all",
  "vpnv6 unicast": "vpnv6 unicast all",
  "ipv4 mdt": "ipv4 mdt all",
};

type Peer = { -readonly [Field in keyof BgpNeighbor]: BgpNeighbor[Field] };
type Family = BgpNeighbor["address_family"][string];

/** A neighbour in one family. */
interface Session {
  address: string;
  vrf: string;
  description: string;
  remoteId: string;
  isUp: boolean;
  family: string;
  sent: number | undefined;
  accepted: number | undefined;
}

export const getBgpNeighbors: Getter<IosDevice, "get_bgp_neighbors"> = async (device) => {
  const summary = await device.ask(summaryCommand);
  if (isUnknown(summary) || summary.includes("BGP not active")) return {};
  const outputs: string[] = [];
  for (const words of Object.values(families)) outputs.push(await device.ask(`show bgp ${words} neighbors`));
  const sessions = sessionsOf(outputs.join("\n"));
  const rows = summaryOf(summary);
  const instances: Record<string, { router_id: string; peers: Record<string, Peer> }> = {};
  for (const { vrf } of sessions) {
    slot(instances, vrf, () => ({ router_id: rows[0]?.routerId ?? "", peers: {} }));
  }
  // The same address may be a neighbour in several VRFs; each summary row gets one session.
  const waiting = new Map<string, Session[]>();
  for (const session of sessions.toReversed()) {
    const key = `${session.family} ${session.address}`;
    const existing = waiting.get(key);
    if (existing === undefined) waiting.set(key, [session]);
    else existing.push(session);
  }
  for (const row of rows) {
    const family = row.family.toLowerCase();
    const session = waiting.get(`${family} ${row.neighbor}`)?.pop();
    if (session === undefined || !Object.hasOwn(families, family)) continue;
    const peers = instances[session.vrf]?.peers ?? {};
    const peer = peerOf(row, session);
    const existing = peers[row.neighbor];
    if (existing === undefined) peers[row.neighbor] = peer;
    else {
      existing.is_up ||= peer.is_up;
      existing.uptime = Math.max(existing.uptime, peer.uptime);
      existing.address_family = { ...existing.address_family, ...peer.address_family };
    }
  }
  return instances;
};

function peerOf(row: SummaryRow, session: Session): Peer {
  const { isUp } = session;
  const uptime = needed(secondsOfClock(row.upDown), summaryCommand, row.upDown);
  return {
    local_as: asNumber(row.localAs),
    remote_as: asNumber(row.remoteAs),
    remote_id: session.remoteId,
    is_up: isUp,
    is_enabled: !row.state.includes("(Admin)"),
    description: session.description,
    uptime: isUp ? uptime : -1,
    address_family: { [session.family]: prefixesOf(row, session) },
  };
}

function prefixesOf({ state }: SummaryRow, { isUp, accepted, sent }: Session): Family {
  const counted = /^\d+$/.test(state) ? Number(state) : -1;
  if (!isUp) return { received_prefixes: -1, accepted_prefixes: counted, sent_prefixes: -1 };
  const now = accepted ?? counted;
  return { received_prefixes: now, accepted_prefixes: now, sent_prefixes: sent ?? -1 };
}

/** Each family of a neighbour starts with its name, each neighbour at column 0. */
function sessionsOf(output: string): Session[] {
  const sessions: Session[] = [];
  let neighbor: Session | undefined;
  let now: Session | undefined;
  for (const line of linesOf(output)) {
    const [, address, vrf] = /^BGP neighbor is ([^\s,]+),(?:\s+vrf ([^\s,]+),)?/.exec(line) ?? [];
    if (address !== undefined) {
      now = undefined;
      neighbor = {
        address: addressOrText(address),
        vrf: vrf ?? "global",
        // Like NAPALM: a neighbour without a description inherits that of the previous neighbour.
        description: neighbor?.description ?? "",
        remoteId: "",
        isUp: false,
        family: "",
        sent: undefined,
        accepted: undefined,
      };
    }
    if (neighbor === undefined) continue;
    const family = firstGroup(/^\s+For address family: (\S.*)$/, line)
      ?.trim()
      .toLowerCase();
    if (family !== undefined) {
      now = { ...neighbor, family };
      sessions.push(now);
    }
    if (now !== undefined) {
      const [, sent, accepted] = /^\s+Prefixes Current:\s+(\d+)\s+(\d+)/.exec(line) ?? [];
      if (sent !== undefined) Object.assign(now, { sent: Number(sent), accepted: Number(accepted) });
      continue;
    }
    neighbor.description = firstGroup(/^\s+Description: (.+)$/, line) ?? neighbor.description;
    neighbor.remoteId =
      firstGroup(/^\s+BGP version \d+, remote router ID ([\d.]+)/, line) ?? neighbor.remoteId;
    if (/^\s+BGP state = Established/.test(line)) neighbor.isUp = true;
  }
  return sessions;
}
