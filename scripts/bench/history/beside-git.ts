/** The same texts in a packed Git repository, a commit a version, as tools that keep configurations in Git do. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nameOf, versionsOf } from "./texts.ts";

const rounds = 5;
const round = (ms: number) => Math.round(ms * 10) / 10;

export async function measureGit(devices: number, versions: number): Promise<object> {
  const path = mkdtempSync(join(tmpdir(), "bench-history-git-"));
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", "-C", path, ...args], { stdout: "pipe", stderr: "pipe" });
  try {
    git("init", "--quiet", "--bare", "-b", "main");
    await importAll(path, devices, versions);
    git("repack", "-adq", "--window=10", "--depth=50");
    const bytes = Number(/size-pack: (\d+)/.exec(String(git("count-objects", "-v").stdout))?.[1]) * 1024;
    const name = nameOf(Math.floor(devices / 2));
    const timed = (...args: string[]) => {
      const each = Array.from({ length: rounds }, () => {
        const from = performance.now();
        const { success, exitCode, stderr } = git(...args);
        // `grep` that finds nothing ends with 1.
        if (!success && exitCode !== 1) throw new Error(String(stderr));
        return performance.now() - from;
      });
      return round(each.toSorted((a, b) => a - b)[rounds >> 1] ?? 0);
    };
    return {
      ...{ devices, versions, commits: Number(git("rev-list", "--count", "main").stdout), pack_bytes: bytes },
      log_ms: timed("log", "--oneline", "main", "--", name),
      diff_ms: timed("log", "-1", "-p", "main", "--", name),
      blame_ms: timed("blame", "main", "--", name),
      grep_few_ms: timed("grep", "-n", "reserved 4242-", "main"),
      grep_none_ms: timed("grep", "-n", "10.20.30.4000", "main"),
    };
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Version by version through all devices, as nights bring them. */
async function importAll(path: string, devices: number, versions: number): Promise<void> {
  const child = spawn("git", ["-C", path, "fast-import", "--quiet"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  const sequences = Array.from({ length: devices }, (_, device) => versionsOf(device, versions));
  for (let version = 0; version < versions; version++)
    for (const [device, texts] of sequences.entries()) {
      const text = Buffer.from(texts.next().value ?? "");
      const message = `update ${nameOf(device)}`;
      const head = [
        "commit refs/heads/main",
        `committer bench <bench@localhost> ${1_700_000_000 + version * 86_400 + device} +0000`,
        `data ${message.length}`,
        message,
        `M 100644 inline ${nameOf(device)}`,
        `data ${text.length}`,
        "",
      ].join("\n");
      if (!child.stdin.write(Buffer.concat([Buffer.from(head), text, Buffer.from("\n")])))
        await once(child.stdin, "drain");
    }
  child.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}
