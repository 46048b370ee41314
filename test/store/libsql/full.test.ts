/**
 * The disk is full: submissions are refused, running jobs are recorded using the reserve, and it recovers
 * automatically.
 */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pause } from "../../../src/base/time/deadline.ts";
import { startNode } from "../../support/node.ts";
import { query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

/** Only root may mount a small file system; CI runs as root. */
const mayMount = process.getuid?.() === 0 && process.platform === "linux";
let folder: ReturnType<typeof temporary>;

beforeEach(() => {
  folder = temporary();
  if (mayMount) execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", folder.path]);
});
afterEach(() => {
  if (mayMount) execFileSync("/bin/umount", ["-l", folder.path]);
  folder.remove();
});

function fill(path: string): void {
  const { bavail, bsize } = statfsSync(path);
  for (let bytes = bavail * bsize; bytes >= 4096; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(join(path, `filler-${bytes}`), Buffer.alloc(bytes, 1));
    } catch {
      // Too large: retry with half the size.
    }
  }
}

test.skipIf(!mayMount)(
  "a full disk rejects submissions, lets running jobs end, and recovers with free space",
  async () => {
    const node = await startNode({ directory: folder.path });
    const running = await Promise.all(
      Array.from({ length: 20 }, (_, at) => node.submit(query(`r${at}`, "wait 600"))),
    );
    while (node.pool.log.length < 20) await pause(5);
    fill(folder.path);
    const refused: string[] = [];
    for (let at = 0; at < 60 && refused.length < 3; at++)
      await node
        .submit(query("r1", `show ${"x".repeat(60_000)} ${Math.random()}`))
        .catch((error) => refused.push(error.message));
    expect(refused).toEqual(Array(3).fill("The storage is full."));
    expect((await node.jobs.ready()).reasons).toContain("storage full");
    for (const id of running) expect((await node.ended(id)).status).toBe("finished");
    execFileSync("sh", ["-c", `rm -f "$0"/filler-*`, folder.path]);
    let accepted: string | undefined;
    for (let turn = 0; turn < 100 && accepted === undefined; turn++) {
      await pause(100);
      accepted = await node.submit(query("r2", "show after")).catch(() => undefined);
    }
    expect((await node.ended(accepted ?? "")).status).toBe("finished");
    expect((await node.jobs.ready()).ready).toBe(true);
    expect(existsSync(join(folder.path, "reserve"))).toBe(true);
    expect((await node.store.raw("pragma integrity_check")).rows).toEqual([["ok"]]);
    await node.stop();
    rmSync(join(folder.path, "reserve"));
  },
);
