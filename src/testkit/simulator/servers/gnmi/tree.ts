/** The data of a simulated gNMI device: a few models of OpenConfig, strict about names, keys and types. */
import { isRecord } from "../../../../base/json/members.ts";

/** A configuration is data without state. */
export type Tree = { [name: string]: Tree | Leaf };
type Leaf = string | number | boolean;

interface Container {
  readonly kids: Readonly<Record<string, Node>>;
  /** Of a list, whose entries are below the value of their key. */
  readonly key?: string;
  /** State: it cannot be set. */
  readonly isState?: boolean;
}
type Type = "string" | "number" | "boolean";
type Node = Container | Type;

export interface Step {
  readonly name: string;
  readonly key: Readonly<Record<string, string>>;
}

/** A request that is wrong: `code` is a status of gRPC. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}
const invalid = (message: string) => new Refusal(3, message);

const state = (kids: Readonly<Record<string, Type>>): Container => ({ kids, isState: true });
const interfaceConfig = { name: "string", description: "string", mtu: "number", enabled: "boolean" } as const;
const systemConfig = { hostname: "string", "domain-name": "string", "login-banner": "string" } as const;

const schema: Container = {
  kids: {
    system: {
      kids: {
        config: { kids: systemConfig },
        state: state({ ...systemConfig, "software-version": "string", "boot-time": "string" }),
      },
    },
    interfaces: {
      kids: {
        interface: {
          key: "name",
          kids: {
            name: "string",
            config: { kids: interfaceConfig },
            state: {
              isState: true,
              kids: {
                ...interfaceConfig,
                "oper-status": "string",
                counters: state({ "in-octets": "number", "out-octets": "number" }),
              },
            },
          },
        },
      },
    },
    components: {
      kids: {
        component: {
          key: "name",
          kids: {
            name: "string",
            state: state({
              ...{ name: "string", type: "string", "mfg-name": "string", "part-no": "string" },
              "serial-no": "string",
            }),
          },
        },
      },
    },
    lldp: { kids: { state: state({ "system-name": "string", "chassis-id": "string" }) } },
  },
};

const modules: Readonly<Record<string, string>> = {
  system: "openconfig-system",
  interfaces: "openconfig-interfaces",
  components: "openconfig-platform",
  lldp: "openconfig-lldp",
};
export const models = Object.values(modules).map((name) => ({
  ...{ name, organization: "OpenConfig working group", version: "1.0.0" },
}));

export const initialTree = (hostname: string): Tree => ({
  system: { config: { hostname, "domain-name": "example.net" } },
  interfaces: {
    interface: Object.fromEntries(
      ["eth0", "eth1/1"].map((name) => [name, { name, config: { name, mtu: 1_500, enabled: true } }]),
    ),
  },
});

/** With what a device knows by itself. */
export function withState(tree: Tree, uptimeMs: number): Tree {
  const hostname = String(treeAt(tree, ["system", "config"]).hostname ?? "");
  const interfaces = treeAt(tree, ["interfaces", "interface"]);
  return {
    system: {
      config: treeAt(tree, ["system", "config"]),
      state: { ...treeAt(tree, ["system", "config"]), "software-version": "1.0", "boot-time": "1700000000" },
    },
    interfaces: {
      interface: Object.fromEntries(
        Object.entries(interfaces).map(([name, one], at) => {
          const config = isRecord(one) ? treeAt(one, ["config"]) : {};
          const octets = 1_000 * (at + 1) + uptimeMs;
          return [
            name,
            {
              ...{ name, config },
              state: {
                ...config,
                "oper-status": config.enabled === false ? "DOWN" : "UP",
                counters: { "in-octets": octets, "out-octets": octets * 2 },
              },
            },
          ];
        }),
      ),
    },
    components: {
      component: {
        chassis: {
          name: "chassis",
          state: {
            ...{ name: "chassis", type: "openconfig-platform-types:CHASSIS", "mfg-name": "Patchbay" },
            ...{ "part-no": "SIM-1", "serial-no": "S0001" },
          },
        },
      },
    },
    lldp: { state: { "system-name": hostname, "chassis-id": "02:00:00:00:00:01" } },
  };
}

