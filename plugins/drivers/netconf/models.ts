/** The server's YANG modules: their names and namespaces, from its hello and its YANG library. */
import { type Context, type NetconfSession, PluginError, xml } from "patchbay/plugin";

export const baseNamespace = "urn:ietf:params:xml:ns:netconf:base:1.0";

export interface Models {
  /** @throws PluginError DriverError: the server has no such module */
  namespaceOf(module: string): string;
  /** Undefined: the server names none. */
  moduleOf(namespace: string): string | undefined;
  has(module: string): boolean;
}

/** Modules whose elements and attributes a caller may use with every server. */
const known: readonly (readonly [string, string])[] = [
  ["ietf-netconf", baseNamespace],
  ["yang", "urn:ietf:params:xml:ns:yang:1"],
  ["ietf-netconf-monitoring", "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"],
  ["ietf-netconf-with-defaults", "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults"],
];
const library = "urn:ietf:params:xml:ns:yang:ietf-yang-library";

/** A server of YANG 1.1 names most modules in its library only (RFC 7950, section 5.6.4). */
export async function readModels(session: NetconfSession, ctx: Context): Promise<Models> {
  const inHello = session.capabilities.flatMap((uri) => {
    const at = uri.indexOf("?");
    const module = /[?&](?:amp;)?module=([^&;]+)/.exec(uri)?.[1];
    return at < 0 || module === undefined ? [] : [[module, uri.slice(0, at)] as const];
  });
  const hasLibrary = session.capabilities.some((uri) => uri.includes("yang-library"));
  return modelsOf([...known, ...inHello, ...(hasLibrary ? await inLibrary(session, ctx) : [])]);
}

async function inLibrary(session: NetconfSession, ctx: Context): Promise<(readonly [string, string])[]> {
  const filter = xml("filter", { type: "subtree" }, xml("modules-state", { xmlns: library }));
  try {
    const { root } = await session.rpc(xml("get", {}, filter), {}, ctx);
    return root
      .all("data/modules-state/module")
      .map((module) => [module.textOf("name"), module.textOf("namespace")] as const)
      .filter(([name, namespace]) => name !== "" && namespace !== "");
  } catch (error) {
    // A user who may not read it still can use what the hello names.
    if (error instanceof PluginError && error.kind === "CommandError") return [];
    throw error;
  }
}

export function modelsOf(modules: readonly (readonly [string, string])[]): Models {
  const namespaces = new Map(modules);
  const names = new Map(modules.map(([name, namespace]) => [namespace, name]));
  return {
    namespaceOf(module) {
      const namespace = namespaces.get(module);
      if (namespace !== undefined) return namespace;
      throw new PluginError(
        "DriverError",
        `The server has no module "${module.slice(0, 100)}": use a name that the query \`capabilities\` returns, or {namespace}name.`,
        { outcome: "none" },
      );
    },
    moduleOf: (namespace) => names.get(namespace),
    has: (module) => namespaces.has(module),
  };
}
