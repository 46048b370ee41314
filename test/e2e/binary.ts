/** The compiled binary, built once for each test file that needs it. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { tempFolder } from "./harness.ts";

let built: Promise<string> | undefined;

/** Path of the binary; it lies in a folder of its own, so that nothing beside it is found by accident. */
export function binary(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const folder = tempFolder("patchbay-binary-");
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "patchbay");
  await promisify(execFile)(process.execPath, ["scripts/build-binary.ts", `--outfile=${path}`]);
  return path;
}
