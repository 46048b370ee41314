/** Configuration of IOS XR over NETCONF: loads into the locked candidate, compares, commits or discards. */
import { randomBytes } from "node:crypto";
import {
  type Context,
  type NetconfReply,
  type NetconfSession,
  PluginError,
  parseXml,
  withDetail,
  XmlFragment,
  xml,
} from "patchbay/plugin";
import { messageOf } from "../../../shared/message.ts";
import { atLine, lockDenied, lockedBy } from "../../../shared/push/candidate-errors.ts";
import {
  beforeCommit,
  commitFault,
  commitMs,
  giveBack,
  warnOf,
} from "../../../shared/push/candidate-session.ts";
import { unifiedDifference } from "../../../shared/push/unified-diff.ts";
import type { OptionalArgs } from "../../optional-args.ts";
import type { Change, ChangeOptions, ConfigurationControl } from "../../system.ts";
import type { Encoding } from "./device.ts";
import { configurationOf, readOperation } from "./getters/config-text.ts";
import { cliModel, model } from "./operations.ts";

/** Maximum of the device's timer. */
const maxRevertS = 65_535;
const leastRevertS = 30;
/** Confirmed commit that another session may confirm. */
const confirmedCommit = "urn:ietf:params:netconf:capability:confirmed-commit:1.1";

const candidate = xml("target", {}, xml("candidate"));
const lockOperation = xml("lock", {}, candidate);
const unlockOperation = xml("unlock", {}, candidate);
const discardOperation = xml("discard-changes");
const diffOperation = xml("get-cli-config-diff", { xmlns: model("cli-diff-act") });
const rollbackOperation = xml(
  "roll-back-configuration-last",
  { xmlns: model("cfgmgr-rollback-act") },
  xml("count", {}, 1),
);

export function createConfiguration(session: NetconfSession, optional: OptionalArgs): ConfigurationControl {
  const encoding: Encoding = optional.config_encoding ?? "cli";
  /** Otherwise the lock is taken when the session opens. */
  const locksHere = optional.config_lock !== true;

  const call = (operation: XmlFragment, ctx: Context, timeoutMs?: number): Promise<NetconfReply> =>
    session.rpc(operation, timeoutMs === undefined ? {} : { timeoutMs }, ctx);

  async function compare(ctx: Context): Promise<string> {
    if (encoding === "cli") {
      const { root } = await call(diffOperation, ctx);
      return withoutHeader(root.textOf("cli-config-diff"));
    }
    const [running, changed] = await Promise.all(
      (["running", "candidate"] as const).map(async (source) =>
        configurationOf((await call(readOperation(source, encoding), ctx)).root, encoding),
      ),
    );
    return unifiedDifference(running ?? "", changed ?? "");
  }

  /** The candidate must be clean when unlocked: the next user's commit would include leftover changes. */
  async function settle(isClean: boolean, ctx: Context): Promise<void> {
    const steps = [...(isClean ? [] : [discardOperation]), ...(locksHere ? [unlockOperation] : [])];
    await giveBack(session, steps, ctx);
  }

  /** @throws PluginError with `outcome: "unknown"` if the reply to the commit was not received */
  async function commit(operation: XmlFragment, ctx: Context): Promise<void> {
    try {
      warnOf(await call(operation, ctx, commitMs), ctx);
    } catch (error) {
      throw commitFault(error);
    }
  }

  async function change(text: string, options: ChangeOptions, ctx: Context): Promise<Change> {
    const load = loadOperation(text, options.replace, encoding);
    checkTimer(options, session);
    if (locksHere) await lock(session, ctx);
    let isClean = false;
    try {
      await call(load, ctx).catch((error) => Promise.reject(atLine(error, text)));
      const diff = await beforeCommit(compare(ctx));
      if (options.dryRun || diff === "") return { diff, committed: false };
      if (options.message !== undefined) ctx.warn("message: iosxr_netconf does not store commit comments");
      const handle =
        options.revertIn === undefined ? undefined : `patchbay-${randomBytes(4).toString("hex")}`;
      await commit(commitOperation(options, handle), ctx);
      isClean = true;
      return { diff, committed: true, ...(handle === undefined ? {} : { handle }) };
    } finally {
      await settle(isClean, ctx);
    }
  }

  return {
    change,
    compare,
    async holdsFor(seconds) {
      const least = Math.max(leastRevertS, Math.ceil(seconds));
      return session.supports(confirmedCommit) && least <= maxRevertS ? least : undefined;
    },
    async confirm(handle, ctx) {
      if (handle === undefined) throw handleNeeded("confirm_commit");
      await commit(xml("commit", {}, xml("persist-id", {}, handle)), ctx);
      return "The commit is confirmed.";
    },
    async extend(handle, seconds, ctx) {
      if (handle === undefined) throw handleNeeded("extend");
      const revertIn = Math.min(maxRevertS, Math.max(leastRevertS, Math.ceil(seconds)));
      await commit(confirmedOperation(revertIn, handle, xml("persist-id", {}, handle)), ctx);
    },
    async rollback(handle, ctx) {
      const back =
        handle === undefined ? rollbackOperation : xml("cancel-commit", {}, xml("persist-id", {}, handle));
      await commit(back, ctx);
      return handle === undefined
        ? "The last commit was rolled back."
        : `The commit ${handle} was rolled back.`;
    },
  };
}

