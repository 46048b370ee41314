/** `patchbay install`: installs this program as a system service. Running it again repairs the installation. */
import { chmodSync, chownSync, existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { identity } from "../../service/appliance/identity.ts";
import {
  account,
  dataDir,
  type Layout,
  settingsFile,
  unitName,
  usualLayout,
} from "../../service/appliance/layout.ts";
import { plannedFiles } from "../../service/appliance/plan.ts";
import { print } from "../output.ts";
import { type Account, findAccount, makeAccount } from "./account.ts";
import { placeFile, placeProgram } from "./files.ts";
import { hasSystemd, mustRun, requireRoot } from "./system.ts";

interface InstallOptions {
  readonly program: string;
  readonly unitDir: string;
  readonly from?: string;
  readonly root?: string;
  readonly dryRun?: boolean;
  readonly start: boolean;
}

export function defineInstall(parent: Command): void {
  parent
    .command("install")
    .description("install this program as a system service: account, data directory, settings, systemd unit")
    .option("--program <path>", "where to put the program", usualLayout.program)
    .option("--unit-dir <folder>", "where to put the unit", usualLayout.unitDir)
    .option("--from <file>", "the program to install (default: this one)")
    .option("--root <folder>", "install below a folder, for packages: no account, nothing started")
    .option("--no-start", "do not start it")
    .option("--dry-run", "print what would be done, with the files")
    .action((options: InstallOptions) => install(options));
}

function install(options: InstallOptions): void {
  const layout: Layout = { program: resolve(options.program), unitDir: resolve(options.unitDir) };
  const from = programOf(options.from);
  if (options.dryRun === true) show(options, layout, from);
  else carryOut(options, layout, from);
}

function carryOut(options: InstallOptions, layout: Layout, from: string): void {
  const root = options.root === undefined ? "/" : resolve(options.root);
  const onThisSystem = root === "/";
  if (onThisSystem) requireRoot("patchbay install");
  const owner = findAccount(root) ?? (onThisSystem ? makeAccount() : undefined);
  print(`${placeProgram(root, from, layout.program).padEnd(9)}  ${layout.program}`);
  for (const file of plannedFiles(layout))
    print(`${placeFile(root, file, owner?.gid).padEnd(9)}  ${file.path}`);
  makeDataDir(root, owner);
  if (onThisSystem) start(options, layout);
}

/** The compiled binary to install. Running from source there is none. */
function programOf(from: string | undefined): string {
  if (from !== undefined && existsSync(from)) return resolve(from);
  if (from !== undefined) throw new ServiceError("NotFound", `There is no program at ${from}.`);
  if (identity().compiled) return process.execPath;
  throw new ServiceError(
    "BadRequest",
    "This runs from source: build the program (bun run build) and run its install command, or use --from.",
  );
}

function makeDataDir(root: string, owner: Account | undefined): void {
  const path = join(root, dataDir);
  const exists = existsSync(path);
  mkdirSync(path, { recursive: true });
  if (!exists) {
    chmodSync(path, 0o700);
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  }
  print(`${exists ? "kept     " : "made     "}  ${dataDir}`);
}

function start({ start }: InstallOptions, { program }: Layout): void {
  const keyCommand = `${program} key add admin --scope admin --data-dir ${dataDir}`;
  if (!hasSystemd()) {
    print("systemd is not running here: start the service by other means, as the account patchbay:");
    print(`  ${program} serve --config ${settingsFile} --data-dir ${dataDir}`);
  } else {
    mustRun("systemctl", "daemon-reload");
    mustRun("systemctl", "enable", unitName);
    // If the service is already running, the restart picks up the new program.
    if (start) mustRun("systemctl", "restart", unitName);
    print(start ? "The service runs: systemctl status patchbay" : `Start it: systemctl start ${unitName}`);
  }
  print(`Settings are in ${settingsFile}. Create an API key, which is shown once: ${keyCommand}`);
}

function show({ root, start }: InstallOptions, layout: Layout, from: string): void {
  const steps = [
    ...(root === undefined ? [`account ${account}: a system account without a shell, home ${dataDir}`] : []),
    `file ${layout.program} (0755): copied from ${from}`,
    `folder ${dataDir} (0700, ${account})`,
  ];
  for (const step of steps) print(`# ${step}`);
  for (const { path, mode, keep, content } of plannedFiles(layout)) {
    print(`# file ${path} (0${mode.toString(8)}${keep === true ? ", kept if it exists" : ""}):`);
    print(content);
  }
  if (root === undefined)
    print(
      `# systemctl daemon-reload; systemctl enable ${unitName}${start ? `; systemctl restart ${unitName}` : ""}`,
    );
}
