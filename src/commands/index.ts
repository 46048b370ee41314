/** The command line: loads the requested command, and prints failures as one line. */
import process from "node:process";
import { Command } from "commander";
import { messageOf, ServiceError } from "../base/errors.ts";
import { fileFailure } from "../base/files/file-errors.ts";
import { shown } from "../base/text/terminal-text.ts";
import { version } from "../base/version.ts";
import type { Program } from "../service/program.ts";
import { printWarning } from "./output.ts";

type Define = (parent: Command, program: Program) => void;

/** Each adds itself to its parent. Only the requested command is loaded. */
const commands: Readonly<Record<string, () => Promise<Define>>> = {
  serve: async () => (await import("./serve.ts")).defineServe,
  demo: async () => (await import("./demo.ts")).defineDemo,
  config: async () => (await import("./config.ts")).defineConfig,
  doctor: async () => (await import("./doctor.ts")).defineDoctor,
  backup: async () => (await import("./backup.ts")).defineBackup,
  store: async () => (await import("./store.ts")).defineStore,
  restore: async () => (await import("./restore.ts")).defineRestore,
  simulate: async () => (await import("./simulate.ts")).defineSimulate,
  capture: async () => (await import("./capture.ts")).defineCapture,
  key: async () => (await import("./key/key.ts")).defineKey,
  role: async () => (await import("./client/access/role.ts")).defineRole,
  person: async () => (await import("./client/access/person.ts")).definePerson,
  credential: async () => (await import("./credential/credential.ts")).defineCredential,
  templates: async () => (await import("./templates/templates.ts")).defineTemplates,
  plugin: async () => (await import("./plugin/plugin.ts")).definePlugin,
  login: async () => (await import("./client/access/login.ts")).defineLogin,
  logout: async () => (await import("./client/access/logout.ts")).defineLogout,
  context: async () => (await import("./client/context.ts")).defineContext,
  run: async () => (await import("./client/jobs/run.ts")).defineRun,
  push: async () => (await import("./client/jobs/push.ts")).definePush,
  jobs: async () => (await import("./client/jobs/jobs.ts")).defineJobs,
  job: async () => (await import("./client/jobs/job.ts")).defineJob,
  bulk: async () => (await import("./client/jobs/bulk.ts")).defineBulk,
  results: async () => (await import("./client/jobs/results.ts")).defineResults,
  inventory: async () => (await import("./client/inventory/inventory.ts")).defineInventory,
  evidence: async () => (await import("./client/rehearsal/evidence.ts")).defineEvidence,
  history: async () => (await import("./client/history/history.ts")).defineHistory,
  intent: async () => (await import("./client/intent/intent.ts")).defineIntent,
  drift: async () => (await import("./client/intent/drift.ts")).defineDrift,
  change: async () => (await import("./client/changes/change.ts")).defineChange,
  recipe: async () => (await import("./client/recipes/recipe.ts")).defineRecipe,
  template: async () => (await import("./client/recipes/template.ts")).defineTemplate,
  schedule: async () => (await import("./client/schedules/schedule.ts")).defineSchedule,
  webhook: async () => (await import("./client/webhooks/webhook.ts")).defineWebhook,
  "host-key": async () => (await import("./client/access/host-key.ts")).defineHostKey,
  workers: async () => (await import("./client/admin/workers.ts")).defineWorkers,
  audit: async () => (await import("./client/admin/audit.ts")).defineAudit,
  ledger: async () => (await import("./client/ledger/ledger.ts")).defineLedger,
  render: async () => (await import("./client/recipes/render.ts")).defineRender,
  mcp: async () => (await import("./client/mcp.ts")).defineMcp,
  parse: async () => (await import("./client/recipes/parse.ts")).defineParse,
  completion: async () => (await import("./completion/completion.ts")).defineCompletion,
  install: async () => (await import("./appliance/install.ts")).defineInstall,
  upgrade: async () => (await import("./appliance/upgrade.ts")).defineUpgrade,
  uninstall: async () => (await import("./appliance/uninstall.ts")).defineUninstall,
  manual: async () => (await import("./manual.ts")).defineManual,
  version: async () => (await import("./version.ts")).defineVersion,
  licenses: async () => (await import("./licenses.ts")).defineLicenses,
};
/** Need all commands loaded. */
const tellOfAll: ReadonlySet<string> = new Set(["completion", "manual"]);

/** Builds the whole command line without running anything. */
export function commandLine(program: Program): Promise<Command> {
  return lineOf(Object.keys(commands), program);
}

async function lineOf(names: readonly string[], program: Program): Promise<Command> {
  const root = new Command("patchbay")
    .description("Network device automation service: commands and configuration over an HTTP API.")
    .option("--config <file>", "TOML file with settings (default: patchbay.toml, if it exists)")
    .showHelpAfterError("(--help shows the usage)");
  for (const define of await Promise.all(names.map((name) => commands[name]?.()))) define?.(root, program);
  const [only] = names.length === 1 ? root.commands : [];
  // The one command that is run may have a version of something else.
  if (only?.options.some(({ long }) => long === "--version") !== true) root.version(version);
  return root;
}

/** @returns the command named first, after an optional settings file; else all commands. */
function namesIn(args: readonly string[]): readonly string[] {
  const rest = args[0] === "--config" ? args.slice(2) : args;
  const [name = ""] = rest;
  const isOne = Object.hasOwn(commands, name) && !tellOfAll.has(name);
  return isOne ? [name] : Object.keys(commands);
}

/** Runs one command; ends the process with 1 when it fails. */
export async function runCommand(args: string[], program: Program): Promise<void> {
  try {
    await (await lineOf(namesIn(args), program)).parseAsync(args, { from: "user" });
  } catch (error) {
    const ofFile = fileFailure(error);
    printWarning(ofFile ?? messageOf(error));
    if (!(error instanceof ServiceError) && error instanceof Error && ofFile === undefined)
      process.stderr.write(`${shown(error.stack ?? "")}\n`);
    // Threads that are already running would keep the process alive.
    process.exit(1);
  }
}
