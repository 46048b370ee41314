/**
 * Which lines would cut the way that we come by: computed from the configuration and the facts of the session. A line is
 * looked at as a statement: the first lines of its sections and itself, joined by ` / `.
 */
import { addressIn, familyOf, isWithin, type Network, networkOf } from "../base/net/networks.ts";
import { apply } from "../configtree/apply.ts";
import { hasMenus, menuStatements } from "../configtree/menus.ts";
import type { TreeRules } from "../configtree/rules.ts";
import { type ConfigNode, parseTree } from "../configtree/tree.ts";
import { firstVerdict, type ListEntry, type TermEntry } from "./lists.ts";
import { isBundle, nameOf, vlansIn } from "./names.ts";

export const sessionTransports = ["ssh", "telnet", "netconf", "https"] as const;

/** How a session came to be. Addresses and user are empty where they are not known. */
export interface SessionFacts {
  /** Addresses of the device that we connect to. */
  readonly hosts: readonly string[];
  /** Of our end. */
  readonly locals: readonly string[];
  readonly user: string;
  readonly transport: (typeof sessionTransports)[number];
  readonly port: number;
}

/**
 * By which words a system says who may come in. Expressions match statements; groups are named. A group `mask` is a net
 * mask, a wildcard or a length.
 */
export interface AccessWords<L = RegExp> {
  /**
   * What an interface has: `interface`, and with it `address` and `mask`, `list` (of what comes in), `vlan` or `vlans`, `vrf`,
   * `parent`, and the `bundle` that it is a port of.
   */
  readonly interfaces: readonly L[];
  /** The VLAN of an interface by its name: `vlan`. */
  readonly vlanInterface?: L | undefined;
  /** Lists that bound the logins themselves: `list`. */
  readonly loginLists: readonly L[];
  /** Entries of lists: `list`, `action` and `rest`, or `source` and `mask` in place of it. */
  readonly listEntries: readonly L[];
  /**
   * Of entries with several statements: `list` and `term`, with some of `action`, `source`, `protocol` and `service`, `set` (its
   * addresses are those of the set), `unless` (it is not for whoever comes anew) and `when` (nobody knows whether it is for us).
   */
  readonly termParts?: readonly L[] | undefined;
  /** Addresses of a set: `set` and `address`. */
  readonly sets?: readonly L[] | undefined;
  /** A list lets in whom none of its entries is about. Default: it does not. */
  readonly isOpen?: true | undefined;
  /** Static routes: `address`, `mask` (absent: all), `via`, `vrf`. */
  readonly routes: readonly L[];
  readonly cuts: readonly CutRule<L>[];
}

export interface CutRule<L = RegExp> {
  readonly line: L;
  /** What of ours it must name, or stand at; absent: it cuts whoever comes. */
  readonly of?: CutObject | undefined;
  /** Cuts only who comes so. */
  readonly transport?: readonly SessionFacts["transport"][] | undefined;
}

/**
 * `interface`: group `interface` is one of our way; `only`: that too, or the only port that brings us there; `address`:
 * group `address` is where we come to; `other-address`: it is another one, and the line takes the place of ours; `user`: our
 * account; `list`: a list that applies to us; `route`: the route to us; `static`: we come by a route that is set; `vlan`: our
 * VLAN; `not-from`: `networks`, with commas, lack our address; `not-vlans`: `vlans` lacks our VLAN; `vlans`: it has it; `any-vlan`: we come by one; `vrf`: ours; `not-port`: group
 * `number` is another one than ours; `dynamic`: we come by a route that another router tells.
 */
export const cutObjects = [
  "interface",
  "only",
  "address",
  "other-address",
  "user",
  "list",
  "route",
  "static",
  "vlan",
  "vlans",
  "not-vlans",
  "any-vlan",
  "vrf",
  "not-port",
  "not-from",
  "dynamic",
] as const;
export type CutObject = (typeof cutObjects)[number];

