/** `patchbay uninstall`: removes the service. Data, settings and account are kept unless their removal is requested. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { dataDir, settingsFile, unitName, usualLayout } from "../../service/appliance/layout.ts";
import { plannedFiles } from "../../service/appliance/plan.ts";
import { print } from "../output.ts";
import { removeAccount } from "./account.ts";
import { remove } from "./files.ts";
import { hasSystemd, requireRoot, run } from "./system.ts";

interface UninstallOptions {
  readonly program: string;
  readonly unitDir: string;
  readonly root?: string;
  readonly purge?: boolean;
  readonly dryRun?: boolean;
}

export function defineUninstall(parent: Command): void {
  parent
    .command("uninstall")
    .description("stop and remove the installed service; keep data and settings")
    .option("--program <path>", "where the program is", usualLayout.program)
    .option("--unit-dir <folder>", "where the unit is", usualLayout.unitDir)
    .option("--root <folder>", "uninstall below a folder")
    .option("--purge", "also remove data, settings and account")
    .option("--dry-run", "print what would be removed")
    .action((options: UninstallOptions) => uninstall(options));
}

function uninstall(options: UninstallOptions): void {
  const layout = { program: resolve(options.program), unitDir: resolve(options.unitDir) };
  const files = plannedFiles(layout);
  const pathsToRemove = [
    ...files.filter(({ keep }) => keep !== true).map(({ path }) => path),
    layout.program,
    `${layout.program}.previous`,
    ...(options.purge === true ? [resolve(settingsFile, ".."), dataDir] : []),
  ];
  if (options.dryRun === true) {
    for (const path of pathsToRemove) print(`# remove ${path}`);
    return;
  }
  const root = options.root === undefined ? "/" : resolve(options.root);
  const onThisSystem = root === "/";
  if (onThisSystem) requireRoot("patchbay uninstall");
  const systemd = onThisSystem && hasSystemd();
  // Failure is fine: the unit may not exist.
  if (systemd) run("systemctl", ["disable", "--now", unitName]);
  for (const path of pathsToRemove) if (remove(root, path)) print(`removed  ${path}`);
  if (systemd) run("systemctl", ["daemon-reload"]);
  if (onThisSystem && options.purge === true) removeAccount();
  if (options.purge !== true)
    print(`Data stays in ${dataDir}, settings in ${resolve(settingsFile, "..")} (--purge removes both).`);
}
