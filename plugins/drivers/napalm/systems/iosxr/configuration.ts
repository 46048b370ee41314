/** Configuration of iosxr: the session's candidate under a lock, committed as a whole or cleared. */
import type { Context, XmlElement } from "patchbay/plugin";
import { cleanupContext, escapeXml, PluginError, withDetail, xml } from "patchbay/plugin";
import { messageOf } from "../../../shared/message.ts";
import { unifiedDifference } from "../../../shared/push/unified-diff.ts";
import { unlessRefused } from "../../common/refused.ts";
import { linesOf } from "../../common/text.ts";
import type { Change, ChangeOptions, ConfigurationControl } from "../../system.ts";
import { type Agent, readAnswer, readCommand } from "./agent.ts";

/** Limits of the confirmed commit attribute. */
const confirmedS = { least: 30, most: 300 };
const maxCommentLength = 60;
/** A large router is silent while it loads, compares or commits. */
const commitQuietMs = 600_000;

/** Error codes of an empty commit. */
const nothingToCommit: ReadonlySet<string> = new Set(["0x41864e00", "0x43682c00"]);
/** Error code of a commit whose candidate is older than the running configuration. */
const othersCommitted = "0x41866c00";

export function createConfiguration(
  agent: Agent,
  { isLocked }: { readonly isLocked: boolean },
): ConfigurationControl {
  async function ask(inside: string, ctx: Context): Promise<XmlElement> {
    return readAnswer(await agent.request(inside, ctx, commitQuietMs));
  }

  async function show(command: string, ctx: Context): Promise<string> {
    const inside = `<CLI><Configuration>${command}</Configuration></CLI>`;
    return readCommand(command, await ask(inside, ctx), "Configuration");
  }

  /** @throws PluginError CommandError that names the line */
  async function load(text: string, ctx: Context): Promise<void> {
    const answer = await ask(`<CLI><Configuration>${escapeXml(text)}</Configuration></CLI>`, ctx);
    const output = answer.textOf("CLI/Configuration");
    if (/^\s*%|Invalid input|Failed to commit|^\s*!!% /m.test(output)) throw refusedLine(text, output);
  }

  /** The router's own diff; older versions have one for a replace only. */
  async function difference(replace: boolean, ctx: Context): Promise<string> {
    const routerDiff = () =>
      show(replace ? "show configuration changes diff" : "show commit changes diff", ctx);
    const computedDiff = async () =>
      unifiedDifference(
        withoutHead(await show("show running-config", ctx)),
        withoutHead(await show("show configuration merge", ctx)),
      );
    return withoutHead(await (replace ? routerDiff() : unlessRefused(routerDiff(), computedDiff)));
  }

  async function commit({ replace, message, revertIn }: ChangeOptions, ctx: Context): Promise<XmlElement> {
    const attributes = {
      Replace: replace ? "true" : undefined,
      Comment: message === undefined ? undefined : [...message].slice(0, maxCommentLength).join(""),
      Confirmed: revertIn,
    };
    try {
      return await ask(xml("Commit", attributes).toString(), ctx);
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError") return asUnknown(error);
      throw withDetail(await explained(error, ctx), { outcome: "none" });
    }
  }

  /** A separate command lists the failed lines with their errors. */
  async function explained(error: PluginError, ctx: Context): Promise<PluginError> {
    if (error.detail?.code === othersCommitted)
      return new PluginError(
        "CommandError",
        `Another session has committed since the candidate was loaded: send the configuration again to compare it with the current one. The router's message: ${error.message}`,
        error.detail,
        { cause: error },
      );
    const failed = await unlessRefused(show("show configuration failed", ctx), () => "");
    if (withoutHead(failed) === "") return error;
    return new PluginError("CommandError", `${error.message}\n${withoutHead(failed)}`, error.detail, {
      cause: error,
    });
  }

  async function clean(ctx: Context): Promise<void> {
    // The router discards candidate and lock when the session ends.
    if (!agent.alive()) return;
    for (const request of ["<Clear/>", ...(isLocked ? [] : ["<Unlock/>"])])
      await ask(request, cleanupContext(ctx)).catch((error) =>
        ctx.warn(`${request} failed, and the session ends: ${messageOf(error)}`),
      );
  }

  async function change(text: string, options: ChangeOptions, ctx: Context): Promise<Change> {
    requireTimer(options.revertIn);
    // Rejects characters that XML cannot carry before anything is sent.
    escapeXml(text + (options.message ?? ""));
    if ((options.message?.length ?? 0) > maxCommentLength)
      ctx.warn(`message: iosxr stores only the first ${maxCommentLength} characters of a comment`);
    if (!isLocked) await lock(agent, ctx);
    try {
      await load(text, ctx).catch(asNone);
      const diff = await difference(options.replace, ctx).catch(asNone);
      if (options.dryRun || diff === "") return { diff, committed: false };
      const id = commitId(await commit(options, ctx));
      return { diff, committed: true, ...(options.revertIn === undefined ? {} : { handle: id ?? "trial" }) };
    } catch (error) {
      if (error instanceof PluginError && nothingToCommit.has(String(error.detail?.code)))
        return { diff: "", committed: false };
      throw error;
    } finally {
      await clean(ctx);
    }
  }

  return {
    change,
    async confirm(_handle, ctx) {
      try {
        await ask("<Commit/>", ctx).catch(asUnknown);
        return "";
      } catch (error) {
        if (!(error instanceof PluginError) || !nothingToCommit.has(String(error.detail?.code))) throw error;
        throw new PluginError("CommandError", "No commit is waiting for confirmation on the router.", {
          outcome: "none",
        });
      }
    },
    async rollback(handle, ctx) {
      if (handle !== undefined)
        throw new PluginError("DriverError", "handle: iosxr can roll back only the last commit.", {
          outcome: "none",
        });
      // A rollback takes its own lock.
      if (isLocked) await ask("<Unlock/>", ctx);
      try {
        await ask("<Rollback><Previous>1</Previous></Rollback>", ctx).catch(asUnknown);
      } finally {
        if (isLocked) await lock(agent, cleanupContext(ctx));
      }
      return "";
    },
  };
}

