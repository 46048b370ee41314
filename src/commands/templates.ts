/** `patchbay templates install`: puts a community set into the data directory, whole or not at all. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import {
  checkSet as checkTextFsm,
  chooseSetFiles as chooseTextFsm,
} from "../../plugins/templates/textfsm/install.ts";
import { checkSet as checkTtp, chooseSetFiles as chooseTtp } from "../../plugins/templates/ttp/install.ts";
import { ServiceError } from "../base/errors.ts";
import type { Config } from "../config.ts";
import { TemplateError } from "../plugin/template.ts";
import { libraryRoot } from "./settings.ts";

const sets = {
  textfsm: { chooseSetFiles: chooseTextFsm, checkSet: checkTextFsm },
  ttp: { chooseSetFiles: chooseTtp, checkSet: checkTtp },
} as const;
type SetName = keyof typeof sets;

interface TemplateSet {
  readonly name: SetName;
  readonly files: readonly { readonly from: string; readonly to: string }[];
}

export async function installTemplates(config: Config, source: string): Promise<void> {
  const unpacked = statOf(source).isFile() ? unpack(source) : undefined;
  try {
    const tree = unpacked ?? source;
    const set = findSet(tree);
    const target = join(libraryRoot(config), set.name);
    const fresh = copy(set, tree, `${target}.new`);
    demandSound(set, fresh);
    exchange(fresh, target);
    const count = set.files.filter(({ to }) => /\.(textfsm|txt)$/.test(to)).length;
    process.stdout.write(`Installed ${count} templates of ${set.name} in ${target}.\n`);
  } finally {
    if (unpacked) rmSync(unpacked, { recursive: true, force: true });
  }
}

function statOf(path: string) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new ServiceError("NotFound", `There is nothing at ${path}.`);
  return stat;
}

function unpack(archive: string): string {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-set-"));
  // tar leaves out `..` and leading slashes of names by itself.
  const done = spawnSync("tar", ["-xzf", archive, "-C", folder, "--no-same-owner"], { encoding: "utf8" });
  if (done.status === 0) return folder;
  rmSync(folder, { recursive: true, force: true });
  const why = done.stderr?.trim() || String(done.error);
  throw new ServiceError("BadRequest", `${archive} could not be unpacked: ${why}`);
}

/** Plain files only: a link of a stranger's archive could lead anywhere. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Each kind of set knows its own files. @throws ServiceError BadRequest with what each looked for. */
function findSet(tree: string): TemplateSet {
  const paths = filesOf(tree);
  const reasons: string[] = [];
  for (const name of Object.keys(sets) as SetName[]) {
    try {
      return { name, files: sets[name].chooseSetFiles(paths) };
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      reasons.push(`${name}: ${error.message}`);
    }
  }
  throw new ServiceError("BadRequest", `No template set was found in ${tree} (${reasons.join("; ")}).`);
}

function copy(set: TemplateSet, tree: string, target: string): string {
  rmSync(target, { recursive: true, force: true });
  for (const { from, to } of set.files) {
    mkdirSync(dirname(join(target, to)), { recursive: true });
    cpSync(join(tree, from), join(target, to));
  }
  return target;
}

/** Every template is compiled before anything is replaced. */
function demandSound(set: TemplateSet, folder: string): void {
  const { problems } = sets[set.name].checkSet({
    installed: true,
    list: () => filesOf(folder),
    read: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined),
  });
  if (problems.length === 0) return;
  rmSync(folder, { recursive: true, force: true });
  const shown = problems.slice(0, 10).map(({ path, message }) => `  ${path}: ${message}`);
  const title = `The set was not installed, ${problems.length} of its files do not work:`;
  throw new ServiceError("BadRequest", [title, ...shown].join("\n"));
}

/** A parse that runs meanwhile finds the old set or the new one. */
function exchange(fresh: string, target: string): void {
  const old = `${target}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}
