/** The command line: which command, its flags, and one line for an operator when it fails. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Command, Option } from "commander";
import { ServiceError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { type Config, loadConfig } from "../config/config.ts";
import { type SettingName, secretSettings, settings } from "../config/settings.ts";
import { prepareNative } from "../runtime/native.ts";
import type { Program } from "../service/program.ts";
import type { RestoreOptions } from "./backup.ts";
import type { CaptureOptions } from "./capture.ts";

/** Runs one command; ends the process with 1 when it fails. */
export async function runCommand(args: string[], program: Program): Promise<void> {
  const root = new Command("patchbay")
    .description("Network device automation service: commands and configuration over an HTTP API.")
    .version(version)
    .option("--config <file>", "TOML file with settings (default: patchbay.toml, if it is there)")
    .showHelpAfterError();
  addCommands(root, program);
  try {
    await root.parseAsync(args, { from: "user" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`patchbay: ${message}\n`);
    if (!(error instanceof ServiceError) && error instanceof Error)
      process.stderr.write(`${error.stack ?? ""}\n`);
    // Threads that were started already would keep the process alive.
    process.exit(1);
  }
}

function addCommands(root: Command, program: Program): void {
  /** What uses the store is imported after this: its native part must be prepared before. */
  const load = (command: Command): Config => {
    const config = configOf(root, command);
    prepareNative(config.values.data_dir, false);
    return config;
  };

  withSettings(root.command("serve").description("start the service"), "all").action(
    async (_options, command: Command) => {
      const config = load(command);
      prepareNative(config.values.data_dir, true);
      const { serve } = await import("./serve.ts");
      await serve(config, program);
    },
  );

  withSettings(
    root.command("demo").description("start the service with a simulated switch and show a tour"),
    ["listen", "log_level"],
  )
    .option("--once", "end when the tour is over")
    .action(async (options: { once?: boolean }, command: Command) => {
      const config = load(command);
      temporaryNative();
      const { demo } = await import("./demo.ts");
      await demo(config, program, options.once === true);
    });

  withSettings(
    root.command("config").description("print the settings in force and where they came from"),
    "all",
  ).action(async (_options, command: Command) => {
    const config = load(command);
    const { printConfig } = await import("./config.ts");
    await printConfig(config);
  });

  addBackups(root, load);
  addSimulate(root);
  addCapture(root, load, program);
  addKeys(root, load);
  addTemplates(root, load);
  addPlugins(root, load);
}

function addPlugins(root: Command, load: (command: Command) => Config): void {
  const plugin = root
    .command("plugin")
    .description("plugins: drivers, platforms, engines, webhooks, sources");
  withSettings(plugin.command("list").description("what is taken, and what is refused and why"), [
    "data_dir",
    "plugins",
  ]).action(async (_options, command: Command) => {
    const { listPlugins } = await import("./plugin/list.ts");
    await listPlugins(load(command));
  });
  plugin
    .command("new <kind> <name>")
    .description("write a plugin to fill in: driver, platform, template, webhook or credential")
    .option("--folder <path>", "where its folder is made", ".")
    .action(async (kind: string, name: string, { folder }: { folder: string }) => {
      const { newPlugin } = await import("./plugin/new.ts");
      newPlugin(kind, name, folder);
    });
  plugin
    .command("types")
    .description("print the types of patchbay/plugin, for a file plugin.d.ts")
    .action(async () => {
      const { printTypes } = await import("./plugin/new.ts");
      printTypes();
    });
  plugin
    .command("check <path>")
    .description("try a plugin, or a folder of them, as the service would")
    .action(async (path: string, _options, command: Command) => {
      const { checkPlugins } = await import("./plugin/list.ts");
      await checkPlugins(path, load(command));
    });
}

function addBackups(root: Command, load: (command: Command) => Config): void {
  withSettings(
    root
      .command("backup <file>")
      .description("write a copy of the database, beside the running service or without it"),
    "store",
  ).action(async (file: string, _options, command: Command) => {
    const config = load(command);
    const { backup } = await import("./backup.ts");
    await backup(config, file);
  });
  withSettings(
    root
      .command("restore <from>")
      .description(
        "put a backup or a copied data directory into an empty data directory; queued jobs are held",
      ),
    ["data_dir"],
  )
    .option("--master-key-file <file>", "the master key that the backup was sealed with")
    .option("--run-queued", "let the jobs run that were queued when the copy was taken")
    .action(async (from: string, options: RestoreOptions, command: Command) => {
      const config = load(command);
      const { restore } = await import("./backup.ts");
      await restore(config, from, options);
    });
}

function addSimulate(root: Command): void {
  root
    .command("simulate")
    .description("start a simulated device that speaks SSH or Telnet on loopback")
    .requiredOption("--platform <name>", "device_type, such as cisco_ios or huawei")
    .option("--port <port>", "port; 0 takes a free one", "0")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--transport <name>", "ssh or telnet", "ssh")
    .option("--username <name>", "login user", "admin")
    .option("--password <text>", "login password", "admin")
    .option("--secret <text>", "enable password", "enable")
    .option("--hostname <name>", "host name in the prompt")
    .option("--transcripts <folder>", "answers: one file a command, blanks written as _")
    .option("--latency <ms>", "round trip time in milliseconds", "0")
    .option(
      "--thinking <ms>",
      "milliseconds between a line and its answer, passwords and saves included",
      "0",
    )
    .option("--fault <name>", "stall, drop, trickle, cut, endless, garbage or key-change")
    .option("--plugins <folders>", "plugin folders with platforms, colon-separated")
    .action(async (options: Record<string, string>) => {
      const { simulate } = await import("./simulate.ts");
      await simulate(options);
    });
}

/** For a service whose data directory is a temporary one. */
function temporaryNative(): void {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-native-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  prepareNative(folder, true);
}

function addCapture(root: Command, load: (command: Command) => Config, program: Program): void {
  const capture = root
    .command("capture <commands...>")
    .description("record what a device answers, secrets taken out, for `simulate --transcripts`")
    .requiredOption("--platform <name>", "device_type, such as cisco_ios or huawei")
    .requiredOption("--host <address>", "the device")
    .requiredOption("--username <name>", "login user")
    .requiredOption("--password-file <file>", "file with the login password")
    .requiredOption("--folder <path>", "where the files are written: one for each command")
    .option("--secret-file <file>", "file with the enable password")
    .option("--port <port>", "port of SSH", "22");
  withSettings(capture, ["plugins"]).action(
    async (commands: string[], options: CaptureOptions, command: Command) => {
      const config = load(command);
      temporaryNative();
      const { capture } = await import("./capture.ts");
      await capture(commands, options, config, program);
    },
  );
}

function addKeys(root: Command, load: (command: Command) => Config): void {
  const key = root.command("key").description("API keys and the master key");
  withSettings(key.command("add <name>").description("make an API key and print it once"), "store")
    .option("--scope <scope>", "read, operate or admin", "operate")
    .option("--hosts <patterns>", "device hosts it may reach: names, wildcards, CIDR; comma-separated")
    .option("--expires <days>", "days until it expires")
    .action(async (name: string, options: Record<string, string>, command: Command) => {
      const config = load(command);
      const { addKey } = await import("./key/key.ts");
      await addKey(config, name, options);
    });
  withSettings(key.command("list").description("list API keys"), "store").action(
    async (_options, command: Command) => {
      const config = load(command);
      const { listKeys } = await import("./key/key.ts");
      await listKeys(config);
    },
  );
  withSettings(key.command("revoke <name>").description("revoke an API key by name or id"), "store").action(
    async (name: string, _options, command: Command) => {
      const config = load(command);
      const { revokeKey } = await import("./key/key.ts");
      await revokeKey(config, name);
    },
  );
  withSettings(key.command("rotate-master").description("put a new master key in front of the old one"), [
    "data_dir",
  ]).action(async (_options, command: Command) => {
    const config = load(command);
    const { rotateMaster } = await import("./key/key.ts");
    rotateMaster(config);
  });
}

function addTemplates(root: Command, load: (command: Command) => Config): void {
  const templates = root.command("templates").description("template sets");
  withSettings(
    templates
      .command("install <source>")
      .description("install a community set: a folder or .tar.gz of ntc-templates or ttp_templates"),
    ["data_dir"],
  ).action(async (source: string, _options, command: Command) => {
    const config = load(command);
    const { installTemplates } = await import("./templates/install.ts");
    await installTemplates(config, source);
  });
}

/** Settings that a command which opens the store needs. */
const storeSettings: readonly SettingName[] = ["data_dir", "database_url"];

function withSettings(command: Command, wanted: "all" | "store" | readonly SettingName[]): Command {
  const names =
    wanted === "all" ? (Object.keys(settings) as SettingName[]) : wanted === "store" ? storeSettings : wanted;
  for (const name of names) {
    if (secretSettings.includes(name)) continue;
    command.addOption(new Option(`--${name.replaceAll("_", "-")} <value>`, settings[name].about));
  }
  return command;
}

/** Flags of a command by setting name; commander writes them in camel case. */
function configOf(root: Command, command: Command): Config {
  const given = command.opts<Record<string, unknown>>();
  const flags: Partial<Record<SettingName, string>> = {};
  for (const name of Object.keys(settings) as SettingName[]) {
    const value = given[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (typeof value === "string") flags[name] = value;
  }
  const { config: file } = root.opts<{ config?: string }>();
  return loadConfig(file === undefined ? { flags } : { flags, file });
}
