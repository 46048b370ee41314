/** A temporary folder for a test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function temporary(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "patchbay-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
