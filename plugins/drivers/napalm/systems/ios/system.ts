/** The system ios: Cisco IOS and IOS-XE over SSH or Telnet. */
import type { CliTarget } from "patchbay/plugin";
import { putText } from "../../common/scp-text.ts";
import { cliTargetOf, type Tools } from "../../connection.ts";
import { defineSystem, type OpenSystem } from "../../system.ts";
import { createConfiguration } from "./configuration/index.ts";
import { cleaned, createDevice, type IosDevice, timeOf } from "./device.ts";
import { iosGetters } from "./getters.ts";

/** A second session is opened for cleanup; a device that does not accept it soon is considered unreachable. */
const anotherMs = 10_000;

export default defineSystem<IosDevice>({
  name: "ios",
  getters: iosGetters,
  async open(tools, ctx): Promise<OpenSystem<IosDevice>> {
    const { optional, username } = tools.connection;
    const target = await targetOf(tools);
    const cli = await tools.cli.open(target, ctx);
    const another = { ...target, ssh: { ...target.ssh, connectTimeoutMs: anotherMs } };
    return {
      platform: "cisco_ios",
      device: (answers, ctx) => createDevice(cli, { whole: optional.canonical_int === true }, answers, ctx),
      cli: async (command, ctx) =>
        cleaned(await cli.send(command, { ...timeOf(command), refusals: "fail" }, ctx)),
      configuration: createConfiguration(
        { cli, username, another: (ctx) => tools.cli.open(another, ctx) },
        {
          ...(optional.inline_transfer === true || target.transport === "telnet"
            ? {}
            : { put: (file, content, ctx) => putText(tools, target.ssh, { file, content }, ctx) }),
          revertOnError: optional.auto_rollback_on_error !== false,
          ...fileSystemOf(optional.dest_file_system),
        },
      ),
      describe: async () => ({ prompt: cli.prompt() }),
      concurrent: false,
      alive: cli.reusable,
      reusable: cli.reusable,
      close: cli.close,
    };
  },
});

/** Stays at the login level if no privileges are requested. */
async function targetOf(tools: Tools): Promise<CliTarget> {
  const target = await cliTargetOf(tools, "cisco_ios");
  if (tools.connection.optional.force_no_enable !== true) return target;
  return { ...target, platform: { ...target.platform, home: "exec" } };
}

const fileSystemOf = (name: string | undefined) =>
  name === undefined ? {} : { fileSystem: name.includes(":") ? name : `${name}:` };
