/** Build targets, and the source of native parts for other machines: the npm registry. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import * as v from "valibot";

export const targets = {
  "linux-x64": { bun: "bun-linux-x64", libsql: "linux-x64-gnu", machine: 62, debian: "amd64" },
  "linux-arm64": { bun: "bun-linux-aarch64", libsql: "linux-arm64-gnu", machine: 183, debian: "arm64" },
  "linux-x64-musl": { bun: "bun-linux-x64-musl", libsql: "linux-x64-musl", machine: 62, debian: undefined },
  "linux-arm64-musl": {
    bun: "bun-linux-aarch64-musl",
    libsql: "linux-arm64-musl",
    machine: 183,
    debian: undefined,
  },
} as const;
export type Target = keyof typeof targets;
export const targetNames = Object.keys(targets) as Target[];

const cache = "node_modules/.cache/patchbay-build";

/** The target of this machine, on which the tests and the build run. */
export function ownTarget(): Target {
  const found = targetNames.find((name) => name === `linux-${process.arch}`);
  if (process.platform !== "linux" || found === undefined)
    throw new Error(`There is no target for ${process.platform}-${process.arch}: ${targetNames.join(", ")}.`);
  return found;
}

/** The runtime that the program is appended to. */
export function runtimeOf(target: Target): string {
  if (target === ownTarget() && !process.execPath.includes("musl")) return process.execPath;
  return join(packageOf(`@oven/${targets[target].bun}`, versionOf("bun")), "bin", "bun");
}

/** The native module of libSQL. */
export function nativeOf(target: Target): string {
  return join(packageOf(`@libsql/${targets[target].libsql}`, versionOf("libsql")), "index.node");
}

/** A folder below `node_modules/.cache` that builds share; files in it are written atomically. */
export function cached(name: string, make: () => Uint8Array | Promise<Uint8Array>): Promise<string> {
  return makeOnce(join(cache, name), make);
}

async function makeOnce(path: string, make: () => Uint8Array | Promise<Uint8Array>): Promise<string> {
  if (!existsSync(path)) {
    mkdirSync(cache, { recursive: true });
    const fresh = `${path}.${process.pid}`;
    await Bun.write(fresh, await make());
    renameSync(fresh, path);
  }
  return path;
}

function versionOf(name: string): string {
  const text = readFileSync(join("node_modules", name, "package.json"), "utf8");
  return v.parse(v.object({ version: v.string() }), JSON.parse(text)).version;
}

/**
 * npm does not install packages for another processor or C library, so this packs and unpacks them; npm
 * verifies them.
 */
function packageOf(name: string, version: string): string {
  const installed = join("node_modules", name);
  if (existsSync(join(installed, "package.json"))) return installed;
  const folder = join(cache, `${name.replace("/", "-").replace("@", "")}-${version}`);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  run(["npm", "pack", "--silent", `${name}@${version}`, "--pack-destination", fresh]);
  const archive = join(fresh, `${name.replace("/", "-").replace("@", "")}-${version}.tgz`);
  run(["tar", "-xzf", archive, "-C", fresh, "--strip-components=1"]);
  rmSync(archive);
  renameSync(fresh, folder);
  return folder;
}

export function run(command: string[]): void {
  const done = Bun.spawnSync(command, { stdout: "ignore", stderr: "inherit" });
  if (done.exitCode !== 0) throw new Error(`${command.join(" ")} failed`);
}
