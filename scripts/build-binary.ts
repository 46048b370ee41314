/**
 * Builds dist/patchbay: a single file with the service, its threads, templates, migrations and native libSQL.
 * The same sources produce the same bytes in any folder.
 * --target=<name> (or --all), --outfile=<path>, --as-version=<version> (for upgrade tests), --small;
 * --built=<path> makes what ships with a program that was built before.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { debianPackage } from "./build/debian.ts";
import { parts } from "./build/parts.ts";
import { ownTarget, runtimeOf, type Target, targetNames, targets } from "./build/targets.ts";

const option = (name: string) =>
  process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(`--${name}=`.length);

const outfile = option("outfile");
const wanted = process.argv.includes("--all") ? targetNames : [targetOf(option("target"))];
const built = option("built");
for (const target of wanted) {
  if (built === undefined) await build(target);
  else copyFileSync(built, pathOf(target));
}
if (outfile === undefined) {
  packages();
  writeSums();
}

/** Builds what ships with the programs: Debian packages, the man page, the Containerfile. */
function packages(): void {
  const runs = "dist/patchbay";
  const { version } = v.parse(
    v.object({ version: v.string() }),
    JSON.parse(readFileSync("package.json", "utf8")),
  );
  writeFileSync("dist/patchbay.1", Bun.spawnSync([runs, "manual"]).stdout);
  copyFileSync("scripts/build/Containerfile", "dist/Containerfile");
  for (const target of wanted) {
    const architecture = targets[target].debian;
    if (architecture === undefined) continue;
    const path = debianPackage({ program: pathOf(target), runs, architecture, version });
    console.log(path ?? "Skipping the Debian package: dpkg-deb is not installed.");
  }
}

function targetOf(name: string | undefined): Target {
  const found = name === undefined ? ownTarget() : targetNames.find((one) => one === name);
  if (found === undefined) throw new Error(`There is no target ${name}: ${targetNames.join(", ")}.`);
  return found;
}

function pathOf(target: Target): string {
  return target === ownTarget() ? "dist/patchbay" : `dist/patchbay-${target}`;
}

async function build(target: Target): Promise<void> {
  const path = outfile ?? pathOf(target);
  mkdirSync(dirname(path), { recursive: true });
  const runtime = runtimeOf(target);
  const { plugin, check, bytes } = await parts(target, option("as-version"));
  // The binary contains its file name, so it is always built under the same one.
  const folder = mkdtempSync(join(dirname(path), ".build-"));
  try {
    const result = await Bun.build({
      entrypoints: ["./src/main.ts", "./src/thread.ts"],
      target: "bun",
      format: "esm",
      minify: true,
      // The two entry points share most of their code.
      splitting: true,
      // Bytecode takes 14 MiB and saves half of the CPU time of every start, thread and template process;
      // `--small` omits it. It is also omitted for other targets, because it is untested there.
      bytecode: target === ownTarget() && !process.argv.includes("--small"),
      compile: {
        executablePath: runtime,
        outfile: join(folder, "patchbay"),
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadPackageJson: true,
      },
      plugins: [plugin],
    });
    if (!result.success) throw new AggregateError(result.logs, "the build failed");
    check();
    requireMachine(join(folder, "patchbay"), target);
    renameSync(join(folder, "patchbay"), path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  report(path, target, { runtime: statSync(runtime).size, ...bytes });
}

/** Checks that the executable is for the requested processor. */
function requireMachine(path: string, target: Target): void {
  const head = readFileSync(path).subarray(0, 20);
  const machine = head.readUInt16LE(18);
  if (head.toString("latin1", 0, 4) !== "\x7fELF" || machine !== targets[target].machine)
    throw new Error(`${path} is not a program for ${target} (machine ${machine})`);
}

function report(
  path: string,
  target: Target,
  bytes: { runtime: number; native: number; licences: number; pages: number },
): void {
  const size = statSync(path).size;
  const mib = (count: number) => `${(count / 1024 / 1024).toFixed(1)} MiB`;
  const rest = size - bytes.runtime - bytes.native - bytes.licences - bytes.pages;
  console.log(
    `${path}: ${mib(size)} (${(size / 1e6).toFixed(1)} MB) for ${target}: Bun ${mib(bytes.runtime)}, native libSQL ${mib(bytes.native)} (compressed), licences ${mib(bytes.licences)}, API reference page ${mib(bytes.pages)}, code, text and padding ${mib(rest)}`,
  );
}

/** Writes checksums for `sha256sum -c`. */
function writeSums(): void {
  const names = readdirSync("dist").filter((name) => /^patchbay(-linux-[a-z0-9-]+)?$|\.deb$/.test(name));
  const lines = names.sort().map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join("dist", name)))
        .digest("hex")}  ${basename(name)}`,
  );
  writeFileSync("dist/SHA256SUMS", `${lines.join("\n")}\n`);
}