function treeAt(tree: Tree, path: readonly string[]): Tree {
  let at: Tree = tree;
  for (const name of path) {
    const next = at[name];
    if (typeof next !== "object") return {};
    at = next;
  }
  return at;
}

export interface Found {
  readonly path: readonly Step[];
  readonly node: Node;
  readonly value: Tree | Leaf;
  /** An entry of a list, whose node is that of the list. */
  readonly isEntry: boolean;
}

/**
 * What a path names, each with its whole path.
 * @throws Refusal: no model has it
 */
export function find(tree: Tree, path: readonly Step[]): readonly Found[] {
  let found: Found[] = [{ path: [], node: schema, value: tree, isEntry: false }];
  let nodes: readonly Node[] = [schema];
  for (const step of path) {
    nodes = nodes.flatMap((node) => kidsOf(node, step.name).map(([, kid]) => kid));
    if (nodes.length === 0) throw invalid(`no model has ${step.name}`);
    for (const node of nodes) requireKeys(node, step);
    found = found.flatMap((one) => below(one, step));
  }
  return found;
}

function kidsOf(node: Node, name: string): readonly (readonly [string, Node])[] {
  if (typeof node === "string") return [];
  if (name === "*") return Object.entries(node.kids);
  const kid = node.kids[bareName(name)];
  return kid === undefined ? [] : [[bareName(name), kid]];
}

const bareName = (name: string) => name.slice(name.indexOf(":") + 1);

function requireKeys(node: Node, { name, key }: Step): void {
  const own = typeof node === "string" ? undefined : node.key;
  for (const given of Object.keys(key)) if (given !== own) throw invalid(`${name} has no key ${given}`);
}

function below({ path, node, value }: Found, step: Step): Found[] {
  return kidsOf(node, step.name).flatMap(([name, kid]): Found[] => {
    const inside = typeof value === "object" ? value[name] : undefined;
    if (inside === undefined) return [];
    const listKey = typeof kid === "string" ? undefined : kid.key;
    if (listKey === undefined || typeof inside !== "object")
      return [{ path: [...path, { name, key: {} }], node: kid, value: inside, isEntry: false }];
    const wanted = step.key[listKey];
    return Object.entries(inside)
      .filter(([of]) => wanted === undefined || wanted === "*" || wanted === of)
      .map(([of, entry]) => ({
        ...{ path: [...path, { name, key: { [listKey]: of } }], node: kid, value: entry, isEntry: true },
      }));
  });
}

export type Wanted = "all" | "config" | "state";

/** As JSON: lists are arrays. Undefined: nothing of it is wanted. */
export function jsonOf(
  { node, value, isEntry }: Omit<Found, "path">,
  wanted: Wanted,
  isState = false,
): unknown {
  if (typeof node === "string")
    return wanted === "all" || isState === (wanted === "state") ? value : undefined;
  if (typeof value !== "object") return undefined;
  if (node.key !== undefined && !isEntry) {
    const entries = Object.values(value).flatMap((one) => {
      const json = jsonOf({ node, value: one, isEntry: true }, wanted, isState);
      return json === undefined ? [] : [json];
    });
    return entries.length === 0 ? undefined : entries;
  }
  const members = Object.entries(node.kids).flatMap(([name, kid]) => {
    const inside = value[name];
    if (inside === undefined) return [];
    // The key of an entry belongs to both kinds.
    if (name === node.key) return [[name, inside] as const];
    const isOfState = isState || node.isState === true || (typeof kid !== "string" && kid.isState === true);
    const json = jsonOf({ node: kid, value: inside, isEntry: false }, wanted, isOfState);
    return json === undefined ? [] : [[name, json] as const];
  });
  const isOnlyKey = members.length === 1 && members[0]?.[0] === node.key && wanted !== "config";
  return members.length === 0 || isOnlyKey ? undefined : Object.fromEntries(members);
}

/** Top-level names as RFC 7951 has them. */
export const withModules = (json: unknown): unknown =>
  isRecord(json)
    ? Object.fromEntries(
        Object.entries(json).map(([name, value]) => [`${modules[name] ?? "x"}:${name}`, value]),
      )
    : json;

