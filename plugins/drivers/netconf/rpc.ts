/** Operations that callers write: as XML in queries, and pushes that are an operation instead of a configuration. */
import {
  type Context,
  formatXml,
  type NetconfReply,
  type NetconfSession,
  PluginError,
  parseXml,
  withDetail,
  type XmlElement,
  XmlFragment,
  xml,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import { commitMs, warnOf } from "../shared/push/candidate-session.ts";
import type { ConfigureArgs } from "./args.ts";
import { isOperation } from "./command-names.ts";
import { cancelOperation, confirmOperation } from "./edit.ts";

export interface Operation {
  readonly operation: XmlFragment;
  readonly element: XmlElement;
}

const refuse = (why: string) => new PluginError("DriverError", why, { outcome: "none" });

/** With or without `<rpc>` around it. @throws PluginError DriverError, before anything is sent */
export function operationOf(text: string): Operation {
  const source = text.replace(/^<\?xml[^>]*\?>\s*/, "");
  let root: XmlElement;
  try {
    root = parseXml(source);
  } catch (error) {
    throw refuse(`The operation cannot be read: ${messageOf(error)}`);
  }
  const [element] = root.children;
  if (root.name !== "rpc") return { operation: new XmlFragment(source), element: root };
  if (element === undefined || root.children.length !== 1) throw refuse("<rpc> must hold one operation.");
  return { operation: new XmlFragment(formatXml(element).trimEnd()), element };
}

/** Arguments of a push that an operation has no use for. */
const others = [
  ...["target", "default_operation", "replace", "error_option", "dry_run", "validate", "lock", "revert_in"],
  "save",
] as const satisfies readonly string[];

export interface PushedOperation {
  readonly operation: XmlFragment;
  /** It is one of the standard's that do all or nothing. */
  readonly isNamed: boolean;
}

/** Undefined: the push has a configuration. @throws PluginError DriverError, before anything is sent */
export function pushedOperation(texts: readonly string[], args: ConfigureArgs): PushedOperation | undefined {
  const text = texts.join("\n").trim();
  const { handle } = args;
  const isRpc = /^(?:<\?xml[^>]*\?>\s*)?<(?:[\w.-]+:)?rpc[\s>]/.test(text);
  if (handle !== undefined && text !== "commit" && text !== "cancel-commit")
    throw refuse("driver_args.handle: needs `commit` or `cancel-commit` as config.");
  if (!isRpc && !isOperation(text)) return undefined;
  const given: Readonly<Record<string, unknown>> = args;
  const needless = others.find((name) => given[name] !== undefined && given[name] !== false);
  if (needless !== undefined) throw refuse(`driver_args.${needless}: has no meaning for an operation.`);
  if (text === "commit") return { operation: confirmOperation(handle), isNamed: true };
  if (text === "cancel-commit") return { operation: cancelOperation(handle), isNamed: true };
  return isRpc
    ? { operation: operationOf(text).operation, isNamed: false }
    : { operation: xml(text), isNamed: true };
}

/** What the server answered as XML; empty for `<ok/>`. */
export async function runOperation(
  session: NetconfSession,
  { operation, isNamed }: PushedOperation,
  { timeout }: ConfigureArgs,
  ctx: Context,
): Promise<string> {
  const timeoutMs = timeout === undefined ? commitMs : timeout * 1000;
  try {
    const reply = await session.rpc(operation, { timeoutMs }, ctx);
    warnOf(reply, ctx);
    return told(reply);
  } catch (error) {
    // What a refused operation of a vendor has done before its error is unknown.
    const isRefused = isNamed && error instanceof PluginError && error.kind === "CommandError";
    throw withDetail(error, { outcome: isRefused ? "none" : "unknown" });
  }
}

/** Empty for `<ok/>`. */
export const told = ({ root }: NetconfReply): string =>
  root.children
    .filter(({ name }) => name !== "ok")
    .map((child) => formatXml(child))
    .join("");

export const notUndone = (): PluginError =>
  refuse("An operation cannot be undone: push it without checks and outside of a change.");