/** @throws PluginError CommandError if another session holds the lock */
export async function lock(session: NetconfSession, ctx: Context): Promise<void> {
  await session.rpc(lockOperation, {}, ctx).catch((error) => {
    const by = lockedBy(error);
    throw by === undefined ? withDetail(error, { outcome: "none" }) : lockDenied(by);
  });
}

function commitOperation({ revertIn }: ChangeOptions, handle: string | undefined): XmlFragment {
  return revertIn === undefined || handle === undefined
    ? xml("commit")
    : confirmedOperation(revertIn, handle);
}

/** Without a persist ID the commit would be reverted when this session ends. */
function confirmedOperation(revertIn: number, handle: string, ...more: readonly XmlFragment[]): XmlFragment {
  const timeout = xml("confirm-timeout", {}, revertIn);
  return xml("commit", {}, xml("confirmed"), timeout, xml("persist", {}, handle), ...more);
}

/** @throws PluginError DriverError, before anything is sent */
function checkTimer({ revertIn }: ChangeOptions, session: NetconfSession): void {
  if (revertIn === undefined) return;
  const refuse = (why: string) => new PluginError("DriverError", `revert_in: ${why}`, { outcome: "none" });
  if (!session.supports(confirmedCommit))
    throw refuse("the device does not support confirmed commits across sessions (confirmed-commit:1.1).");
  if (!Number.isInteger(revertIn) || revertIn < leastRevertS || revertIn > maxRevertS)
    throw refuse(
      `must be ${leastRevertS} to ${maxRevertS} whole seconds for iosxr_netconf, not ${revertIn}.`,
    );
}

function handleNeeded(method: string): PluginError {
  return new PluginError(
    "DriverError",
    `${method}: the device does not report pending commits: pass the \`handle\` that the change returned.`,
    { outcome: "none" },
  );
}

/** Drops the header lines of the diff (title and version). */
function withoutHeader(diff: string): string {
  return diff
    .split("\n")
    .filter(
      (line) =>
        !/^(?:Building configuration|!! (?:IOS XR|Last configuration)|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:)/.test(
          line,
        ),
    )
    .join("\n")
    .trim();
}

/** @throws PluginError DriverError, before anything is sent, if the text cannot be loaded */
function loadOperation(text: string, replace: boolean, encoding: Encoding): XmlFragment {
  const config =
    encoding === "cli" ? xml("config", {}, xml("cli", { xmlns: cliModel }, text)) : checked(text);
  const target = xml("target", {}, xml("candidate"));
  return replace
    ? xml("copy-config", {}, target, xml("source", {}, config))
    : xml("edit-config", {}, target, xml("error-option", {}, "rollback-on-error"), config);
}

/** Elements of the router's own models, with or without `<config>`. */
function checked(text: string): XmlFragment {
  const source = text.trim().replace(/^<\?xml[^>]*\?>\s*/, "");
  const config = /^<(?:[\w.-]+:)?config[\s>/]/.test(source) ? source : `<config>${source}</config>`;
  try {
    parseXml(config);
  } catch (error) {
    throw new PluginError(
      "DriverError",
      `The configuration was not loaded (config_encoding is xml): ${messageOf(error)}`,
      { outcome: "none" },
    );
  }
  return new XmlFragment(config);
}
