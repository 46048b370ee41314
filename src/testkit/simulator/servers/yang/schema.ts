/** The YANG modules of simulated devices, as far as they need them: nodes with their kinds, keys, types and defaults. */

export type LeafType = "string" | "boolean" | "uint32" | "identity" | readonly string[];

export interface Leaf {
  readonly kind: "leaf" | "leaf-list";
  readonly type: LeafType;
  readonly default?: string | boolean;
  /** False: state. */
  readonly config?: false;
  readonly mandatory?: true;
}

export interface Container {
  readonly kind: "container";
  readonly children: Children;
  readonly config?: false;
}

export interface List {
  readonly kind: "list";
  readonly keys: readonly string[];
  readonly children: Children;
  readonly config?: false;
  /** Entries keep the order that their user gives them. */
  readonly ordered?: true;
}

export type Node = Leaf | Container | List;
export type Inner = Container | List;
export type Children = Readonly<Record<string, Node>>;

export interface Module {
  readonly name: string;
  readonly namespace: string;
  readonly revision: string;
  readonly nodes: Children;
  readonly operations?: readonly string[];
}

const leaf = (type: LeafType, more: Omit<Leaf, "kind" | "type"> = {}): Leaf => ({
  kind: "leaf",
  type,
  ...more,
});
const state = { config: false } as const;
const ns = (name: string) => `urn:ietf:params:xml:ns:yang:${name}`;

export const modules: readonly Module[] = [
  {
    name: "ietf-system",
    namespace: ns("ietf-system"),
    revision: "2014-08-06",
    nodes: {
      system: {
        kind: "container",
        children: {
          contact: leaf("string"),
          hostname: leaf("string"),
          location: leaf("string"),
          "dns-resolver": {
            kind: "container",
            children: {
              search: { kind: "leaf-list", type: "string" },
              server: {
                kind: "list",
                keys: ["name"],
                ordered: true,
                children: {
                  name: leaf("string"),
                  "udp-and-tcp": {
                    kind: "container",
                    children: { address: leaf("string", { mandatory: true }) },
                  },
                },
              },
            },
          },
        },
      },
      "system-state": {
        kind: "container",
        ...state,
        children: {
          platform: {
            kind: "container",
            ...state,
            children: {
              "os-name": leaf("string", state),
              "os-release": leaf("string", state),
              machine: leaf("string", state),
            },
          },
        },
      },
    },
    operations: ["system-restart", "set-current-datetime"],
  },
  {
    name: "ietf-interfaces",
    namespace: ns("ietf-interfaces"),
    revision: "2018-02-20",
    nodes: {
      interfaces: {
        kind: "container",
        children: {
          interface: {
            kind: "list",
            keys: ["name"],
            children: {
              name: leaf("string"),
              description: leaf("string"),
              type: leaf("identity", { mandatory: true }),
              enabled: leaf("boolean", { default: true }),
              "oper-status": leaf(["up", "down", "testing"], state),
              "if-index": leaf("uint32", state),
            },
          },
        },
      },
    },
  },
  {
    name: "ietf-yang-library",
    namespace: ns("ietf-yang-library"),
    revision: "2016-06-21",
    nodes: {
      "modules-state": {
        kind: "container",
        ...state,
        children: {
          "module-set-id": leaf("string", state),
          module: {
            kind: "list",
            keys: ["name", "revision"],
            ...state,
            children: {
              name: leaf("string", state),
              revision: leaf("string", state),
              namespace: leaf("string", state),
              "conformance-type": leaf(["implement", "import"], state),
            },
          },
        },
      },
    },
  },
  {
    name: "ietf-restconf-monitoring",
    namespace: ns("ietf-restconf-monitoring"),
    revision: "2017-01-26",
    nodes: {
      "restconf-state": {
        kind: "container",
        ...state,
        children: {
          capabilities: {
            kind: "container",
            ...state,
            children: { capability: { kind: "leaf-list", type: "string", ...state } },
          },
        },
      },
    },
  },
];

export const isLeaf = (node: Node): node is Leaf => node.kind === "leaf" || node.kind === "leaf-list";

export const moduleOf = (name: string): Module | undefined => modules.find((one) => one.name === name);

/** What a new device runs. */
export const initialConfiguration = (hostname: string): Record<string, unknown> => ({
  "ietf-system:system": { hostname, contact: "noc@example.net" },
  "ietf-interfaces:interfaces": {
    interface: [
      { name: "eth0", type: "iana-if-type:ethernetCsmacd", description: "uplink" },
      { name: "eth1/1", type: "iana-if-type:ethernetCsmacd", enabled: false },
    ],
  },
});

/** State of a device, which does not change. */
export const initialState = (capabilities: readonly string[]): Record<string, unknown> => ({
  "ietf-system:system-state": {
    platform: { "os-name": "Patchbay simulator", "os-release": "1.0", machine: "virtual" },
  },
  "ietf-interfaces:interfaces": {
    interface: [
      { name: "eth0", "oper-status": "up", "if-index": 1 },
      { name: "eth1/1", "oper-status": "down", "if-index": 2 },
    ],
  },
  "ietf-yang-library:modules-state": {
    "module-set-id": "1",
    module: modules.map(({ name, revision, namespace }) => ({
      ...{ name, revision, namespace, "conformance-type": "implement" },
    })),
  },
  "ietf-restconf-monitoring:restconf-state": { capabilities: { capability: [...capabilities] } },
});
