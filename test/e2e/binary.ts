/** The compiled binary: the one of the run, or built once by the first test file that needs it. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { vi } from "vitest";
import { binaryFolderVariable } from "./binary-folder.ts";

/** Far more than a build takes on a busy machine. */
const buildMs = 200_000;
let built: Promise<string> | undefined;

/** Path of the binary, in its own folder so that it does not find files next to it by accident. */
export function binary(): Promise<string> {
  built ??= process.env.TEST_PROGRAM === undefined ? buildOnce() : Promise.resolve(process.env.TEST_PROGRAM);
  return built;
}

/** Only one process can create the folder: that one builds, the others wait. */
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
