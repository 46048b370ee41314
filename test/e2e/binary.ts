/** The compiled binary, built once for each test file that needs it. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import { tempFolder } from "../../src/testkit/service.ts";

const folders: string[] = [];
// The runner ends its processes by a signal: an exit handler would not be called.
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let built: Promise<string> | undefined;

/** Path of the binary; it lies in a folder of its own, so that nothing beside it is found by accident. */
export function binary(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const folder = tempFolder("patchbay-binary-");
  folders.push(folder);
  const path = join(folder, "patchbay");
  await promisify(execFile)(process.execPath, ["scripts/build-binary.ts", `--outfile=${path}`]);
  return path;
}
