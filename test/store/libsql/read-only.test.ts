/** The file system becomes read-only under the running service, as ext4 does after an error of the disk. */
import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, expect, test } from "vitest";
import { pause } from "../../../src/base/time/deadline.ts";
import { startNode } from "../../support/node.ts";
import { query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

const folder = temporary();
const disk = join(folder.path, "disk");
const mayMount = mounted();

/** Only root may, and only where the kernel has loop devices. */
function mounted(): boolean {
  if (process.getuid?.() !== 0 || process.platform !== "linux") return false;
  const image = join(folder.path, "image");
  mkdirSync(disk);
  writeFileSync(image, "");
  truncateSync(image, 64 * 1024 * 1024);
  try {
    execFileSync("/sbin/mkfs.ext4", ["-q", image], { stdio: "ignore" });
    execFileSync("/bin/mount", ["-o", "loop", image, disk], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

afterEach(() => {
  if (mayMount) execFileSync("/bin/umount", ["-l", disk]);
  folder.remove();
});

test.skipIf(!mayMount)(
  "a read-only file system refuses all writes, names the cause, and loses nothing",
  async () => {
    const node = await startNode({ directory: disk });
    const ids = await Promise.all([1, 2, 3].map((at) => node.submit(query(`r${at}`, "show version"))));
    for (const id of ids) await node.ended(id);
    execFileSync("/bin/mount", ["-o", "remount,abort", disk]);
    for (let tries = 0; tries < 3; tries++) {
      const refused = await node.submit(query("r9", "show version")).catch((error: unknown) => error);
      expect(refused).toMatchObject({ kind: "Unavailable", message: expect.stringContaining("read-only") });
      const { ready, reasons } = await node.jobs.ready();
      expect([ready, reasons]).toEqual([
        false,
        [expect.stringMatching(/^The data directory cannot be written/)],
      ]);
      await pause(1_100);
    }
    expect((await node.store.jobs.listed({}, 10)).length).toBe(3);
    await node.kill();
  },
);
