/** get_bgp_config: groups and neighbours from the configuration. */
import { isIP } from "node:net";
import { asNumber } from "../../../common/addresses.ts";
import { integer } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { BgpConfigGroup, BgpConfigNeighbor } from "../../../models-bgp.ts";
import type { Getter } from "../device.ts";

/** Settings of a group or neighbour. */
interface Settings {
  description: string;
  import_policy: string;
  export_policy: string;
  local_address: string;
  authentication_key: string;
  nhs: boolean;
  route_reflector_client: boolean;
  remove_private_as: boolean;
  multihop_ttl: number;
  local_as: number;
  remote_as: number;
}

const nothing: Settings = {
  description: "",
  import_policy: "",
  export_policy: "",
  local_address: "",
  authentication_key: "",
  nhs: false,
  route_reflector_client: false,
  remove_private_as: false,
  multihop_ttl: 0,
  local_as: 0,
  remote_as: 0,
};

/** Keyed by the keyword after the group or neighbour; `on` is false for a `no` line. */
const readers: Readonly<Record<string, (values: readonly string[], on: boolean) => Partial<Settings>>> = {
  // The first word only, as in NAPALM.
  description: ([text = ""], on) => ({ description: on ? text : "" }),
  "remote-as": ([as], on) => ({ remote_as: on ? integer(as, 0) : 0 }),
  "local-as": ([as], on) => ({ local_as: on ? integer(as, 0) : 0 }),
  "local-v4-addr": ([address = ""], on) => ({ local_address: on ? address : "" }),
  "local-v6-addr": ([address = ""], on) => ({ local_address: on ? address : "" }),
  "ebgp-multihop": ([ttl = "0"], on) => ({ multihop_ttl: on ? integer(ttl, 0) : 0 }),
  "remove-private-as": (_, on) => ({ remove_private_as: on }),
  "next-hop-self": (_, on) => ({ nhs: on }),
  "route-reflector-client": (_, on) => ({ route_reflector_client: on }),
  password: ([first = "", second], on) => ({ authentication_key: on ? (second ?? first) : "" }),
  // `R in`, or just `in` after `no`; R is used after `no` too.
  "route-map": ([first = "", second]) => {
    const [policy, direction] = second === undefined ? ["", first] : [first, second];
    return direction === "in" ? { import_policy: policy } : { export_policy: policy };
  },
};

/**
 * A neighbour's settings inherited from its group, if the group precedes it. The key and the route reflector flag are
 * not inherited.
 */
function inherited({ authentication_key: _key, route_reflector_client: _client, ...rest }: Settings) {
  return rest;
}

interface ParsedBgp {
  localAs: number;
  readonly groups: Record<string, Settings>;
  readonly neighbors: Record<string, { group: string; settings: Settings }>;
}

/** @param onlyGroup the only group to read; of the others only the neighbours are returned */
function read(config: string, onlyGroup: string): ParsedBgp {
  const parsed: ParsedBgp = { localAs: 0, groups: {}, neighbors: {} };
  for (const line of linesOf(config)) {
    const words = wordsOf(line);
    if (words[0] === "router" && words[1] === "bgp") {
      parsed.localAs = asNumber(words[2] ?? "") || 0;
      continue;
    }
    const on = words[0] !== "no";
    const [neighbor, name, property = "", ...values] = on ? words : words.slice(1);
    if (neighbor !== "neighbor" || name === undefined) continue;
    const plain = { ...nothing, local_as: parsed.localAs };
    if (isIP(name) === 0) {
      if (onlyGroup !== "" && name !== onlyGroup) continue;
      Object.assign(
        slot(parsed.groups, name, () => plain),
        readers[property]?.(values, on),
      );
      continue;
    }
    const group = groupOf(property, values);
    const ofGroup = parsed.groups[group ?? ""];
    const entry = slot(parsed.neighbors, name, () => ({
      group: group ?? "_",
      settings: { ...plain, ...(ofGroup === undefined ? {} : inherited(ofGroup)) },
    }));
    if (group !== undefined) entry.group = group;
    Object.assign(entry.settings, readers[property]?.(values, on));
  }
  return parsed;
}

/** `peer-group X`, or `peer group X` from 4.23 on. */
function groupOf(property: string, [first, second]: readonly string[]): string | undefined {
  if (property === "peer-group") return first;
  return property === "peer" && first === "group" ? second : undefined;
}

export const get_bgp_config: Getter<"get_bgp_config"> = async (device, { group, neighbor }) => {
  const [config = ""] = await device.text("show running-config | section router bgp");
  const { groups, neighbors, localAs } = read(config, group);
  if (localAs === 0) return {};
  groups._ = { ...nothing, local_as: localAs };
  const members: Record<string, Record<string, BgpConfigNeighbor>> = {};
  for (const [address, entry] of Object.entries(neighbors)) {
    slot(groups, entry.group, () => ({ ...nothing, local_as: localAs }));
    const isAsked = neighbor === "" || group === "" || address === neighbor;
    if (isAsked) slot(members, entry.group, () => ({}))[address] = neighborOf(entry.settings);
  }
  return Object.fromEntries(
    Object.entries(groups).map(([name, settings]) => [name, groupWith(settings, members[name] ?? {})]),
  );
};

function groupWith(settings: Settings, neighbors: BgpConfigGroup["neighbors"]): BgpConfigGroup {
  const { description, import_policy, export_policy, local_address, local_as, remote_as } = settings;
  const { remove_private_as, multihop_ttl } = settings;
  return {
    type: "",
    description,
    apply_groups: [],
    multihop_ttl,
    multipath: false,
    local_address,
    local_as,
    remote_as,
    import_policy,
    export_policy,
    remove_private_as,
    prefix_limit: {},
    neighbors,
  };
}

function neighborOf(settings: Settings): BgpConfigNeighbor {
  const { remove_private_as: _private, multihop_ttl: _ttl, ...neighbor } = settings;
  return { ...neighbor, prefix_limit: {} };
}
