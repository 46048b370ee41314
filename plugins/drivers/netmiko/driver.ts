/** The driver netmiko: opens terminal sessions, runs commands, pushes configuration. */
import {
  type Change,
  type CliSession,
  type Command,
  type ConfigureOptions,
  type ConfigureResult,
  type Context,
  type Dialogue,
  type Hold,
  type Output,
  type Outputs,
  PluginError,
  type SendOptions,
  type Session,
  userPattern,
  withDetail,
} from "patchbay/plugin";
import {
  type FileTransfer,
  requireTransfer,
  transferOptions,
  transferOutputs,
} from "../shared/file-transfer.ts";
import { type ConfigureArgs, defaultConfirmMinutes, defaultSilenceS, type QueryArgs } from "./args.ts";
import { change, reopen } from "./change.ts";
import type { Connection, Tools } from "./connection.ts";
import { detectPlatform, isOpen } from "./detect.ts";
import { factsCommand, factsMarker } from "./facts.ts";
import { targetOf } from "./target.ts";

export default async function open(tools: Tools, ctx: Context): Promise<Session<QueryArgs, ConfigureArgs>> {
  const { connection: requested } = tools;
  const connection = isOpen(requested)
    ? { ...requested, deviceType: await detectPlatform(tools, requested, ctx) }
    : requested;
  const openCli = async (ctx: Context) => tools.cli.open(await targetOf(tools, connection), ctx);
  const session = createSession(tools, await openCli(ctx), connection, openCli);
  return requested === connection ? session : { ...session, platform: connection.deviceType };
}

function createSession(
  tools: Tools,
  cli: CliSession,
  connection: Connection,
  open: (ctx: Context) => Promise<CliSession>,
): Session<QueryArgs, ConfigureArgs> {
  async function queryAll(commands: readonly Command[], args: QueryArgs, ctx: Context): Promise<Outputs> {
    requireTransfer(commands, args);
    if (args.file_transfer !== undefined) return transfer(tools, cli, args.file_transfer, ctx);
    const { detect } = tools.platform(connection.deviceType);
    const sentCommands = commands.map((command) =>
      command === factsMarker ? factsCommand(detect) : command,
    );
    const dialogues = checkCommands(sentCommands);
    const options = sendOptions(args, connection);
    await cli.announce(dialogues.map(nameOf), ctx);
    const outputs: (Output & { output: string })[] = [];
    for (const [at, dialogue] of dialogues.entries()) {
      try {
        const early = (text: string) => goOn(outputs.at(-1), text, ctx);
        const following = () => dialogues.slice(at + 1).map(({ send }) => send);
        const other: Pick<Output, "otherPrompt"> = {};
        const otherPrompt = (prompt: Output["otherPrompt"]) => Object.assign(other, { otherPrompt: prompt });
        const output = await cli.send(dialogue, { ...options, early, following, otherPrompt }, ctx);
        outputs.push({ command: nameOf(dialogue), output, ...other });
      } catch (error) {
        throw withPartial(error, outputs);
      }
    }
    await goHome(ctx);
    return outputs;
  }

  async function configure(lines: readonly string[], args: ConfigureArgs, ctx: Context): Promise<string> {
    checkLines(lines);
    return withTranscript(lines, async () => {
      const result = await cli.configure(lines, configureOptions(args, connection), ctx);
      await goHome(ctx);
      const parts = [result.transcript];
      if (result.diff !== undefined && args.dry_run === true) parts.push(`\n\n${result.diff}`);
      if (result.saved === false && args.save === true) {
        parts.push(`\n% Not saved: ${connection.deviceType} has no save command.`);
      }
      return parts.join("");
    });
  }

  async function changing(
    lines: readonly string[],
    args: ConfigureArgs,
    ctx: Context,
    hold?: Hold,
  ): Promise<Change> {
    checkLines(lines);
    const tools = {
      cli,
      options: configureOptions(args, connection),
      another: open,
      output: ({ transcript }: ConfigureResult) => transcript,
      hold,
    };
    const result = await withTranscript(lines, () => change(lines, tools, ctx));
    if (result !== undefined) return result;
    const output = await configure(lines, args, ctx);
    return { output, how: "none", confirm: async () => {}, undo: async () => Promise.reject(noWay()) };
  }

  /** A failure to return home does not fail the job; `reusable` detects it later. */
  async function goHome(ctx: Context): Promise<void> {
    try {
      await cli.toLevel(cli.home(), ctx);
    } catch (error) {
      ctx.log.warn("session.not_home", { host: connection.host, reason: String(error) });
    }
  }

  return {
    queryAll,
    configure,
    change: changing,
    reopen: (open, args, ctx, hold) =>
      reopen(open, { cli, options: configureOptions(args, connection), hold }, ctx),
    describe: async () => ({
      prompt: cli.prompt(),
      device_type: connection.deviceType,
      host: connection.host,
    }),
    reusable: cli.reusable,
    close: cli.close,
  };
}

function sendOptions(args: QueryArgs, connection: Connection): SendOptions {
  const readTimeout = connection.readTimeoutMs || (args.read_timeout ?? 0) * 1000;
  const verifyEcho = connection.verifyEcho ?? args.cmd_verify;
  return {
    stripPrompt: args.strip_prompt ?? true,
    stripCommand: args.strip_command ?? true,
    refusals: args.fail_on_refusal === true ? "fail" : "warn",
    ...(readTimeout > 0 ? { readTimeoutMs: readTimeout } : {}),
    ...(args.delay_factor === undefined ? {} : { delayFactor: args.delay_factor }),
    ...(args.expect_string === undefined ? {} : { expect: userPattern(args.expect_string, "expect_string") }),
    ...(verifyEcho === undefined ? {} : { verifyEcho }),
    ...(args.timing === true || args.last_read !== undefined
      ? { silenceMs: (args.last_read ?? defaultSilenceS) * 1000 }
      : {}),
  };
}

