/** What a device says of itself, by the models of OpenConfig that it has. */
import { type Context, isRecord, PluginError } from "patchbay/plugin";
import { platformOfModels } from "../shared/module-platforms.ts";
import { byPath, read } from "./answers.ts";
import { type Client, protoPath } from "./client.ts";
import { requirePath } from "./paths.ts";
import { GetRequest_DataType } from "./proto/gnmi_pb.ts";
import { encodings } from "./values.ts";

const names = ["hostname", "vendor", "model", "version", "serial", "os"] as const;
type Fact = (typeof names)[number];
type Facts = Partial<Readonly<Record<Fact, string>>>;

/** Of a component, by the last parts of the path that has it. */
const ofChassis: Readonly<Record<string, Fact>> = {
  "mfg-name": "vendor",
  "part-no": "model",
  "model-name": "model",
  "serial-no": "serial",
  "software-version": "version",
};

const longest = 256;

export async function readFacts(client: Client, ctx: Context): Promise<Facts> {
  const system = await leaves(client, "/system/state", ctx);
  const own: Partial<Record<Fact, string | undefined>> = {
    hostname: system.get("hostname") ?? (await leaves(client, "/lldp/state", ctx)).get("system-name"),
    version: system.get("software-version"),
    os: system.get("software-name"),
  };
  const chassis = await chassisOf(client, ctx);
  const found = names.flatMap((name) => {
    const text = own[name] ?? chassis[name];
    return text === undefined ? [] : [[name, text.slice(0, longest)] as const];
  });
  return Object.fromEntries(found);
}

/** The texts and numbers in an answer by the end of their path. */
async function leaves(client: Client, path: string, ctx: Context): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [name, text] of leavesIn(await values(client, path, ctx)))
    if (!found.has(name)) found.set(name, text);
  return found;
}

async function chassisOf(client: Client, ctx: Context): Promise<Facts> {
  const all = await values(client, "/components/component[name=*]/state", ctx);
  for (const part of componentsIn(all)) {
    const state = new Map(leavesIn(part));
    if (!/(?:^|:)CHASSIS$/.test(state.get("type") ?? "")) continue;
    return Object.fromEntries(
      Object.entries(ofChassis).flatMap(([leaf, fact]) => {
        const text = state.get(leaf);
        return text === undefined ? [] : [[fact, text]];
      }),
    );
  }
  return {};
}

/** Devices answer with an object for each component, with one for all of them, or leaf by leaf. */
function componentsIn(all: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const parts = new Map<string, Record<string, unknown>>();
  const inside = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) inside(one);
    else if (isRecord(value))
      if (Object.keys(value).some((name) => bare(name) === "type")) parts.set(`#${parts.size}`, value);
      else for (const one of Object.values(value)) inside(one);
  };
  for (const [path, value] of Object.entries(all))
    if (isRecord(value) || Array.isArray(value)) inside(value);
    else {
      const end = path.lastIndexOf("/");
      const of = path.slice(0, end);
      parts.set(of, { ...parts.get(of), [path.slice(end + 1)]: value });
    }
  return [...parts.values()];
}

const bare = (name: string) => name.slice(name.lastIndexOf("/") + 1).replace(/^[^:]*:/, "");

function leavesIn(value: unknown, name = ""): readonly (readonly [string, string])[] {
  if (typeof value === "string" || typeof value === "number")
    return value === "" ? [] : [[bare(name), String(value)]];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([of, one]) => leavesIn(one, of));
}

/** Empty: the device lacks the model, or the user may not read it. */
async function values(
  client: Client,
  path: string,
  ctx: Context,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { notification } = await client.get(
      {
        path: [protoPath(requirePath(path, path))],
        type: GetRequest_DataType.STATE,
        encoding: encodings[await client.encoding(undefined, ctx)],
      },
      {},
      ctx,
    );
    return byPath(notification.flatMap((one) => read(one).updates));
  } catch (error) {
    if (error instanceof PluginError && error.kind === "CommandError") return {};
    throw error;
  }
}

/** The platform, if its models have names of their own. */
export async function readPlatform(client: Client, ctx: Context): Promise<string | undefined> {
  const { supportedModels } = await client.capabilities(ctx);
  return platformOfModels(supportedModels.map(({ name }) => name));
}
