/** `patchbay templates install`: installs a community template set atomically. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { filesIn } from "../../base/files/file-below.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { type SetInstaller, type TemplateEnginePlugin, TemplateError } from "../../plugin/template-engine.ts";
import { loadStore } from "../../service/load.ts";
import type { Program } from "../../service/program.ts";
import { libraryRoot } from "../../service/settings.ts";
import { configOf, withSettings } from "../options.ts";
import { print } from "../output.ts";

interface FoundSet {
  /** The engine of the set. */
  readonly name: string;
  readonly installer: SetInstaller;
  readonly files: readonly { readonly from: string; readonly to: string }[];
}

export function defineInstall(templates: Command, program: Program): void {
  const command = templates
    .command("install <source>")
    .description("install a community set: a folder or .tar.gz of ntc-templates or ttp_templates");
  withSettings(command, ["data_dir"]).action((source: string, _options, command: Command) =>
    installTemplates(configOf(command), source, program),
  );
}

async function installTemplates(config: Config, source: string, program: Program): Promise<void> {
  const { requireWritable } = await loadStore(config.values.data_dir);
  // Created with the same mode as at the first start: owner only.
  requireWritable(config.values.data_dir);
  const unpacked = statOf(source).isFile() ? unpack(source) : undefined;
  try {
    const tree = unpacked ?? source;
    const set = await findSet(tree, await setsOf(config, program));
    const target = join(libraryRoot(config), set.name);
    const fresh = copy(set, tree, `${target}.new`);
    const count = await requireSound(set, fresh);
    exchange(fresh, target);
    print(`Installed ${count} templates of ${set.name} in ${target}.`);
  } finally {
    if (unpacked) rmSync(unpacked, { recursive: true, force: true });
  }
}

function statOf(path: string) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new ServiceError("NotFound", `${path} does not exist.`);
  return stat;
}

function unpack(archive: string): string {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-set-"));
  // tar itself drops `..` and leading slashes.
  const result = spawnSync("tar", ["-xzf", archive, "-C", folder, "--no-same-owner"], { encoding: "utf8" });
  if (result.status === 0) return folder;
  rmSync(folder, { recursive: true, force: true });
  const why = result.stderr?.trim() || String(result.error);
  throw new ServiceError("BadRequest", `${archive} could not be unpacked: ${why}`);
}

/** Regular files only: links in the archive could point anywhere. */
function filesOf(folder: string): string[] {
  return filesIn(folder)
    .map((path) => relative(folder, path))
    .sort();
}

async function setsOf(config: Config, program: Program): Promise<TemplateEnginePlugin[]> {
  const { configuredPlugins } = await import("../../service/plugins/plugins.ts");
  const registry = await configuredPlugins(config, silentLog, program);
  return registry.list("template").filter(({ set }) => set !== undefined);
}

/** Asks each engine for its files. @throws ServiceError BadRequest with what each engine looked for. */
async function findSet(tree: string, engines: readonly TemplateEnginePlugin[]): Promise<FoundSet> {
  const paths = filesOf(tree);
  const reasons: string[] = [];
  for (const { name, set } of engines) {
    const installer = await set?.install();
    if (!installer) continue;
    try {
      return { name, installer, files: installer.chooseSetFiles(paths) };
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      reasons.push(`${name}: ${error.message}`);
    }
  }
  throw new ServiceError("BadRequest", `No template set was found in ${tree} (${reasons.join("; ")}).`);
}

function copy(set: FoundSet, tree: string, target: string): string {
  rmSync(target, { recursive: true, force: true });
  for (const { from, to } of set.files) {
    mkdirSync(dirname(join(target, to)), { recursive: true });
    cpSync(join(tree, from), join(target, to));
  }
  return target;
}

/** Compiles every template before anything is replaced. @returns their number */
async function requireSound(set: FoundSet, folder: string): Promise<number> {
  const { problems, templates } = await set.installer.checkSet({
    installed: true,
    list: () => filesOf(folder),
    read: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined),
  });
  if (problems.length === 0) return templates;
  rmSync(folder, { recursive: true, force: true });
  const problemLines = problems.slice(0, 10).map(({ path, message }) => `  ${path}: ${message}`);
  const more =
    problems.length > problemLines.length ? [`  … and ${problems.length - problemLines.length} more`] : [];
  const title = `The set was not installed: ${problems.length} of its files do not work:`;
  throw new ServiceError("BadRequest", [title, ...problemLines, ...more].join("\n"));
}

/** Swaps the folders, so that concurrent parses see the old or the new set. */
function exchange(fresh: string, target: string): void {
  const old = `${target}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}