function configureOptions(args: ConfigureArgs, connection: Connection): ConfigureOptions {
  const readTimeout = connection.readTimeoutMs || (args.read_timeout ?? 0) * 1000;
  return {
    enterConfig: args.enter_config_mode ?? true,
    exitConfig: args.exit_config_mode ?? true,
    allowExit: args.allow_exit ?? false,
    verifyEcho: connection.verifyEcho ?? args.cmd_verify ?? true,
    pipeline: args.pipeline ?? false,
    save: args.save ?? false,
    dryRun: args.dry_run ?? false,
    enable: connection.enable,
    ...(readTimeout > 0 ? { readTimeoutMs: readTimeout } : {}),
    ...(args.delay_factor === undefined ? {} : { delayFactor: args.delay_factor }),
    ...(args.config_mode_command ? { enterCommand: args.config_mode_command } : {}),
    ...(args.diff === undefined ? {} : { diff: args.diff }),
    ...errorsOf(args),
    ...commitOf(args),
  };
}

function errorsOf({ ignore_errors, error_pattern }: ConfigureArgs): Pick<ConfigureOptions, "errors"> {
  if (ignore_errors === true) return { errors: false };
  return error_pattern ? { errors: userPattern(error_pattern, "error_pattern", { multiline: true }) } : {};
}

function commitOf(args: ConfigureArgs): Pick<ConfigureOptions, "commit"> {
  if (args.commit === false) return { commit: false };
  const confirm = args.confirm === true ? (args.confirm_delay ?? defaultConfirmMinutes) : args.confirm;
  return {
    commit: {
      ...(args.commit_comment ? { comment: args.commit_comment } : {}),
      ...(typeof confirm === "number" ? { confirmMinutes: confirm } : {}),
    },
  };
}

/** What looked like the prompt was a line of the output. */
function goOn(last: { command: string; output: string } | undefined, text: string, ctx: Context): void {
  if (last === undefined) return;
  last.output = last.output === "" ? text : `${last.output}\n${text}`;
  ctx.warn(
    `the output of ${JSON.stringify(last.command)} continued after a line that looks like the prompt: ${text.length} characters were added`,
  );
}

/** A secret reply must not become a key of the result. */
function nameOf({ send, reply, hidden }: Dialogue): string {
  return hidden && reply === undefined ? "[secret]" : send;
}

/** Adds the transcript of a failed push as its output. */
async function withTranscript<T>(lines: readonly string[], push: () => Promise<T>): Promise<T> {
  try {
    return await push();
  } catch (error) {
    const partial = error instanceof PluginError ? error.detail?.partial : undefined;
    const command = lines.join("\n");
    throw withPartial(
      error,
      typeof partial === "string" && partial !== "" ? [{ command, output: partial }] : [],
    );
  }
}

function noWay(): PluginError {
  return new PluginError("DriverError", "There is no reliable way to undo the push.", { outcome: "none" });
}

function withPartial(error: unknown, outputs: Outputs): unknown {
  return outputs.length === 0 ? error : withDetail(error, { partial: outputs });
}

async function transfer(
  { files }: Tools,
  cli: CliSession,
  request: FileTransfer,
  ctx: Context,
): Promise<Outputs> {
  const { operation, local_path } = request;
  const localPath = await files.localFile(local_path, operation === "upload" ? "read" : "write");
  const transferred = await cli[operation](transferOptions(request, localPath), ctx).catch(
    (error: unknown) => {
      // A download does not change the device.
      throw operation === "download" ? withDetail(error, { outcome: "none" }) : error;
    },
  );
  return transferOutputs(request, transferred);
}

const maxBytes = 65_536;

/** @throws PluginError DriverError that names the entry, before anything is sent */
function checkCommands(commands: readonly Command[]): Dialogue[] {
  return commands.map((command, at) => {
    const dialogue: Dialogue = typeof command === "string" ? { send: command } : command;
    // Files and heredocs leave a trailing line end.
    const send = dialogue.send.replace(/[\r\n]+$/, "");
    const fault = textFault(send) ?? (dialogue.reply === undefined ? undefined : textFault(dialogue.reply));
    if (fault !== undefined)
      throw new PluginError("DriverError", `command[${at}]: ${fault}`, { outcome: "none" });
    return { ...dialogue, send };
  });
}

/** What makes a text unsuitable for typing; undefined if it is valid. */
function textFault(text: string): string | undefined {
  if (/[\r\n]/.test(text)) return "contains a line end: send each command as a separate entry";
  if (/[\ud800-\udfff]/u.test(text)) return "is not valid Unicode";
  if (Buffer.byteLength(text) > maxBytes) return `is longer than ${maxBytes} bytes`;
  return undefined;
}

/** Configuration may contain line ends, which split it. */
function checkLines(lines: readonly string[]): void {
  lines.forEach((text, at) => {
    if (!/[\ud800-\udfff]/u.test(text)) return;
    throw new PluginError("DriverError", `config[${at}]: is not valid Unicode`, { outcome: "none" });
  });
}