export interface Lockout {
  readonly line: number;
  readonly why: string;
}

interface LineInPath {
  readonly line: number;
  readonly path: readonly string[];
  readonly effect: string;
  /** What it says of each entry of a menu. */
  readonly meant?: readonly string[];
}

const longestStatement = 1_000;
const mostStatements = 200_000;

export function lockouts(
  before: string,
  seen: readonly LineInPath[],
  lines: readonly string[],
  rules: TreeRules,
  words: AccessWords,
  session: SessionFacts,
): Lockout[] {
  const way = wayOf(statementsOf(before, rules), words, session);
  const found = new Map<number, string>();
  const statements = seen
    .filter(({ effect }) => effect !== "nothing" && effect !== "leaves")
    .flatMap(({ line, path, meant }) =>
      (meant ?? [joined(path, (lines[line - 1] ?? "").trim())]).map((text) => ({
        line,
        text: text.slice(0, longestStatement),
      })),
    );
  for (const { line, text } of statements) {
    const why = cutBy(text, words, way, session);
    if (why !== undefined) found.set(line, why);
  }
  // What a list says is known when all lines were taken.
  const touching = statements.filter(({ text }) => touchesList(text, words, way));
  if (touching.length > 0) {
    const after = wayOf(statementsOf(apply(before, lines, rules).text, rules), words, session);
    const shut = verdicts(after, words, session);
    const was = verdicts(way, words, session);
    for (const [list, verdict] of shut)
      if (verdict < (was.get(list) ?? 2))
        for (const { line, text } of touching)
          if (namesList(text, list, words) && !found.has(line))
            found.set(
              line,
              `after it the list ${list}, which we come through, does not let ${ours(session)} in`,
            );
  }
  return [...found].map(([line, why]) => ({ line, why })).sort((a, b) => a.line - b.line);
}

const ours = ({ locals }: SessionFacts) => locals[0] ?? "our address, which is not known,";

export function joined(path: readonly string[], line: string): string {
  return [...path, line].join(" / ").slice(0, longestStatement);
}

