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
import { dirname, join } from "node:path";
import process from "node:process";
import { checkSet } from "../../plugins/templates/textfsm/install.ts";
import { ServiceError } from "../base/errors.ts";
import type { Config } from "../config.ts";
import { libraryRoot } from "./settings.ts";

interface TemplateSet {
  /** Name of the engine whose library it is. */
  readonly name: "textfsm" | "ttp";
  readonly folder: string;
  readonly files: number;
}

export async function installTemplates(config: Config, source: string): Promise<void> {
  const unpacked = statOf(source)?.isFile() ? unpack(source) : undefined;
  try {
    const set = findSet(unpacked ?? source);
    if (!set) {
      const looked =
        "a folder with `index` and *.textfsm files (ntc-templates) or with `platform`, `misc` and `get` (ttp_templates)";
      throw new ServiceError("BadRequest", `No template set was found in ${source}: looked for ${looked}.`);
    }
    if (set.name === "textfsm") demandSound(set.folder);
    place(set, join(libraryRoot(config), set.name));
    process.stdout.write(
      `Installed ${set.files} templates of ${set.name} in ${join(libraryRoot(config), set.name)}.\n`,
    );
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
  throw new ServiceError(
    "BadRequest",
    `${archive} could not be unpacked: ${done.stderr?.trim() || String(done.error)}`,
  );
}

/** The set may lie some folders deep, as in a repository or its archive. */
function findSet(folder: string, depth = 0): TemplateSet | undefined {
  const entries = readdirSync(folder, { withFileTypes: true });
  const names = new Set(entries.map((entry) => entry.name));
  const textfsm = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".textfsm"));
  if (names.has("index") && textfsm.length > 0) return { name: "textfsm", folder, files: textfsm.length };
  if (["platform", "misc", "get"].every((name) => names.has(name))) {
    const all = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".txt"));
    return { name: "ttp", folder, files: all.length };
  }
  if (depth === 4) return undefined;
  for (const entry of entries) {
    if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
    const found = findSet(join(folder, entry.name), depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** Every template and every entry of the index is compiled before anything is replaced. */
function demandSound(folder: string): void {
  const { problems } = checkSet({
    installed: true,
    list: () => readdirSync(folder),
    read: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined),
  });
  if (problems.length === 0) return;
  const shown = problems.slice(0, 10).map(({ path, message }) => `  ${path}: ${message}`);
  throw new ServiceError(
    "BadRequest",
    `The set was not installed, ${problems.length} of its files do not work:\n${shown.join("\n")}`,
  );
}

/** Copied beside, then exchanged: a parse that runs meanwhile finds the old set or the new one. */
function place(set: TemplateSet, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  const fresh = `${target}.new`;
  const old = `${target}.old`;
  for (const left of [fresh, old]) rmSync(left, { recursive: true, force: true });
  cpSync(set.folder, fresh, {
    recursive: true,
    dereference: false,
    filter: (path) => !path.includes("/.") && !path.includes("__pycache__"),
  });
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}
