/** The driver pyeapi: sends command lists as one request, and configures with or without a session. */
import type { Command, Context, Output, Outputs, Session } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { type EapiCommand, isText, meaningOf } from "../shared/eos/eapi.ts";
import { createEapiClient, type EapiClient } from "../shared/eos/eapi-client.ts";
import type { ConfigureArgs, QueryArgs } from "./args.ts";
import { change, reopen } from "./change.ts";
import { push } from "./configure.ts";
import { addressOf, type Tools } from "./connection.ts";

/** eAPI error code for a command without JSON output. */
const noJson = 1003;

export default async function open(tools: Tools, ctx: Context): Promise<Session<QueryArgs, ConfigureArgs>> {
  const { username = "", password, auth, enable, timeoutMs } = tools.connection;
  const client = createEapiClient({
    http: tools.http,
    login: { username, password, auth, enable, enableField: "connection_args.enable_password" },
    timeoutMs,
    address: () => addressOf(tools),
  });
  // Verifies the connection and the login before the first command.
  await client.run({ commands: [], format: "json" }, {}, ctx).catch(async (error) => {
    await client.close();
    throw error;
  });
  return {
    platform: "arista_eos",
    queryAll: (commands, args, ctx) =>
      args.stop_on_error === false
        ? queryEach(client, commands, args, ctx)
        : query(client, commands, args, ctx),
    configure: (lines, args, ctx) => push(client, lines, args, ctx),
    change: (lines, args, ctx, hold) => change(client, lines, args, ctx, hold),
    reopen: (open, args, ctx, hold) => reopen(open, { client, args, hold }, ctx),
    describe: (ctx) => describe(tools, client, ctx),
    reusable: async () => true,
    close: client.close,
  };
}

/** Sends the list in one request; requests a command without JSON output as text, then continues the list after it. */
async function query(
  client: EapiClient,
  commands: readonly Command[],
  args: QueryArgs,
  ctx: Context,
): Promise<Outputs> {
  const format = args.encoding ?? args.format ?? "json";
  const outputs: { command: string; output: unknown }[] = [];
  const remaining = () => commands.slice(outputs.length);
  const take = (results: readonly unknown[], as: "json" | "text") => {
    for (const result of results)
      outputs.push({
        command: nameOf(commands[outputs.length] ?? ""),
        // With timestamps the result stays structured.
        output: as === "text" && args.timestamps !== true && isText(result) ? result.output : result,
      });
  };
  while (outputs.length < commands.length) {
    const { results, refusal } = await client.run(
      { commands: remaining().map(eapiCommandOf), format },
      args,
      ctx,
    );
    take(results, format);
    if (refusal === undefined) break;
    // The switch returned no data, so the results before the refused command are lost.
    const untold = refusal.at - results.length;
    const command = remaining()[untold] ?? "";
    if (format === "text" || refusal.code !== noJson || untold > 0) throw refused(command, refusal, outputs);
    const text = await client.run({ commands: [eapiCommandOf(command)], format: "text" }, args, ctx);
    if (text.refusal !== undefined) throw refused(command, text.refusal, outputs);
    take(text.results, "text");
  }
  return outputs;
}

/** Goes on after a refused command. In one request the results of those before it could be lost. */
async function queryEach(
  client: EapiClient,
  commands: readonly Command[],
  args: QueryArgs,
  ctx: Context,
): Promise<Outputs> {
  const outputs: Output[] = [];
  for (const command of commands) {
    try {
      outputs.push(...(await query(client, [command], args, ctx)));
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
      outputs.push({ command: nameOf(command), output: null, error });
    }
  }
  return outputs;
}

async function describe(
  { connection }: Tools,
  client: EapiClient,
  ctx: Context,
): Promise<Record<string, string>> {
  const { results } = await client.run(
    { commands: ["show version", "show hostname"], format: "json" },
    {},
    ctx,
  );
  const facts: Record<string, unknown> = Object.assign({}, ...results);
  const factNames = { version: "version", modelName: "model", serialNumber: "serial" };
  const reported = Object.entries(factNames).flatMap(([field, name]) =>
    typeof facts[field] === "string" ? [[name, facts[field]] as const] : [],
  );
  const name = typeof facts.hostname === "string" ? facts.hostname : connection.host;
  return {
    prompt: `${name}#`,
    device_type: "arista_eos",
    host: connection.host,
    ...Object.fromEntries(reported),
  };
}

function eapiCommandOf(command: Command): EapiCommand {
  if (typeof command === "string") return command;
  return command.reply === undefined ? command.send : { cmd: command.send, input: command.reply };
}

/** Hidden input must not become a name. */
function nameOf(command: Command): string {
  if (typeof command === "string") return command;
  return command.hidden === true && command.reply === undefined ? "[secret]" : command.send;
}

function refused(
  command: Command,
  { code, text }: { code: number; text: string },
  partial: Outputs,
): PluginError {
  const name = nameOf(command);
  return new PluginError("CommandError", `The switch refused "${name}": ${text} (${meaningOf(code)})`, {
    command: name,
    code,
    output: text,
    ...(partial.length === 0 ? {} : { partial }),
  });
}
