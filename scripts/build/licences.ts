/** Collects the licences of everything in the program: from the packages, and Bun's own list of its parts. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { nativeOf, type Target } from "./targets.ts";

const manifestSchema = v.object({
  name: v.string(),
  version: v.string(),
  license: v.optional(v.string(), "not stated"),
  dependencies: v.optional(v.record(v.string(), v.string()), {}),
});
type Manifest = v.InferOutput<typeof manifestSchema>;

const line = "=".repeat(78);

export function licences(target: Target): string {
  const own = read(".");
  const packages = closure(Object.keys(own.dependencies))
    // Build tools of a dependency; nothing of them is bundled.
    .map((folder) => ({ folder, ...read(folder) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const native = join(nativeOf(target), "..");
  return [
    section("Patchbay", own.version, own.license, readFileSync("LICENSE", "utf8")),
    readFileSync("scripts/build/bun-licences.txt", "utf8").trim(),
    ...packages.map(({ folder, name, version, license }) =>
      section(name, version, license, textOf(folder) ?? "The package comes without a text of its licence."),
    ),
    section(
      `${read(native).name} (native part of libSQL)`,
      read(native).version,
      read(native).license,
      nativeNote,
    ),
  ].join(`\n\n${line}\n`);
}

const nativeNote = `Built by its project from libSQL (MIT), SQLite (public domain) and crates of Rust; it comes without their texts.
https://github.com/tursodatabase/libsql, https://github.com/tursodatabase/libsql-js`;

function section(name: string, version: string, license: string, text: string): string {
  return `${name} ${version}: ${license}\n\n${text.trim()}`;
}

/** The installed packages with their transitive dependencies. */
function closure(names: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (name: string, from: string): void => {
    const folder = [join(from, "node_modules", name), join("node_modules", name)].find((path) =>
      existsSync(join(path, "package.json")),
    );
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    for (const next of Object.keys(read(folder).dependencies)) visit(next, folder);
  };
  for (const name of names) visit(name, ".");
  return [...found];
}

function read(folder: string): Manifest {
  return v.parse(manifestSchema, JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
}

function textOf(folder: string): string | undefined {
  const name = readdirSync(folder)
    .sort()
    .find((entry) => /^(licen[cs]e|copying)(\.(md|txt|mit|apache))?$/i.test(entry));
  return name === undefined ? undefined : readFileSync(join(folder, name), "utf8");
}
