/**
 * Checks the packages of the template engines: what they import, and who imports which of their files. A package is
 * usable by itself, so only its plugin.ts knows the service; its package.json says what it needs and what its doors
 * are.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { isTest, type SourceFile } from "./source.ts";

const home = "plugins/templates";
const manifest = v.object({
  name: v.string(),
  exports: v.record(v.string(), v.string()),
  dependencies: v.record(v.string(), v.string()),
});

export interface EnginePackage {
  readonly name: string;
  readonly folder: string;
  /** Files that others may import. */
  readonly doors: readonly string[];
  readonly dependencies: readonly string[];
}

export function readPackages(): EnginePackage[] {
  return readdirSync(home)
    .map((name) => join(home, name))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => {
      const { name, exports, dependencies } = v.parse(
        manifest,
        JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
      );
      const doors = Object.values(exports).map((door) => join(folder, door));
      return { name, folder, doors, dependencies: Object.keys(dependencies) };
    });
}

export function packageFaults(sources: readonly SourceFile[], packages = readPackages()): string[] {
  const packageOf = (path: string) => packages.find(({ folder }) => path.startsWith(`${folder}/`));
  return [
    ...sources.flatMap((source) => {
      const own = packageOf(source.path);
      return [
        ...source.files.flatMap((target) => doorFault(source.path, own, target, packageOf(target))),
        ...(own === undefined || isTest(source.path) ? [] : needsFaults(source, own, packageOf)),
      ];
    }),
    ...packages.flatMap((own) => unusedFaults(own, sources, packageOf)),
    ...packages.flatMap(incompleteFaults),
  ];
}

/** A manifest loads nothing of its engine; tests may use the helpers of other tests. */
function doorFault(
  path: string,
  own: EnginePackage | undefined,
  target: string,
  other: EnginePackage | undefined,
): string[] {
  if (other === undefined || other === own || other.doors.includes(target)) return [];
  if (own === undefined && target === join(other.folder, "plugin.ts")) return [];
  if (isTest(target) && !path.startsWith("src/") && !(path.startsWith("plugins/") && !isTest(path)))
    return [];
  return [`${path}: ${target} is not a door of ${other.name}: import ${other.doors.join(" or ")}`];
}

/** What a package imports beside its own files: doors and libraries that its package.json names. */
function needsFaults(
  { path, files, names, packages }: SourceFile,
  own: EnginePackage,
  packageOf: (path: string) => EnginePackage | undefined,
): string[] {
  const needs = [
    ...packages,
    ...files
      .map(packageOf)
      .filter((other) => other !== undefined && other !== own)
      .map((other) => other?.name ?? ""),
  ];
  const missing = needs.filter((name) => !own.dependencies.includes(name));
  const service =
    path === join(own.folder, "plugin.ts") ? [] : [...names, ...files.filter(isOutside(packageOf))];
  return [
    ...missing.map((name) => `${path}: ${name} is not in ${own.folder}/package.json`),
    ...service.map((name) => `${path}: ${name} is not part of the packages: only plugin.ts may import it`),
  ];
}

const isOutside = (packageOf: (path: string) => EnginePackage | undefined) => (target: string) =>
  packageOf(target) === undefined;

function unusedFaults(
  own: EnginePackage,
  sources: readonly SourceFile[],
  packageOf: (path: string) => EnginePackage | undefined,
): string[] {
  const ours = sources.filter(({ path }) => packageOf(path) === own && !isTest(path));
  const used = new Set(
    ours.flatMap(({ packages, files }) => [...packages, ...files.map((file) => packageOf(file)?.name ?? "")]),
  );
  return own.dependencies
    .filter((name) => !used.has(name))
    .map((name) => `${own.folder}/package.json: nothing imports ${name}: take it off the list`);
}

function incompleteFaults({ folder }: EnginePackage): string[] {
  return ["README.md", "index.ts", "test"]
    .filter((name) => !existsSync(join(folder, name)))
    .map((name) => `${folder}: ${name} is missing`);
}
