/** The queries of the driver: operations by name, or any operation as XML. */
import type { Command, Context, NetconfSession } from "patchbay/plugin";
import { formatXml, PluginError, xml } from "patchbay/plugin";
import { unifiedDifference } from "../shared/push/unified-diff.ts";
import type { QueryArgs } from "./args.ts";
import { type CommandName, isNamed, isReading, isXml, pushedInstead, textOf } from "./command-names.ts";
import { filterOf, shown } from "./documents.ts";
import { readFacts } from "./facts.ts";
import type { Models } from "./models.ts";
import { capability, datastore, readConfig } from "./operations.ts";
import { operationOf, told } from "./rpc.ts";
import { toData } from "./yang-data.ts";

/** What a query needs of its session. */
export interface Asked {
  readonly session: NetconfSession;
  models(ctx: Context): Promise<Models>;
}

type Run = (asked: Asked, args: QueryArgs, ctx: Context) => Promise<unknown>;

const commands: Readonly<Record<CommandName, Run>> = {
  get: data("get"),
  "get-config": data("get-config"),
  async "get-schema"({ session }, { identifier, revision, timeout }, ctx) {
    if (identifier === undefined)
      throw new PluginError("DriverError", "driver_args.identifier: is required for get-schema", {
        outcome: "none",
      });
    const operation = xml(
      "get-schema",
      { xmlns: "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring" },
      xml("identifier", {}, identifier),
      ...(revision === undefined ? [] : [xml("version", {}, revision)]),
    );
    const { root } = await session.rpc(operation, within(timeout), ctx);
    return root.find("data")?.text ?? "";
  },
  capabilities: async ({ session }) => session.capabilities,
  facts: async ({ session, models }, _, ctx) => readFacts(session, await models(ctx), ctx),
  async compare({ session }, { timeout }, ctx) {
    const [running, candidate] = await Promise.all(
      (["running", "candidate"] as const).map((source) => readConfig(session, source, ctx, within(timeout))),
    );
    return unifiedDifference(running ?? "", candidate ?? "");
  },
  async validate({ session }, { source, timeout }, ctx) {
    const operation = xml("validate", {}, datastore("source", source ?? "candidate"));
    return told(await session.rpc(operation, within(timeout), ctx));
  },
};

export async function runCommand(
  command: Command,
  asked: Asked,
  args: QueryArgs,
  ctx: Context,
): Promise<unknown> {
  const name = textOf(command);
  if (isNamed(name)) return commands[name](asked, args, ctx);
  if (!isXml(name))
    throw new PluginError("DriverError", `There is no command "${name.slice(0, 100)}".`, { outcome: "none" });
  const { operation, element } = operationOf(name);
  // The submission was checked by its text; what is sent decides.
  if (!isReading(element.name))
    throw new PluginError("DriverError", `${pushedInstead(element.name)}.`, { outcome: "none" });
  const { root } = await asked.session.rpc(operation, within(args.timeout), ctx);
  if (args.format === "object")
    return toData(root, await asked.models(ctx), new Set(args.lists ?? []), root.namespace);
  return root.children.map((child) => formatXml(child)).join("");
}

function data(operation: "get" | "get-config"): Run {
  return async ({ session, models }, args, ctx) => {
    const known = await models(ctx);
    const defaults = "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults";
    const content = [
      ...(operation === "get-config" ? [datastore("source", args.source ?? "running")] : []),
      ...filterOf(args, known, session.supports(capability("xpath:1.0"))),
      ...(args.with_defaults === undefined
        ? []
        : [xml("with-defaults", { xmlns: defaults }, args.with_defaults)]),
    ];
    const { root } = await session.rpc(xml(operation, {}, ...content), within(args.timeout), ctx);
    return shown(root.find("data") ?? root, args, known);
  };
}

const within = (seconds: number | undefined) => (seconds === undefined ? {} : { timeoutMs: seconds * 1000 });
