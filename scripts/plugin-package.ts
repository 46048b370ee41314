/**
 * Builds dist/npm and its archive: the plugin contract and its test suites as a package for plugin authors' editors and
 * tests.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { emitTypes } from "./plugin-types.ts";

export async function buildPluginPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const own = JSON.parse(readFileSync("package.json", "utf8"));
  const result = await Bun.build({
    entrypoints: ["./src/plugin/index.ts", "./src/testkit/index.ts"],
    outdir: folder,
    root: "./src",
    target: "node",
    format: "esm",
    // Both entry points must share one copy of the contract's classes.
    splitting: true,
    external: ["valibot", "ssh2"],
  });
  if (!result.success) throw new AggregateError(result.logs, "the package was not built");
  for (const [path, text] of emitTypes(["src/plugin/index.ts", "src/testkit/index.ts"])) {
    const file = join(folder, "types", `${path}.d.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replace(/(from |import\()"(\.[^"]+)\.ts"/g, '$1"$2.js"'));
  }
  const manifest = {
    name: own.name,
    version: own.version,
    description: "The plugin contract of Patchbay and its test suites.",
    license: own.license,
    type: "module",
    engines: { node: ">=22" },
    exports: Object.fromEntries(
      ["plugin", "testkit"].map((name) => [
        `./${name}`,
        { types: `./types/${name}/index.d.ts`, default: `./${name}/index.js` },
      ]),
    ),
    dependencies: { ssh2: own.dependencies.ssh2, valibot: own.dependencies.valibot },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** A file, because `npm install` of a folder does not install the folder's dependencies. */
export function packPackage(folder: string, into: string): void {
  const made = Bun.spawnSync([process.execPath, "pm", "pack", "--quiet", "--destination", resolve(into)], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
  });
  if (made.exitCode !== 0) throw new Error(`${made.stdout}${made.stderr}`);
}

if (import.meta.main) {
  await buildPluginPackage("dist/npm");
  packPackage("dist/npm", "dist");
}
