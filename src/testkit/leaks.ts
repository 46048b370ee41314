/** Searches for leaked secrets in the service's output, its files and process arguments. */
import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "../base/files/file-below.ts";
import type { Service } from "./service.ts";

/** Encodings in which a secret could appear. */
function forms(secret: string): string[] {
  return [
    secret,
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    Buffer.from(secret).toString("hex"),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ];
}

/** @throws AssertionError that names the place, not the secret */
export function assertNoSecret(where: string, text: string, secrets: readonly string[]): void {
  for (const [at, secret] of secrets.entries())
    assert.ok(!forms(secret).some((form) => text.includes(form)), `secret ${at + 1} stands in ${where}`);
}

/** Copies of plugin folders, in the data directory: a test beside a plugin has the secrets that it gives. */
const copies = "plugins.loaded";

/** Checks everything that outlives a request. */
export function assertNoSecretKept(service: Service, secrets: readonly string[]): void {
  assertNoSecret("what the service printed", service.output(), secrets);
  const authors = join(service.dataDir, copies, "/");
  for (const [path, text] of filesOf(service.dataDir))
    if (!path.startsWith(authors)) assertNoSecret(path, text, secrets);
  const arguments_ = `/proc/${service.child.pid}/cmdline`;
  if (existsSync(arguments_))
    assertNoSecret("the arguments of the process", readFileSync(arguments_, "latin1"), secrets);
}

/** A file that the service renames meanwhile appears under its new name in the next listing. */
function filesOf(folder: string): Map<string, string> {
  const texts = new Map<string, string>();
  let moved = false;
  for (const path of filesIn(folder)) {
    try {
      texts.set(path, readFileSync(path, "latin1"));
    } catch (error) {
      if (existsSync(path)) throw error;
      moved = true;
    }
  }
  return moved ? new Map([...texts, ...filesOf(folder)]) : texts;
}
