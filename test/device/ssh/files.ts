/** A file to transfer, and fresh folders for it on this host and on a test's sshd. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sshd } from "../../../scripts/testbed/openssh.ts";
import { run } from "../../../scripts/testbed/run.ts";

export const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
export const hashOfFile = (path: string) => hashOf(readFileSync(path));

/** Of all test files of this process; goes with the folder of the run. */
export const folder = mkdtempSync(join(tmpdir(), "patchbay-transfer-"));
/** Not a multiple of any chunk size. */
export const size = 5_000_001;
export const bytes = randomBytes(size);
export const sha256 = hashOf(bytes);
export const source = join(folder, "source");
writeFileSync(source, bytes);

let counter = 0;
export const freshLocal = () => join(folder, `local-${++counter}`);
export const freshRemote = (at: Sshd) => join(at.folder, `remote-${++counter}`);

/** Files created by this process belong to root: gives them to the user. */
export function give(path: string, user: string): string {
  run(["chown", user, path], { mustSucceed: true });
  return path;
}

export function remoteWith(content: Uint8Array, at: Sshd): string {
  const path = freshRemote(at);
  writeFileSync(path, content);
  return give(path, at.user);
}
