/** Builds dist/npm: the contract as a package that authors install, for their editors and their own tests. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { emitTypes } from "./plugin-types.ts";

export async function buildPluginPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const own = JSON.parse(readFileSync("package.json", "utf8"));
  const result = await Bun.build({
    entrypoints: ["./src/plugin/index.ts"],
    outdir: folder,
    target: "node",
    format: "esm",
    external: ["valibot"],
    naming: "plugin.js",
  });
  if (!result.success) throw new AggregateError(result.logs, "the package was not built");
  for (const [path, text] of emitTypes()) {
    const file = join(folder, "types", `${path}.d.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replace(/(from |import\()"(\.[^"]+)\.ts"/g, '$1"$2.js"'));
  }
  const manifest = {
    name: own.name,
    version: own.version,
    description: "The plugin contract of Patchbay.",
    license: own.license,
    type: "module",
    exports: { "./plugin": { types: "./types/plugin/index.d.ts", default: "./plugin.js" } },
    dependencies: { valibot: own.dependencies.valibot },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (import.meta.main) await buildPluginPackage("dist/npm");
