/** Builds dist/patchbay: one file with the service, its threads, templates, migrations and native libSQL inside. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import type { BunPlugin } from "bun";
import { bundleConsole, type ConsoleFile } from "../src/runtime/bundle.ts";

const targets = {
  "linux-x64": { bun: "bun-linux-x64", libsql: "linux-x64-gnu" },
  "linux-arm64": { bun: "bun-linux-arm64", libsql: "linux-arm64-gnu" },
} as const;
type Target = keyof typeof targets;

const wanted = process.argv.includes("--arm64") ? "linux-arm64" : "linux-x64";
await build(wanted);

async function build(target: Target): Promise<void> {
  const { bun, libsql } = targets[target];
  fetchNative(libsql);
  const named = process.argv.find((arg) => arg.startsWith("--outfile="))?.slice("--outfile=".length);
  const outfile = named ?? (target === "linux-x64" ? "dist/patchbay" : `dist/patchbay-${target}`);
  mkdirSync("dist", { recursive: true });
  const replaced = new Set<string>();
  const result = await Bun.build({
    entrypoints: ["./src/main.ts", "./src/thread.ts"],
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    compile: {
      target: bun,
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadPackageJson: true,
    },
    plugins: [nativeParts(libsql, replaced)],
  });
  if (!result.success) throw new AggregateError(result.logs, "the build failed");
  const expected = ["libsql", "native-file", "page-paths", "console-files", "crypto", "constants"];
  const missing = expected.filter((name) => !replaced.has(name));
  // A new version of a dependency may look different: better no binary than one that dies elsewhere.
  if (missing.length > 0)
    throw new Error(`nothing was replaced in ${missing.join(", ")}: the dependency has changed`);
  console.log(`${outfile}: ${(statSync(outfile).size / 1024 / 1024).toFixed(1)} MiB for ${target}`);
}

/** The console's files as a module, packed. */
function consoleModule(files: readonly ConsoleFile[]): string {
  const texts = files.map(({ path, type, packed }) => ({
    path,
    type,
    packed: Buffer.from(packed).toString("base64"),
  }));
  return `import { gunzipSync } from "node:zlib";
const files = ${JSON.stringify(texts)};
export const consoleFiles = async () =>
  files.map(({ path, type, packed: text }) => {
    const packed = new Uint8Array(Buffer.from(text, "base64"));
    return { path, type, packed, bytes: new Uint8Array(gunzipSync(packed)) };
  });
`;
}

/** libSQL requires its native part by a computed name; ssh2 tries native parts that Bun can not load. */
function nativeParts(libsql: string, replaced: Set<string>): BunPlugin {
  const swap = (path: string, name: string, changes: [string, string][]) => {
    let text = readFileSync(path, "utf8");
    for (const [from, to] of changes) {
      if (!text.includes(from)) throw new Error(`${path} does not hold ${from}`);
      text = text.replace(from, to);
    }
    replaced.add(name);
    return { loader: "js" as const, contents: text };
  };
  return {
    name: "native-parts",
    setup(builder) {
      builder.onLoad({ filter: /node_modules\/libsql\/index\.js$/ }, ({ path }) =>
        swap(path, "libsql", [
          [
            "return require(`@libsql/${target}`)",
            `const embedded = () => require("@libsql/${libsql}");
  return (globalThis[Symbol.for("patchbay.libsql")] ?? ((load) => load()))(embedded)`,
          ],
        ]),
      );
      // The same file once more, as bytes that src/runtime/native.ts unpacks.
      builder.onLoad({ filter: /src\/runtime\/native-file\.ts$/ }, () => {
        replaced.add("native-file");
        const path = resolve("node_modules", "@libsql", libsql, "index.node");
        const contents = `import file from ${JSON.stringify(path)} with { type: "file" };\nexport const nativeFile = file;`;
        return { loader: "js" as const, contents };
      });
      builder.onLoad({ filter: /src\/runtime\/page-paths\.ts$/ }, () => {
        replaced.add("page-paths");
        return { loader: "js" as const, contents: packedPage() };
      });
      builder.onLoad({ filter: /src\/runtime\/console-files\.ts$/ }, async () => {
        replaced.add("console-files");
        return { loader: "js" as const, contents: consoleModule(await bundleConsole()) };
      });
      builder.onLoad({ filter: /ssh2\/lib\/protocol\/crypto\.js$/ }, ({ path }) =>
        swap(path, "crypto", [["binding = require('./crypto/build/Release/sshcrypto.node');", "throw 0;"]]),
      );
      builder.onLoad({ filter: /ssh2\/lib\/protocol\/constants\.js$/ }, ({ path }) =>
        swap(path, "constants", [["cpuInfo = require('cpu-features')();", ""]]),
      );
    },
  };
}

/** Files of the page that shows the API, packed as they are sent; the code that names them. */
function packedPage(): string {
  const names = { script: "swagger-ui-bundle.js", style: "swagger-ui.css" };
  const files = Object.entries(names).map(([name, file]) => {
    const path = resolve("dist", `${file}.gz`);
    writeFileSync(path, gzipSync(readFileSync(join("node_modules", "swagger-ui-dist", file)), { level: 9 }));
    return `import ${name} from ${JSON.stringify(path)} with { type: "file" };\n`;
  });
  return `${files.join("")}export const pagePaths = { packed: true, script, style };`;
}

/** The native part for another processor is not installed by npm: it is packed and unpacked by hand. */
function fetchNative(libsql: string): void {
  const folder = join("node_modules", "@libsql", libsql);
  if (existsSync(folder)) return;
  const version: unknown = JSON.parse(readFileSync("node_modules/libsql/package.json", "utf8")).version;
  run(["npm", "pack", "--silent", `@libsql/${libsql}@${version}`, "--pack-destination", "dist"]);
  mkdirSync(folder, { recursive: true });
  const archive = `dist/libsql-${libsql}-${version}.tgz`;
  run(["tar", "-xzf", archive, "-C", folder, "--strip-components=1"]);
  rmSync(archive);
}

function run(command: string[]): void {
  const done = Bun.spawnSync(command, { stdout: "ignore", stderr: "inherit" });
  if (done.exitCode !== 0) throw new Error(`${command.join(" ")} failed`);
}
