/** `get_bgp_config` of IOS, from the running configuration. Like NAPALM, it leaves out neighbours in VRFs. */

import { ipVersion } from "../../../common/addresses.ts";
import { boundedText } from "../../../common/bounded.ts";
import { asOneText } from "../../../common/python-text.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup, linesOf } from "../../../common/text.ts";
import type { BgpConfigGroup, BgpConfigNeighbor, PrefixLimit } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";
import { runningConfig } from "./administration.ts";

/** Neighbours without a peer group. */
const noGroup = "_";

interface Line {
  /** `address-family ipv4`; empty outside of one. */
  readonly family: string;
  /** The neighbour or group of the line. */
  readonly of: string;
  /** The text after its name. */
  readonly says: string;
}

export const getBgpConfig: Getter<IosDevice, "get_bgp_config"> = async (device, { group, neighbor }) => {
  const config = await runningConfig(device);
  const ownAs = firstGroup(/^router bgp (\d+)/m, config);
  if (ownAs === undefined) return {};
  const localAs = Number(ownAs);
  const lines = bgpLines(config);
  const names = [...new Set(lines.map(({ of }) => of))];
  const members: Record<string, Record<string, BgpConfigNeighbor>> = {};
  for (const name of names) {
    if (ipVersion(name) === undefined || (neighbor !== "" && name !== neighbor)) continue;
    const neighborLines = lines.filter(({ of }) => of === name);
    if (neighborLines.some(({ family }) => family.includes("vrf"))) continue;
    const [peerGroup = noGroup] = settingsOf(neighborLines, /^peer-group (\S+)/);
    slot(members, peerGroup, () => ({}))[name] = neighborOf(neighborLines, localAs);
  }
  const groups: Record<string, BgpConfigGroup> = {};
  if (group === "" || group === noGroup) {
    groups[noGroup] = groupOf([], localAs, members[noGroup] ?? {}, "");
  }
  for (const [name, neighbors] of Object.entries(members)) {
    if (name === noGroup || (group !== "" && name !== group)) continue;
    groups[name] = groupOf(
      lines.filter(({ of }) => of === name),
      localAs,
      neighbors,
      "external",
    );
  }
  return groups;
};

/** Neighbour lines below `router bgp`. */
function bgpLines(config: string): Line[] {
  const lines: Line[] = [];
  let inside = false;
  let family = "";
  for (const line of linesOf(boundedText(config))) {
    if (/^\S/.test(line) && !line.startsWith("!")) inside = line.startsWith("router bgp");
    if (!inside) continue;
    if (/^ \S/.test(line)) family = firstGroup(/^ (address-family .*)$/, line)?.trim() ?? "";
    const [, of, says] = /^\s+neighbor (\S+) (\S.*)$/.exec(line) ?? [];
    if (of !== undefined && says !== undefined) lines.push({ family, of, says: says.trim() });
  }
  return lines;
}

/** The first group of each matching line. */
const settingsOf = (lines: readonly Line[], pattern: RegExp) =>
  lines.flatMap(({ says }) => firstGroup(pattern, says) ?? []);

/** Several matches, as with several families, become one text, as in NAPALM. */
const settingOf = (lines: readonly Line[], pattern: RegExp) => asOneText(settingsOf(lines, pattern));

/** Undefined if there are several numbers. */
function numberSaid(lines: readonly Line[], pattern: RegExp): number | undefined {
  const [number, ...more] = settingsOf(lines, pattern);
  return number === undefined || more.length > 0 ? undefined : Number(number);
}

function commonOf(lines: readonly Line[], localAs: number) {
  return {
    description: settingOf(lines, /^description ([^']+)/) ?? "",
    import_policy: settingOf(lines, /^route-map (\S+) in$/) ?? "",
    export_policy: settingOf(lines, /^route-map (\S+) out$/) ?? "",
    local_address: settingOf(lines, /^update-source (\w+)/) ?? "",
    local_as: numberSaid(lines, /^local-as (\d+)/) ?? localAs,
    remote_as: numberSaid(lines, /^remote-as (\d+)/) ?? 0,
  };
}

function neighborOf(lines: readonly Line[], localAs: number): BgpConfigNeighbor {
  return {
    ...commonOf(lines, localAs),
    prefix_limit: limitOf(lines, familiesOf(lines)[0]),
    // The trailing apostrophe comes from Python's list of lines.
    authentication_key: settingOf(lines, /^password (?:\d )?([^']+)/)?.concat("'") ?? "",
    nhs: settingOf(lines, /^(next-hop-self)/) !== undefined,
    route_reflector_client: settingOf(lines, /^(route-reflector-client)/) !== undefined,
  };
}

function groupOf(
  lines: readonly Line[],
  localAs: number,
  neighbors: Record<string, BgpConfigNeighbor>,
  otherwise: string,
): BgpConfigGroup {
  const common = commonOf(lines, localAs);
  return {
    ...common,
    // Like NAPALM: uses a neighbour's first family, but a group's last one.
    prefix_limit: lines.length === 0 ? {} : limitOf(lines, familiesOf(lines).at(-1)),
    type: common.local_as === common.remote_as ? "internal" : otherwise,
    apply_groups: [],
    multipath: false,
    multihop_ttl: 0,
    remove_private_as: settingOf(lines, /^(remove-private-as)/) !== undefined,
    neighbors,
  };
}

/** Reports a limit only if it has a threshold and a restart time. */
function limitOf(lines: readonly Line[], of: string | undefined): PrefixLimit {
  const [, family = "", , safi] = /^address-family ((?:ipv4|ipv6)\b)( (\S+))?/.exec(of ?? "") ?? [];
  if (family === "") return {};
  const limit = /^maximum-prefix (\d+) \d+ \w+ \d+/;
  return {
    [family === "ipv4" ? "inet" : "inet6"]: {
      [safi ?? "unicast"]: {
        limit: numberSaid(lines, limit) ?? 0,
        teardown: {
          threshold: numberSaid(lines, /^maximum-prefix \d+ (\d+) \w+ \d+/) ?? 0,
          timeout: numberSaid(lines, /^maximum-prefix \d+ \d+ \w+ (\d+)/) ?? 0,
        },
      },
    },
  };
}

const familiesOf = (lines: readonly Line[]) =>
  lines.map(({ family }) => family).filter((family) => family !== "");