function statementsOf(text: string, rules: TreeRules): string[] {
  if (hasMenus(rules)) return menuStatements(text, rules).slice(0, mostStatements);
  const statements: string[] = [];
  const walk = (nodes: readonly ConfigNode[], path: readonly string[]): void => {
    for (const { isNote, lines, children } of nodes) {
      if (isNote || statements.length >= mostStatements) continue;
      const line = (lines[0] ?? "").trim().replace(/[;{]$/, "").trimEnd();
      statements.push(joined(path, line));
      if (children.length > 0) walk(children, [...path, line]);
    }
  };
  walk(parseTree(text, rules), []);
  return statements;
}

interface Port {
  readonly networks: Network[];
  readonly addresses: Set<string>;
  readonly lists: Set<string>;
  readonly vlans: Set<string>;
  parent: string | undefined;
  bundle: string | undefined;
  vlan: string | undefined;
  vrf: string | undefined;
}

interface StaticRoute {
  readonly network: Network;
  readonly via: string;
  readonly vrf: string | undefined;
  readonly text: string;
}

interface Way {
  /** Names of the interfaces that we come by, in lower case. */
  readonly interfaces: ReadonlySet<string>;
  /** Ports that bring us our VLAN, if we come by one. */
  readonly vlans: ReadonlySet<string>;
  readonly carriers: ReadonlySet<string>;
  /** Ports without which nothing brings us there. */
  readonly sole: ReadonlySet<string>;
  /** Of the interface that we come by; undefined: the one for all. */
  readonly vrf: string | undefined;
  /** Lists that apply to us. */
  readonly lists: ReadonlySet<string>;
  readonly entries: ReadonlyMap<string, readonly ListEntry[]>;
  readonly route: StaticRoute | undefined;
  /** Our end is in a network of the device. */
  readonly isNear: boolean;
}

function wayOf(statements: readonly string[], words: AccessWords, session: SessionFacts): Way {
  const ports = new Map<string, Port>();
  const loginLists = new Set<string>();
  const entries = new Map<string, ListEntry[]>();
  const routes: StaticRoute[] = [];
  const terms = new Map<string, TermEntry>();
  const sets = new Map<string, string[]>();
  const add = (list: string, entry: ListEntry) => {
    const known = entries.get(list) ?? [];
    known.push(entry);
    entries.set(list, known);
  };
  const portOf = (name: string): Port => {
    const known = ports.get(nameOf(name));
    if (known !== undefined) return known;
    const port: Port = {
      networks: [],
      addresses: new Set(),
      lists: new Set(),
      vlans: new Set(),
      parent: /^(.*\d)\.\d+$/.exec(nameOf(name))?.[1],
      bundle: undefined,
      vlan: groupsIn(words.vlanInterface, name)?.vlan,
      vrf: undefined,
    };
    ports.set(nameOf(name), port);
    return port;
  };
  for (const text of statements) {
    for (const form of words.interfaces) {
      const found = groupsIn(form, text);
      if (found?.interface === undefined) continue;
      const port = portOf(found.interface);
      const network = found.address === undefined ? undefined : networkOf(found.address, found.mask);
      if (network !== undefined && found.address !== undefined) {
        port.networks.push(network);
        port.addresses.add(addressIn(found.address));
      }
      if (found.list !== undefined) port.lists.add(found.list);
      if (found.vlan !== undefined) port.vlans.add(found.vlan);
      if (found.vlans !== undefined) for (const vlan of vlansIn(found.vlans)) port.vlans.add(vlan);
      if (found.parent !== undefined) port.parent = nameOf(found.parent);
      if (found.bundle !== undefined) port.bundle = nameOf(found.bundle);
      if (found.vrf !== undefined) port.vrf = found.vrf;
    }
    for (const form of words.loginLists) {
      const { list } = groupsIn(form, text) ?? {};
      if (list !== undefined) loginLists.add(list);
    }
    for (const form of words.listEntries) {
      const { list, action, rest } = groupsIn(form, text) ?? {};
      if (list === undefined) continue;
      add(list, { text, action, rest });
      break;
    }
    for (const form of words.termParts ?? []) {
      const { list, term = "", ...part } = groupsIn(form, text) ?? {};
      if (list === undefined) continue;
      const known = terms.get(`${list} ${term}`) ?? {
        ...{ text, sources: [], protocols: [], services: [], sets: [] },
      };
      if (!terms.has(`${list} ${term}`)) add(list, known);
      terms.set(`${list} ${term}`, known);
      if (part.action !== undefined) known.action = part.action;
      if (part.source !== undefined) known.sources.push(part.source);
      if (part.protocol !== undefined) known.protocols.push(part.protocol);
      if (part.service !== undefined) known.services.push(...part.service.split(","));
      if (part.set !== undefined) known.sets.push(part.set);
      if (part.unless !== undefined) known.isForOthers = true;
      if (part.when !== undefined) known.isUnsure = true;
      break;
    }
    const { set, address: member } = firstOf(words.sets ?? [], text, "set") ?? {};
    if (set !== undefined && member !== undefined) sets.set(set, [...(sets.get(set) ?? []), member]);
    for (const form of words.routes) {
      const found = groupsIn(form, text);
      if (found === undefined) continue;
      const { address, mask, via = "", vrf } = found;
      const network = address === undefined ? networkOf("0.0.0.0", "0") : networkOf(address, mask);
      if (network !== undefined) routes.push({ network, via, vrf, text });
    }
  }
  for (const term of terms.values())
    for (const set of term.sets) term.sources.push(...(sets.get(set) ?? [noAddress]));
  return assembled(ports, loginLists, entries, routes, session);
}

/** Of an empty set. */
const noAddress = "none";

function assembled(
  ports: ReadonlyMap<string, Port>,
  loginLists: ReadonlySet<string>,
  entries: ReadonlyMap<string, readonly ListEntry[]>,
  routes: readonly StaticRoute[],
  { hosts, locals }: SessionFacts,
): Way {
  const interfaces = new Set<string>();
  const lists = new Set(loginLists);
  const holds = (port: Port, address: string) => port.networks.some((network) => isWithin(address, network));
  const entering = (wanted: (port: Port) => boolean) => {
    for (const [name, port] of ports) if (wanted(port)) interfaces.add(name);
  };
  entering(({ addresses }) => hosts.some((host) => addresses.has(addressIn(host))));
  const [local = ""] = locals;
  const near = locals.some((address) => [...ports.values()].some((port) => holds(port, address)));
  const vrf = [...interfaces].map((name) => ports.get(name)?.vrf).find((one) => one !== undefined);
  let route: StaticRoute | undefined;
  if (near) entering((port) => locals.some((address) => holds(port, address)));
  else if (local !== "") {
    const best = routes
      .filter((one) => one.vrf === vrf && isWithin(local, one.network))
      .sort((a, b) => b.network.length - a.network.length)[0];
    route = best;
    if (best !== undefined)
      entering((port) =>
        best.via.split(/\s+/).some((hop) => familyOf(hop) !== undefined && holds(port, hop)),
      );
  }
  for (const name of [...interfaces]) {
    const parent = ports.get(name)?.parent;
    if (parent !== undefined) interfaces.add(parent);
  }
  const vlans = new Set<string>();
  for (const name of interfaces) {
    const port = ports.get(name);
    for (const list of port?.lists ?? []) lists.add(list);
    if (port?.vlan !== undefined) vlans.add(port.vlan);
  }
  const carriers = new Set<string>();
  for (const [name, port] of ports)
    if (!interfaces.has(name) && [...port.vlans].some((vlan) => vlans.has(vlan))) carriers.add(name);
  const sole = new Set(carriers.size === 1 ? carriers : []);
  for (const name of [...interfaces, ...sole]) {
    const members = [...ports].filter(([, { bundle }]) => bundle !== undefined && isBundle(name, bundle));
    for (const [member] of members.length === 1 ? members : []) sole.add(member);
  }
  return { interfaces, vlans, carriers, sole, vrf, lists, entries, route, isNear: near };
}

function cutBy(text: string, words: AccessWords, way: Way, session: SessionFacts): string | undefined {
  for (const { line, of, transport } of words.cuts) {
    if (transport !== undefined && !transport.includes(session.transport)) continue;
    const found = groupsIn(line, text);
    if (found === undefined) continue;
    const why = concerns(of, found, way, session);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** @returns what of ours it concerns */
function concerns(
  of: CutObject | undefined,
  {
    interface: port = "",
    address = "",
    mask,
    user,
    list,
    vlan,
    vlans = "",
    vrf,
    number,
    via = "",
    networks = "",
  }: Groups,
  way: Way,
  { hosts, locals, user: ourUser, port: ourPort }: SessionFacts,
): string | undefined {
  const isOnWay = way.interfaces.has(nameOf(port));
  const isHost = hosts.some((host) => addressIn(host) === addressIn(address));
  const isCarrier = way.carriers.has(nameOf(port));
  switch (of) {
    case undefined:
      return "it changes how all log in";
    case "interface":
      return isOnWay ? `we come by ${port}` : undefined;
    case "only":
      if (isOnWay) return `we come by ${port}`;
      return way.sole.has(nameOf(port))
        ? `${port} is the only port that brings us to the interface that we come by`
        : undefined;
    case "address":
      return isHost ? `we come to the address ${address}` : undefined;
    case "other-address":
      return isOnWay && !isHost && address !== ""
        ? `${address} takes the place of the address we come to`
        : undefined;
    case "user":
      if (user === undefined) return undefined;
      if (ourUser === "") return "the account that we log in with is not known here: it may be this one";
      return user.toLowerCase() === ourUser.toLowerCase()
        ? "it is the account that we log in with"
        : undefined;
    case "list":
      return list !== undefined && way.lists.has(list) ? `we come through the list ${list}` : undefined;
    case "vlan":
      return vlan !== undefined && way.vlans.has(String(Number(vlan)))
        ? `we come by the VLAN ${vlan}`
        : undefined;
    case "vlans":
    case "not-vlans": {
      if (!isCarrier || way.carriers.size !== 1) return undefined;
      const named = vlansIn(vlans);
      const has = [...way.vlans].some((one) => named.has(one));
      return has === (of === "vlans") ? `${port} no longer brings the VLAN that we come by` : undefined;
    }
    case "any-vlan":
      return way.vlans.size > 0 ? "we come by the interface of a VLAN" : undefined;
    case "vrf":
      return vrf !== undefined && vrf === way.vrf ? `we come by the VRF ${vrf}` : undefined;
    case "static":
      return way.route === undefined ? undefined : `the way back to us goes by ${way.route.text}`;
    case "not-port":
      return number !== undefined && Number(number) !== ourPort ? `we come by port ${ourPort}` : undefined;
    case "not-from": {
      const own = networks
        .replaceAll('"', "")
        .split(",")
        .filter((one) => one !== "");
      const [local] = locals;
      if (own.length === 0 || local === undefined) return undefined;
      const lets = own.some((one) => {
        const network = networkOf(one, undefined);
        return network !== undefined && isWithin(local, network);
      });
      return lets ? undefined : `it lets in ${own.join(", ")} only, and we come from ${local}`;
    }
    case "dynamic":
      return way.isNear || way.route !== undefined || locals.length === 0
        ? undefined
        : "we come by a route that it knows from others";
    case "route": {
      const network = address === "" ? networkOf("0.0.0.0", "0") : networkOf(address, mask);
      const [local] = locals;
      if (network === undefined || local === undefined || way.route === undefined) return undefined;
      if (vrf !== way.route.vrf) return undefined;
      if (!isWithin(local, network) || network.length < way.route.network.length) return undefined;
      return via !== "" && way.route.text.includes(via)
        ? undefined
        : `the way back to ${local} goes by ${way.route.text}`;
    }
  }
}

type Groups = Readonly<Partial<Record<string, string>>>;

function groupsIn(form: RegExp | undefined, text: string): Groups | undefined {
  const found = form?.exec(text);
  return found ? (found.groups ?? {}) : undefined;
}

function touchesList(text: string, words: AccessWords, way: Way): boolean {
  for (const list of way.lists) if (namesList(text, list, words)) return true;
  if (firstOf(words.sets ?? [], text, "set") !== undefined) return true;
  // Applied to our way by this push.
  if (firstOf(words.loginLists, text, "list") !== undefined) return true;
  const { list, interface: port = "" } = firstOf(words.interfaces, text, "list") ?? {};
  return list !== undefined && way.interfaces.has(nameOf(port));
}

function firstOf(forms: readonly RegExp[], text: string, group: string): Groups | undefined {
  for (const form of forms) {
    const found = groupsIn(form, text);
    if (found?.[group] !== undefined) return found;
  }
  return undefined;
}

function namesList(text: string, list: string, words: AccessWords): boolean {
  const own = firstOf([...words.listEntries, ...words.interfaces, ...words.loginLists], text, "list");
  if (firstOf(words.sets ?? [], text, "set") !== undefined) return true;
  return own?.list === list || text.split(/\s+/).includes(list);
}

/** By the lists that apply to us and exist: whether they let us in. */
function verdicts(
  { lists, entries }: Way,
  words: AccessWords,
  session: SessionFacts,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const list of lists) {
    const known = entries.get(list);
    if (known === undefined || known.length === 0) continue;
    const all = session.locals.map((local) => firstVerdict(known, local, session, words.isOpen === true));
    found.set(list, all.length === 0 ? 0 : Math.min(...all));
  }
  return found;
}
