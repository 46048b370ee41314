/** The source files as the rules see them: code without comments, and imports. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rooms } from "./rules.ts";

export interface SourceFile {
  /** Relative to the repository: `src/device/cli/prompt/prompt.ts`. */
  readonly path: string;
  readonly text: string;
  /** Repository files that it imports by path, including types. */
  readonly files: readonly string[];
  /** Repository modules that it imports by name: `patchbay/plugin`. */
  readonly names: readonly string[];
  /** Packages that it imports. */
  readonly packages: readonly string[];
}

/** Repository modules that are imported by name. */
export const byName: Readonly<Record<string, string>> = {
  "patchbay/plugin": "src/plugin/index.ts",
  "patchbay/testkit": "src/testkit/index.ts",
};

const importing =
  /(?:^|[\s;}])(?:import|export)\s[^"'`;]*?from\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']|\brequire\.resolve\(["']([^"']+)["']\)/g;

export function readSources(roots: readonly string[]): SourceFile[] {
  return roots.flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => readSource(join(entry.parentPath, entry.name)))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  );
}

/** Tests, also those of a package beside its source. */
export const isTest = (path: string): boolean => /^(?:test|plugins\/templates\/[\w-]+\/test)\//.test(path);

/** What the program is made of. */
export const readProgram = (): SourceFile[] =>
  readSources(["src", "plugins", "migrations"]).filter(({ path }) => !isTest(path));

function readSource(path: string): SourceFile {
  const text = readFileSync(path, "utf8");
  const files: string[] = [];
  const names: string[] = [];
  const packages: string[] = [];
  for (const match of text.matchAll(importing)) {
    const specifier = match[1] ?? match[2] ?? match[3] ?? match[4] ?? "";
    if (specifier in byName) names.push(specifier);
    else if (specifier.startsWith(".")) files.push(relative(".", join(dirname(path), specifier)));
    else if (!specifier.startsWith("node:")) packages.push(packageOf(specifier));
  }
  return { path, text, files, names, packages };
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "$1");
}

/** The path as used in the rules: `src/device/cli/prompt/prompt.ts` is `device/cli/prompt.ts`, one in `plugins` stays. */
export function placeOf(path: string): string {
  return path.startsWith("src/") ? path.slice("src/".length) : path;
}

/**
 * `jobs/port.ts` -> `jobs`, `device/cli/prompt.ts` -> `device/cli`; a file at the root of src is its own room:
 * `main.ts` -> `main`.
 */
export function roomOf(path: string): string {
  const [first = path, second] = placeOf(path).split("/");
  const nested = `${first}/${second}`;
  return nested in rooms ? nested : first.replace(/\.tsx?$/, "");
}

/** Whether a place in the rules (a file or folder) contains this file. */
export function holds(place: string, path: string): boolean {
  const at = placeOf(path);
  return at === place || at.startsWith(`${place}/`) || roomOf(path) === place;
}
