/** The system nxos: NX-OS over NX-API. */
import type { Context } from "patchbay/plugin";
import { putText } from "../../common/scp-text.ts";
import { sshTargetOf, type Tools } from "../../connection.ts";
import { type Answers, defineSystem, type OpenSystem } from "../../system.ts";
import { textOf } from "../nxos-common/commands.ts";
import { createConfiguration } from "../nxos-common/configuration/control.ts";
import { asNotTaken } from "../nxos-common/configuration/md5.ts";
import type { NxosDevice } from "../nxos-common/device.ts";
import { isRow, type Row } from "../nxos-common/tables.ts";
import { getters } from "./getters.ts";
import { textOf as fieldOf } from "./rows.ts";
import { openTransport, type Transport } from "./transport.ts";

export default defineSystem<NxosDevice>({
  name: "nxos",
  getters,
  async open(tools, ctx): Promise<OpenSystem<NxosDevice>> {
    const transport = await openTransport(tools, ctx);
    const { run, runOne, close } = transport;
    return {
      platform: "cisco_nxos",
      device: (answers, ctx) => createDevice(transport, answers, ctx),
      cli: async (command, ctx) => textOf(await runOne(command, "text", ctx)),
      cliJson: (command, ctx) => runOne(command, "json", ctx),
      configuration: createConfiguration(transport, {
        system: "nxos",
        fileSystem: tools.connection.optional.dest_file_system,
        put: (file, content, ctx) => upload(tools, file, content, ctx),
      }),
      describe: (ctx) => describe(transport, tools.connection.host, ctx),
      concurrent: true,
      alive: (ctx) =>
        run(["show hostname"], "json", ctx).then(
          () => true,
          () => false,
        ),
      // No state is left after a job: each request has its own session.
      reusable: async () => true,
      close,
    };
  },
});

async function describe({ run }: Transport, host: string, ctx: Context): Promise<Record<string, string>> {
  const { results } = await run(["show hostname", "show version"], "json", ctx);
  const [hostname = {}, version = {}] = results.map((result): Row => (isRow(result) ? result : {}));
  const facts = {
    version: fieldOf(version, "sys_ver_str", "kickstart_ver_str", "nxos_ver_str"),
    model: fieldOf(version, "chassis_id"),
    serial: fieldOf(version, "proc_board_id"),
  };
  return {
    prompt: `${fieldOf(hostname, "hostname") || host}#`,
    ...Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== "")),
  };
}

function createDevice({ runOne }: Transport, answers: Answers, ctx: Context): NxosDevice {
  return {
    json: (command) => answers.structure(`${command} | json`, () => runOne(command, "json", ctx)),
    text: (command) => answers.once(command, async () => textOf(await runOne(command, "text", ctx))),
  };
}

const sshPort = 22;

/** @throws PluginError CommandError if the switch did not accept the file */
async function upload(tools: Tools, file: string, content: string, ctx: Context): Promise<void> {
  const target = await sshTargetOf(tools, "modern");
  // The connection's port is that of NX-API.
  const port = tools.connection.optional.ssh_port ?? sshPort;
  await putText(tools, { ...target, port }, { file, content }, ctx).catch(asNotTaken);
}
