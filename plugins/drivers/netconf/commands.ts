/** The queries of the driver: operations by name, or any operation as XML. */
import type { Command, Context, NetconfReply, NetconfSession, XmlElement } from "patchbay/plugin";
import { formatXml, PluginError, parseXml, XmlFragment, xml } from "patchbay/plugin";
import { commitMs } from "../shared/candidate-session.ts";
import { messageOf } from "../shared/message.ts";
import { unifiedDifference } from "../shared/unified-diff.ts";
import type { QueryArgs } from "./args.ts";
import { type CommandName, isNamed, isXml, textOf } from "./command-names.ts";
import { filterOf, shown } from "./documents.ts";
import { readFacts } from "./facts.ts";
import type { Models } from "./models.ts";
import { capability, datastore, type Locks, readConfig } from "./operations.ts";
import { toData } from "./yang-data.ts";

/** What a query needs of its session. */
export interface Asked {
  readonly session: NetconfSession;
  readonly locks: Locks;
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
  validate: simple(({ source }) => xml("validate", {}, datastore("source", source ?? "candidate"))),
  async lock({ session, locks }, { target = "candidate", timeout }, ctx) {
    await locks.lock(session, target, ctx, within(timeout));
    return "";
  },
  async unlock({ session, locks }, { target = "candidate" }, ctx) {
    await locks.unlock(session, target, ctx);
    return "";
  },
  "discard-changes": simple(() => xml("discard-changes")),
  commit: simple(({ handle }) => xml("commit", {}, ...persisted(handle)), commitMs),
  "cancel-commit": simple(({ handle }) => xml("cancel-commit", {}, ...persisted(handle)), commitMs),
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
  const operation = operationOf(name);
  const { root } = await asked.session.rpc(operation, within(args.timeout), ctx);
  asked.locks.sent(operation.source);
  if (args.format === "object")
    return toData(root, await asked.models(ctx), new Set(args.lists ?? []), root.namespace);
  return root.children.map((child) => formatXml(child)).join("");
}

/** With or without `<rpc>` around it. */
function operationOf(text: string): XmlFragment {
  const source = text.replace(/^<\?xml[^>]*\?>\s*/, "");
  let root: XmlElement;
  try {
    root = parseXml(source);
  } catch (error) {
    throw new PluginError("DriverError", `The operation cannot be read: ${messageOf(error)}`, {
      outcome: "none",
    });
  }
  const [operation] = root.children;
  if (root.name !== "rpc") return new XmlFragment(source);
  if (operation !== undefined && root.children.length === 1)
    return new XmlFragment(formatXml(operation).trimEnd());
  throw new PluginError("DriverError", "<rpc> must hold one operation.", { outcome: "none" });
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

function simple(operation: (args: QueryArgs) => XmlFragment, leastMs = 0): Run {
  return async ({ session }, args, ctx) => {
    const timeout = args.timeout ?? (leastMs === 0 ? undefined : leastMs / 1000);
    return told(await session.rpc(operation(args), within(timeout), ctx));
  };
}

/** Empty for `<ok/>`. */
const told = ({ root }: NetconfReply): string =>
  root.children
    .filter(({ name }) => name !== "ok")
    .map((child) => formatXml(child))
    .join("");

const persisted = (handle: string | undefined) =>
  handle === undefined ? [] : [xml("persist-id", {}, handle)];

const within = (seconds: number | undefined) => (seconds === undefined ? {} : { timeoutMs: seconds * 1000 });
