/**
 * Prints how large and how connected the code is, as JSON: files and lines, importers, how many files name a
 * field or a route, arrows and circles of the folders of src, schemas of the API description that say nothing.
 * `--commit <rev>` counts another commit, `--field` and `--route` another field and route.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { circles } from "./circles.ts";
import { isTest, readSources, type SourceFile } from "./source.ts";
import { emptySchemas } from "./unknowns.ts";

const { values } = parseArgs({
  options: {
    commit: { type: "string" },
    field: { type: "string", default: "retry_of" },
    route: { type: "string", default: "/statistics" },
  },
});
const folder = values.commit === undefined ? undefined : unpack(values.commit);
if (folder !== undefined) process.chdir(folder);
try {
  console.log(JSON.stringify(await count(), null, 2));
} finally {
  process.chdir("/");
  if (folder !== undefined) rmSync(folder, { recursive: true });
}

async function count() {
  const roots = ["src", "plugins", "scripts", "test"] as const;
  const sources = readSources(roots);
  const src = sources.filter(({ path }) => path.startsWith("src/"));
  return {
    commit: values.commit ?? "the working tree",
    sizes: Object.fromEntries(
      roots.map((root) => [root, sizesOf(sources.filter(({ path }) => rootOf(path) === root))]),
    ),
    importers: importersOf(src, sources),
    naming: {
      [values.field]: naming(sources, new RegExp(`\\b${escaped(values.field)}\\b`)),
      [values.route]: naming(sources, new RegExp(`["'\`]${escaped(values.route)}\\b`)),
    },
    rooms: roomsOf(src),
    openapi: await emptySchemas(),
  };
}

/** A checkout without a history, with the packages of this one. */
function unpack(commit: string): string {
  const made = mkdtempSync(join(tmpdir(), "patchbay-counts-"));
  const { status, stderr } = spawnSync(
    "bash",
    ["-c", 'set -o pipefail; git archive "$0" | tar -x -C "$1"', commit, made],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  symlinkSync(resolve("node_modules"), join(made, "node_modules"));
  return made;
}

function sizesOf(sources: readonly SourceFile[]) {
  const lines = sources.map(linesOf).sort((a, b) => a - b);
  const at = (share: number) => lines[Math.min(lines.length - 1, Math.floor(lines.length * share))] ?? 0;
  return {
    files: lines.length,
    lines: lines.reduce((sum, one) => sum + one, 0),
    median: at(0.5),
    p90: at(0.9),
    max: at(1),
  };
}

/** Files of src that one file of src or plugins imports. */
function importersOf(src: readonly SourceFile[], all: readonly SourceFile[]) {
  const importing = all.filter(({ path }) => /^(?:src|plugins)\//.test(path));
  const counts = new Map<string, number>();
  for (const file of importing.flatMap(({ files }) => [...new Set(files)]))
    counts.set(file, (counts.get(file) ?? 0) + 1);
  const one = src.filter(({ path }) => counts.get(path) === 1);
  return {
    with_one: one.length,
    under_60_lines: src.filter((source) => linesOf(source) < 60).length,
    both: one.filter((source) => linesOf(source) < 60).length,
  };
}

/** By tests and others, which are the files that a change of it may touch. */
function naming(sources: readonly SourceFile[], wanted: RegExp) {
  const found = sources.filter(({ text }) => wanted.test(text)).map(({ path }) => path);
  const ofProgram = found.filter((path) => ["src", "plugins"].includes(rootOf(path)));
  return { program: ofProgram.length, others: found.length - ofProgram.length, files: ofProgram };
}

/** A room is a folder of src; those of src/device count each. */
function roomsOf(src: readonly SourceFile[]) {
  const roomOf = (path: string) => /^src\/(device\/[^/]+|[^/]+)\//.exec(path)?.[1];
  const arrows = new Map<string, Set<string>>();
  for (const { path, files } of src) {
    const from = roomOf(path);
    if (from === undefined) continue;
    const targets = arrows.get(from) ?? new Set();
    for (const to of files.map(roomOf)) if (to !== undefined && to !== from) targets.add(to);
    arrows.set(from, targets);
  }
  const graph = new Map([...arrows].map(([from, to]) => [from, [...to]]));
  return {
    rooms: graph.size,
    arrows: [...graph.values()].reduce((sum, { length }) => sum + length, 0),
    circles: circles(graph),
  };
}

/** Tests beside an engine count as tests. */
function rootOf(path: string): string {
  return isTest(path) ? "test" : (path.split("/")[0] ?? path);
}

function linesOf({ text }: SourceFile): number {
  return text.split("\n").length - 1;
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w]/g, "\\$&");
}
