/** Runs one job in a session: records the intent first, then runs the commands; outputs before a failure are kept. */
import { ServiceError, toErrorData } from "../base/errors.ts";
import { isRecord } from "../base/json/members.ts";
import { masked } from "../base/secrets/mask.ts";
import type { Command, Context, DriverPlugin, Output, Outputs, Session } from "../plugin/index.ts";
import type { ConfigureTask, OutputsValue, QueryTask } from "../protocol/task.ts";
import type { TaskMask } from "./masking.ts";
import type { Steps } from "./steps.ts";

/** Text size of all outputs of a job in total. */
const maxChars = 32 * 1024 * 1024;

export async function runOperation(
  session: Session,
  plugin: DriverPlugin,
  task: QueryTask | ConfigureTask,
  args: unknown,
  ctx: Context,
  steps: Steps,
): Promise<Outputs> {
  await recordIntent(plugin, task, args, ctx);
  return task.kind === "query"
    ? query(session, task, args, ctx, steps)
    : steps.command(task.lines[0] ?? "", () => configure(session, task, args, ctx));
}

/**
 * Recorded on disk before anything may change the device, independently of the driver: after a crash such a job is not
 * run again. Only queries that the driver declares repeatable skip this.
 */
export async function recordIntent(
  plugin: DriverPlugin,
  task: QueryTask | ConfigureTask,
  args: unknown,
  ctx: Context,
): Promise<void> {
  if (task.kind === "query" && plugin.repeatable?.(task.kind, args, task.commands) === true) return;
  await ctx.announce(task.kind === "query" ? task.commands.map(commandName) : task.lines);
}

async function query(
  session: Session,
  task: QueryTask,
  args: unknown,
  ctx: Context,
  steps: Steps,
): Promise<Outputs> {
  const queryAll = session.queryAll?.bind(session);
  if (queryAll) {
    const names = task.commands.map(commandName).join(", ");
    return outputsOf(await steps.command(names, () => queryAll(task.commands, args, ctx)), task.driver);
  }
  const query = session.query?.bind(session);
  if (!query) throw lacks(task.driver, "query");
  const outputs: { command: string; output: unknown }[] = [];
  for (const command of task.commands) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    try {
      outputs.push({
        command: commandName(command),
        output: await steps.command(commandName(command), () => query(command, args, ctx)),
      });
    } catch (error) {
      throw withPartial(error, outputs, commandName(command));
    }
  }
  return outputs;
}

export async function configure(
  session: Session,
  task: ConfigureTask,
  args: unknown,
  ctx: Context,
): Promise<Outputs> {
  if (session.configureAll) return outputsOf(await session.configureAll(task.lines, args, ctx), task.driver);
  if (!session.configure) throw lacks(task.driver, "configure");
  return [{ command: task.lines.join("\n"), output: await session.configure(task.lines, args, ctx) }];
}

export function lacks(driver: string, method: string): ServiceError {
  return new ServiceError("DriverError", `The sessions of the driver ${driver} have no \`${method}\`.`, {
    outcome: "none",
  });
}

function otherPromptOf(given: unknown): Pick<Output, "otherPrompt"> {
  if (!isRecord(given)) return {};
  const { text, name } = given;
  return typeof text === "string" && typeof name === "string" ? { otherPrompt: { text, name } } : {};
}

export function outputsOf(outputs: unknown, driver: string): Outputs {
  if (!Array.isArray(outputs))
    throw new ServiceError("DriverError", `The driver ${driver} returned no list of outputs.`);
  return outputs.map((entry: unknown) => {
    const fields: Record<string, unknown> = typeof entry === "object" && entry !== null ? { ...entry } : {};
    const { command = "", output = null, error } = fields;
    return {
      command: String(command),
      output,
      ...(error instanceof ServiceError ? { error } : {}),
      ...otherPromptOf(fields.otherPrompt),
    };
  });
}

function withPartial(error: unknown, outputs: Outputs, command: string): unknown {
  const { kind, message, detail } = toErrorData(error, "DriverError");
  const partial = detail?.partial === undefined && outputs.length > 0 ? { partial: outputs } : {};
  return new ServiceError(kind, message, { command, ...detail, ...partial }, { cause: error });
}

/** A secret reply must not appear as a key of the result. */
function commandName(command: Command): string {
  if (typeof command === "string") return command;
  return command.hidden && command.reply === undefined ? masked : command.send;
}

export function hiddenReplies(commands: readonly Command[]): string[] {
  return commands.flatMap((command) =>
    typeof command === "string" || command.hidden !== true ? [] : [command.reply ?? command.send],
  );
}

/**
 * Plain data, masked and within the size limit.
 * @throws ServiceError OutputTooLarge
 */
export function plainOutputs(
  outputs: Outputs,
  task: QueryTask | ConfigureTask,
  mask: TaskMask,
  warn: Context["warn"],
): OutputsValue["outputs"] {
  // The caller's own command text stays unmasked as a key, because the caller looks the output up by it.
  const requested = new Set(task.kind === "query" ? task.commands.map(commandName) : []);
  if (task.kind === "configure" && !task.secrets?.length)
    for (const text of [...task.lines, task.lines.join("\n")]) requested.add(text);
  const plainOutputs: OutputsValue["outputs"] = [];
  let chars = 0;
  for (const { command, output, error } of outputs) {
    if (error !== undefined) warn(`${command}: ${error.message}`);
    const plain = mask.plain(error === undefined ? output : { error: failureOf(error) }) ?? null;
    chars += typeof plain === "string" ? plain.length : JSON.stringify(plain).length;
    if (chars > maxChars)
      throw new ServiceError(
        "OutputTooLarge",
        `The outputs of the job are larger than ${maxChars / 1024 / 1024} MiB.`,
        {
          partial: plainOutputs,
        },
      );
    const name = requested.has(command) ? command : mask.text(command);
    plainOutputs.push({
      command: name,
      output: plain,
      ...(error === undefined ? {} : { failed: true as const }),
    });
  }
  return plainOutputs;
}

function failureOf(error: ServiceError): { type: string; message: string } {
  const { kind, message } = toErrorData(error);
  return { type: kind, message };
}