/** Each leaf with its path. */
export function leavesOf(found: Found): readonly { readonly path: readonly Step[]; readonly value: Leaf }[] {
  const { path, node, value } = found;
  if (typeof value !== "object") return [{ path, value }];
  if (typeof node === "string") return [];
  return Object.keys(node.kids).flatMap((name) => below(found, { name, key: {} }).flatMap(leavesOf));
}

export interface TreeEdit {
  readonly path: readonly Step[];
  /** Undefined: it is removed. */
  readonly json?: unknown;
  readonly isReplaced: boolean;
}

type Put = Pick<TreeEdit, "json" | "isReplaced">;

/** @throws Refusal: the tree is then half edited, and thrown away by the caller */
export function edit(tree: Tree, { path, ...change }: TreeEdit): void {
  editAt(schema, tree, path, change);
}

function editAt(node: Container, at: Tree, [step, ...rest]: readonly Step[], change: Put): void {
  if (step === undefined) {
    if (change.json === undefined || change.isReplaced) for (const name of Object.keys(at)) delete at[name];
    if (change.json !== undefined) merge(node, at, change.json);
    return;
  }
  const name = bareName(step.name);
  const kid = node.kids[name];
  if (kid === undefined) throw invalid(`no model has ${step.name}`);
  requireKeys(kid, step);
  if (typeof kid !== "string" && kid.isState === true) throw invalid(`${name} is state and cannot be set`);
  if (change.json === undefined && at[name] === undefined) return;
  const wanted = typeof kid === "string" || kid.key === undefined ? undefined : step.key[kid.key];
  if (typeof kid !== "string" && wanted !== undefined) {
    const list = treeAt(at, [name]);
    at[name] = list;
    if (rest.length === 0) {
      putEntry(kid, list, wanted, change);
      return;
    }
    if (change.json === undefined && list[wanted] === undefined) return;
    const entry = { ...treeAt(list, [wanted]), [kid.key ?? ""]: wanted };
    list[wanted] = entry;
    editAt({ kids: kid.kids }, entry, rest, change);
  } else if (rest.length === 0) put(kid, at, name, change);
  else if (typeof kid === "string") throw invalid(`${name} has nothing below it`);
  else if (kid.key !== undefined) throw invalid(`${name} needs its key ${kid.key}`);
  else {
    const inside = treeAt(at, [name]);
    at[name] = inside;
    editAt(kid, inside, rest, change);
  }
}

function put(kid: Node, at: Tree, name: string, { json, isReplaced }: Put): void {
  if (json === undefined) {
    delete at[name];
    return;
  }
  if (typeof kid === "string") {
    at[name] = leaf(kid, json, name);
    return;
  }
  const inside = isReplaced ? {} : treeAt(at, [name]);
  at[name] = inside;
  merge(kid, inside, json);
}

function putEntry(kid: Container, list: Tree, of: string, { json, isReplaced }: Put): void {
  if (json === undefined) {
    delete list[of];
    return;
  }
  const entry = { ...(isReplaced ? {} : treeAt(list, [of])), [kid.key ?? ""]: of };
  list[of] = entry;
  merge({ kids: kid.kids }, entry, json);
}

function merge(node: Container, at: Tree, json: unknown): void {
  if (node.key !== undefined) {
    if (!Array.isArray(json)) throw invalid("a list must be an array");
    for (const one of json) {
      const of: unknown = isRecord(one) ? one[node.key] : undefined;
      if (typeof of !== "string") throw invalid(`an entry has no ${node.key}`);
      putEntry(node, at, of, { json: one, isReplaced: false });
    }
    return;
  }
  if (!isRecord(json)) throw invalid("an object is wanted");
  for (const [given, value] of Object.entries(json)) {
    const name = bareName(given);
    const kid = node.kids[name];
    if (kid === undefined) throw invalid(`no model has ${given}`);
    if (typeof kid !== "string" && kid.isState === true) throw invalid(`${name} is state and cannot be set`);
    put(kid, at, name, { json: value, isReplaced: false });
  }
}

function leaf(type: Type, json: unknown, name: string): Leaf {
  if (typeof json === type && (typeof json === "string" || typeof json === "boolean")) return json;
  if (typeof json === "number" && type === "number" && Number.isSafeInteger(json) && json >= 0) return json;
  throw invalid(`${name} must be a ${type}`);
}
