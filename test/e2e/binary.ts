/** The compiled binary, built once for a whole run, by the first test file that needs it. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { vi } from "vitest";
import { binaryFolderVariable } from "./binary-folder.ts";

/** Far behind what a build takes while others keep the machine busy. */
const buildMs = 200_000;
let built: Promise<string> | undefined;

/** Path of the binary; it lies in a folder of its own, so that nothing beside it is found by accident. */
export function binary(): Promise<string> {
  built ??= buildOnce();
  return built;
}

/** A folder can be made by one process alone: that one builds, the others wait for its end. */
async function buildOnce(): Promise<string> {
  const folder = process.env[binaryFolderVariable];
  if (folder === undefined) throw new Error(`${binaryFolderVariable} is set by vitest's global setup`);
  const path = join(folder, "program", "patchbay");
  const failed = join(folder, "failed");
  try {
    mkdirSync(join(folder, "building"));
  } catch {
    await vi.waitUntil(() => existsSync(path) || existsSync(failed), { timeout: buildMs, interval: 100 });
    if (existsSync(failed)) throw new Error("the build failed in another test file");
    return path;
  }
  try {
    await build(join(folder, "building", "patchbay"));
    mkdirSync(join(folder, "program"));
    renameSync(join(folder, "building", "patchbay"), path);
  } catch (error) {
    writeFileSync(failed, "");
    throw error;
  }
  return path;
}

async function build(path: string): Promise<void> {
  await promisify(execFile)(process.execPath, ["scripts/build-binary.ts", `--outfile=${path}`]);
}
