/** The command line: the list of commands, and one line for an operator when one fails. */
import process from "node:process";
import { Command } from "commander";
import { ServiceError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import type { Program } from "../service/program.ts";
import { defineInstall } from "./appliance/install.ts";
import { defineUninstall } from "./appliance/uninstall.ts";
import { defineUpgrade } from "./appliance/upgrade.ts";
import { defineBackup } from "./backup.ts";
import { defineCapture } from "./capture.ts";
import { defineBulk } from "./client/bulk.ts";
import { defineContext } from "./client/context.ts";
import { defineInventory } from "./client/inventory.ts";
import { defineJob } from "./client/job.ts";
import { defineJobs } from "./client/jobs.ts";
import { defineLogin } from "./client/login.ts";
import { defineLogout } from "./client/logout.ts";
import { defineParse } from "./client/parse.ts";
import { definePush } from "./client/push.ts";
import { defineRender } from "./client/render.ts";
import { defineRun } from "./client/run.ts";
import { defineSchedule } from "./client/schedule.ts";
import { defineWorkers } from "./client/workers.ts";
import { defineCompletion } from "./completion/completion.ts";
import { defineConfig } from "./config.ts";
import { defineCredential } from "./credential/credential.ts";
import { defineDemo } from "./demo.ts";
import { defineDoctor } from "./doctor.ts";
import { defineKey } from "./key/key.ts";
import { defineLicenses } from "./licenses.ts";
import { defineManual } from "./manual.ts";
import { definePlugin } from "./plugin/plugin.ts";
import { defineRestore } from "./restore.ts";
import { defineServe } from "./serve.ts";
import { defineSimulate } from "./simulate.ts";
import { defineTemplates } from "./templates/templates.ts";
import { defineVersion } from "./version.ts";

/**
 * Each adds itself to its parent. Its file imports what is light; what loads libSQL, SSH or the plugins is imported
 * when the command runs.
 */
const commands: readonly ((parent: Command, program: Program) => void)[] = [
  defineServe,
  defineDemo,
  defineConfig,
  defineDoctor,
  defineBackup,
  defineRestore,
  defineSimulate,
  defineCapture,
  defineKey,
  defineCredential,
  defineTemplates,
  definePlugin,
  defineLogin,
  defineLogout,
  defineContext,
  defineRun,
  definePush,
  defineJobs,
  defineJob,
  defineBulk,
  defineInventory,
  defineSchedule,
  defineWorkers,
  defineRender,
  defineParse,
  defineCompletion,
  defineInstall,
  defineUpgrade,
  defineUninstall,
  defineManual,
  defineVersion,
  defineLicenses,
];

/** The whole command line, of which nothing has run yet. */
export function commandLine(program: Program): Command {
  const root = new Command("patchbay")
    .description("Network device automation service: commands and configuration over an HTTP API.")
    .version(version)
    .option("--config <file>", "TOML file with settings (default: patchbay.toml, if it is there)")
    .showHelpAfterError();
  for (const define of commands) define(root, program);
  return root;
}

/** Runs one command; ends the process with 1 when it fails. */
export async function runCommand(args: string[], program: Program): Promise<void> {
  try {
    await commandLine(program).parseAsync(args, { from: "user" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`patchbay: ${message}\n`);
    if (!(error instanceof ServiceError) && error instanceof Error)
      process.stderr.write(`${error.stack ?? ""}\n`);
    // Threads that were started already would keep the process alive.
    process.exit(1);
  }
}
