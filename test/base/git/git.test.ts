/** How a run of git that failed is told. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runGit } from "../../../src/base/git/git.ts";
import { temporary } from "../../support/temporary.ts";

const folder = temporary();
afterAll(folder.remove);

/** Ends as git does, with these words. */
function failing(words: string): Promise<string> {
  const program = join(folder.path, "git");
  writeFileSync(program, `#!/bin/sh\ncat >&2 <<'END'\n${words}\nEND\nexit 128\n`);
  chmodSync(program, 0o755);
  const { signal } = new AbortController();
  return runGit([], { folder: folder.path, signal, limitMs: 60_000, maxOutput: 1_000, program });
}

test.each([
  "fatal: unable to access 'https://127.0.0.1:40312/net.git/': The requested URL returned error: 500",
  "fatal: unable to access 'https://127.0.0.1:44017/net.git/': Failed to connect to 127.0.0.1 port 44017",
  "fatal: unable to access 'https://git.example/authentication.git/': The requested URL returned error: 502",
  "ssh: connect to host 10.0.0.1 port 40322: Connection refused",
  "fatal: unable to update url base from redirection: asked for: https://127.0.0.1:34037/net.git/info/refs",
])("an address or a port is no refused login: %s", async (words) => {
  await expect(failing(words)).rejects.toMatchObject({ kind: "CommandError" });
});

test.each([
  "fatal: unable to access 'https://git.example/net.git/': The requested URL returned error: 403",
  "error: RPC failed; HTTP 403 curl 22 The requested URL returned error: 403",
  "fatal: Authentication failed for 'https://git.example/net.git/'",
  "fatal: could not read Username for 'https://git.example': terminal prompts disabled",
  "git@git.example: Permission denied (publickey).",
  "Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures",
])("a refused login is one: %s", async (words) => {
  await expect(failing(words)).rejects.toMatchObject({ kind: "AuthenticationFailed" });
});
