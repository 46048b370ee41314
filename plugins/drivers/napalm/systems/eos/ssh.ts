/** Runs command lists in an SSH terminal session; `| json` returns structures. */
import type { CliSession, Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { readDeviceJson } from "../../../shared/device-json.ts";
import type { EapiAnswer, EapiCommand } from "../../../shared/eos/eapi.ts";
import { cliTargetOf, type Tools } from "../../connection.ts";
import type { Transport } from "./transport.ts";

/** eAPI error codes for the corresponding terminal messages. */
const notValid = 1002;
const noJson = 1003;
/** Printed by the switch before it reads multi-line input. */
const readsOn = "Type 'EOF' on its own line to end";

export async function openSsh(tools: Tools, ctx: Context): Promise<Transport> {
  const cli = await tools.cli.open(await cliTargetOf(tools, "arista_eos"), ctx);
  // A terminal runs one list at a time, so lists are queued.
  let last: Promise<unknown> = Promise.resolve();
  return {
    concurrent: false,
    run(commands, format, ctx) {
      const answer = last.then(() => runAll(cli, commands, format, ctx));
      last = answer.catch(() => undefined);
      return answer;
    },
    alive: (ctx) => cli.reusable(ctx),
    reusable: (ctx) => cli.reusable(ctx),
    close: cli.close,
  };
}

async function runAll(
  cli: CliSession,
  commands: readonly EapiCommand[],
  format: "json" | "text",
  ctx: Context,
): Promise<EapiAnswer> {
  const results: unknown[] = [];
  for (const [at, command] of commands.entries()) {
    try {
      results.push(await runOne(cli, command, format, ctx));
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
      await cli.toLevel(cli.home(), ctx);
      const code = typeof error.detail?.code === "number" ? error.detail.code : notValid;
      const output = error.detail?.output;
      const text = typeof output === "string" && output !== "" ? output.trim() : error.message;
      return { results, refusal: { code, at, text, results } };
    }
  }
  await cli.toLevel(cli.home(), ctx);
  return { results };
}

async function runOne(
  cli: CliSession,
  command: EapiCommand,
  format: "json" | "text",
  ctx: Context,
): Promise<unknown> {
  if (typeof command !== "string") {
    const dialogue = { send: command.cmd, expect: readsOn, reply: `${command.input}\nEOF` };
    return { output: await cli.send(dialogue, { refusals: "fail" }, ctx) };
  }
  const output = await cli.send(format === "json" ? `${command} | json` : command, { refusals: "fail" }, ctx);
  if (format === "text") return { output };
  try {
    return readDeviceJson(output);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw new PluginError("CommandError", "the response is not JSON", { command, code: noJson, output });
  }
}
