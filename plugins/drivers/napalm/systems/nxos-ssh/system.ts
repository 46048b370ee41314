/** The system nxos_ssh: NX-OS over SSH. */
import type { CliTarget, Context } from "patchbay/plugin";
import { boundedText } from "../../common/bounded.ts";
import { putText } from "../../common/scp-text.ts";
import { cliTargetOf } from "../../connection.ts";
import { type Answers, defineSystem, type OpenSystem } from "../../system.ts";
import { createConfiguration } from "../nxos-common/configuration/control.ts";
import { asNotTaken } from "../nxos-common/configuration/md5.ts";
import type { NxosDevice } from "../nxos-common/device.ts";
import { structureOf } from "./device.ts";
import { nxosSshGetters } from "./getters.ts";
import { createTerminal } from "./transport.ts";

/** A second session is opened for cleanup; a device that does not accept it soon is considered unreachable. */
const anotherMs = 10_000;
/** Returned unchanged, however long their lines: configurations, and output with a linear-time parser. */
const unbounded = /^show (?:(?:running|startup)-config(?: all)?|interface)$/;
/** Commands that are silent for a while before or during their output. */
const slowCommands = /^(?:show (?:run|startup|tech)|ping|traceroute)/;
const slowMs = 600_000;

export default defineSystem<NxosDevice>({
  name: "nxos_ssh",
  getters: nxosSshGetters,
  async open(tools, ctx): Promise<OpenSystem<NxosDevice>> {
    const target = await cliTargetOf(tools, "cisco_nxos");
    const cli = await tools.cli.open(target, ctx);
    const terminal = createTerminal(cli, (ctx) => tools.cli.open(soon(target), ctx));
    const ask = (command: string, ctx: Context) =>
      cli.send(command, { ...timeOf(command), refusals: "warn" }, ctx);
    const text = async (command: string, ctx: Context) =>
      (await cli.send(command, { ...timeOf(command), refusals: "fail" }, ctx)).trim();
    return {
      platform: "cisco_nxos",
      device: (answers, ctx) => createDevice(ask, answers, ctx),
      cli: text,
      cliJson: async (command, ctx) => structureOf(command, await text(`${command} | json`, ctx)),
      configuration: createConfiguration(terminal, {
        system: "nxos_ssh",
        fileSystem: tools.connection.optional.dest_file_system,
        put: (file, content, ctx) => putText(tools, target.ssh, { file, content }, ctx).catch(asNotTaken),
      }),
      describe: async () => ({ prompt: cli.prompt() }),
      concurrent: false,
      alive: cli.reusable,
      reusable: cli.reusable,
      close: terminal.close,
    };
  },
});

function createDevice(
  ask: (command: string, ctx: Context) => Promise<string>,
  answers: Answers,
  ctx: Context,
): NxosDevice {
  const outputOf = async (command: string) => (await answers.once(command, () => ask(command, ctx))).trim();
  return {
    text: async (command) =>
      unbounded.test(command) ? outputOf(command) : boundedText(await outputOf(command)),
    json: async (command) => structureOf(command, await outputOf(`${command} | json`)),
  };
}

const timeOf = (command: string) => (slowCommands.test(command) ? { readTimeoutMs: slowMs } : {});

const soon = (target: CliTarget): CliTarget => ({
  ...target,
  ssh: { ...target.ssh, connectTimeoutMs: anotherMs },
});