/** @throws PluginError CommandError if another session has the lock */
export async function lock(agent: Agent, ctx: Context): Promise<void> {
  try {
    readAnswer(await agent.request("<Lock/>", ctx));
  } catch (error) {
    if (!(error instanceof PluginError) || error.kind !== "CommandError")
      throw withDetail(error, { outcome: "none" });
    throw new PluginError(
      "CommandError",
      `The router's configuration is locked by another session. ${error.message}`,
      { ...error.detail, outcome: "none" },
      { cause: error },
    );
  }
}

function asNone(error: unknown): never {
  throw withDetail(error, { outcome: "none" });
}

/** The router may have executed the request although its reply was not received. */
function asUnknown(error: unknown): never {
  const isAnswer = error instanceof PluginError && error.kind === "CommandError";
  throw isAnswer ? error : withDetail(error, { outcome: "unknown" });
}

function requireTimer(revertIn: number | undefined): void {
  if (revertIn === undefined || (revertIn >= confirmedS.least && revertIn <= confirmedS.most)) return;
  throw new PluginError(
    "DriverError",
    `revert_in: must be ${confirmedS.least} to ${confirmedS.most} s for iosxr, not ${revertIn} s.`,
    { outcome: "none" },
  );
}

function commitId(response: XmlElement): string | undefined {
  return response.find("Commit")?.attribute("CommitID");
}

/** Drops the header lines of the show command. */
function withoutHead(text: string): string {
  return linesOf(text)
    .filter(
      (line) => !/^(?:Building configuration|!! |[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d)/.test(line),
    )
    .join("\n")
    .trim();
}

/** The router marks the refused line with a marker below it. */
function refusedLine(text: string, output: string): PluginError {
  const lines = linesOf(text);
  const words = linesOf(output).map((line) => line.trim());
  const number = lines.findIndex((line) => line.trim() !== "" && words.includes(line.trim())) + 1;
  const line = lines[number - 1]?.trim();
  const where = line === undefined ? "the configuration" : `line ${number}, "${line}"`;
  return new PluginError("CommandError", `The router refused ${where}: ${output}`, {
    output,
    ...(line === undefined ? {} : { command: line, line: number }),
  });
}
