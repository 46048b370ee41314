/** Global setup and teardown: the folder with the compiled binary that all test files share. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

export const binaryFolderVariable = "TEST_BINARY_FOLDER";

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-binary-"));
  process.env[binaryFolderVariable] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
