/** What a server says of itself: by the standard models that it has, and its YANG library. */
import { type Context, isRecord, PluginError } from "patchbay/plugin";
import { type Facts, factsOf, type SaidFacts } from "../shared/facts.ts";
import { platformOfModels } from "../shared/module-platforms.ts";
import { type Client, dataOf } from "./client.ts";

const member = (value: unknown, path: string): unknown => {
  let at = value;
  for (const name of path.split("/")) {
    if (!isRecord(at)) return undefined;
    const record: Record<string, unknown> = at;
    const key = Object.keys(record).find((key) => key === name || key.endsWith(`:${name}`));
    at = key === undefined ? undefined : record[key];
  }
  return at;
};
const text = (value: unknown, path: string): string | undefined => {
  const found = member(value, path);
  return typeof found === "string" && found !== "" ? found : undefined;
};
const listAt = (value: unknown, path: string): readonly unknown[] => {
  const found = member(value, path);
  return Array.isArray(found) ? found : [];
};

/** Where the standard models have the facts; the first that is there counts. */
const sources: readonly {
  readonly path: string;
  readonly read: (data: unknown) => SaidFacts;
}[] = [
  {
    path: "data/ietf-system:system-state/platform",
    read: (data) => ({
      os: text(data, "platform/os-name"),
      version: text(data, "platform/os-release") ?? text(data, "platform/os-version"),
      model: text(data, "platform/machine"),
    }),
  },
  {
    path: "data/ietf-system:system/hostname",
    read: (data) => ({ hostname: text(data, "hostname") }),
  },
  {
    path: "data/ietf-hardware:hardware",
    read(data) {
      const chassis = listAt(data, "hardware/component").find((one) =>
        /(?:^|:)chassis$/.test(text(one, "class") ?? ""),
      );
      return {
        vendor: text(chassis, "mfg-name"),
        model: text(chassis, "model-name"),
        serial: text(chassis, "serial-num"),
        version: text(chassis, "software-rev"),
      };
    },
  },
  {
    path: "data/openconfig-platform:components",
    read(data) {
      const chassis = listAt(data, "components/component").find((one) =>
        /(?:^|:)CHASSIS$/.test(text(one, "state/type") ?? ""),
      );
      return {
        vendor: text(chassis, "state/mfg-name"),
        model: text(chassis, "state/part-no"),
        serial: text(chassis, "state/serial-no"),
        version: text(chassis, "state/software-version"),
      };
    },
  },
];

/** A model that the server lacks, or that the user may not read, is left out. */
export async function readFacts(client: Client, ctx: Context): Promise<Facts> {
  const said: SaidFacts[] = [];
  for (const { path, read } of sources) {
    const data = await readable(client, path, ctx);
    if (data !== undefined) said.push(read(data));
  }
  return factsOf(said);
}

/** The platform, if its modules have names of its own. */
export async function readPlatform(client: Client, ctx: Context): Promise<string | undefined> {
  const data =
    (await readable(client, "data/ietf-yang-library:modules-state", ctx)) ??
    (await readable(client, "data/ietf-yang-library:yang-library", ctx));
  const modules = [
    ...listAt(data, "modules-state/module"),
    ...listAt(data, "yang-library/module-set").flatMap((set) => listAt(set, "module")),
  ].flatMap((module) => text(module, "name") ?? []);
  return platformOfModels(modules);
}

export async function readCapabilities(client: Client, ctx: Context): Promise<readonly string[]> {
  const path = "data/ietf-restconf-monitoring:restconf-state/capabilities";
  const answer = await client.send({ method: "GET", path, accept: "json" }, ctx);
  const found = listAt(dataOf(answer, "json", `GET ${path}`), "capabilities/capability");
  return found.filter((one) => typeof one === "string");
}

/** Undefined: the server refuses it. */
async function readable(client: Client, path: string, ctx: Context): Promise<unknown> {
  try {
    return dataOf(await client.send({ method: "GET", path, accept: "json" }, ctx), "json", `GET ${path}`);
  } catch (error) {
    if (error instanceof PluginError && error.kind === "CommandError") return undefined;
    throw error;
  }
}
