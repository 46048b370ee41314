/**
 * Generates src/commands/plugin/types.txt: the types of the contract in one file, which the binary prints.
 * `--check` compares.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import process from "node:process";

const target = "src/commands/plugin/types.txt";

/** Path below src without extension (of a plugin's file: `../plugins/…`) -> its declarations. */
export function emitTypes(entries: readonly string[] = ["src/plugin/index.ts"]): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "plugin-types-"));
  try {
    const config = join(folder, "tsconfig.json");
    const own = JSON.parse(readFileSync("tsconfig.json", "utf8"));
    const compilerOptions = {
      ...own.compilerOptions,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      rootDir: process.cwd(),
      outDir: join(folder, "out"),
      typeRoots: [join(process.cwd(), "node_modules")],
    };
    const files = entries.map((entry) => join(process.cwd(), entry));
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    const done = Bun.spawnSync(["node_modules/.bin/tsc", "-p", config], { stdout: "pipe", stderr: "pipe" });
    if (done.exitCode !== 0) throw new Error(`${done.stdout}${done.stderr}`);
    const found = readdirSync(join(folder, "out"), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".d.ts"))
      .sort();
    return new Map(
      found.map((name) => [
        fromSource(name.replaceAll("\\", "/").slice(0, -".d.ts".length)),
        readFileSync(join(folder, "out", name), "utf8"),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A simulated server of the testkit uses the messages of its driver. */
const fromSource = (path: string) => (path.startsWith("src/") ? path.slice("src/".length) : `../${path}`);

const references = /(?:from |import\()"(\.[^"]+)\.ts"/g;
const entry = "plugin/index";

/** Files that the types of the contract need: others are emitted because the code of one imports them. */
function reachable(files: Map<string, string>): Map<string, string> {
  const kept = new Set<string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (kept.has(path)) continue;
    kept.add(path);
    for (const [, to = ""] of files.get(path)?.matchAll(references) ?? [])
      open.push(normalize(join(dirname(path), to)).replaceAll("\\", "/"));
  }
  return new Map([...files].filter(([path]) => kept.has(path)));
}

/** Declares each file as its own module, so that names of different files do not clash. */
function bundled(files: Map<string, string>): string {
  const named = (path: string) => (path === entry ? "patchbay/plugin" : `patchbay/plugin/types/${path}`);
  const modules = [...files].map(([path, text]) => {
    const body = text
      .replace(/(from |import\()"(\.[^"]+)\.ts"/g, (_all, before: string, to: string) => {
        const other = normalize(join(dirname(path), to)).replaceAll("\\", "/");
        return `${before}"${named(other)}"`;
      })
      .replace(/^(export )?declare /gm, "$1")
      .trimEnd();
    return `declare module "${named(path)}" {\n${body.replace(/^(?=.)/gm, "  ")}\n}\n`;
  });
  return `// The plugin contract of Patchbay: \`import { … } from "patchbay/plugin"\`. Put this file beside your plugin.\n${modules.join("\n")}`;
}

if (import.meta.main) {
  const text = bundled(reachable(emitTypes()));
  if (!process.argv.includes("--check")) writeFileSync(target, text);
  else if (readFileSync(target, "utf8") !== text) {
    console.error(`${target} is not up to date: run \`node scripts/run.mjs scripts/plugin-types.ts\`.`);
    process.exit(1);
  }
}
