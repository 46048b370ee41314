/** The lock of the test bed: one at a time, in a process and across processes, and nothing stays of an owner that died. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, expect, test, vi } from "vitest";
import { withLock, withLockMeanwhile } from "../../scripts/testbed/lock.ts";
import { pause } from "../../src/base/time/deadline.ts";
import { tempFolder } from "../../src/testkit/service.ts";

afterEach(() => vi.unstubAllEnvs());

test("those who want the same at the same moment, here or in other processes, go one after the other", async () => {
  const folder = tempFolder();
  vi.stubEnv("TMPDIR", folder);
  const told = join(folder, "told");
  const work = async () => {
    appendFileSync(told, "(");
    await pause(60);
    appendFileSync(told, ")");
  };
  const others = Array.from({ length: 2 }, () =>
    spawn(process.execPath, [
      "-e",
      `import { appendFileSync } from "node:fs";
      import { withLockMeanwhile } from "./scripts/testbed/lock.ts";
      await withLockMeanwhile("it", async () => {
        appendFileSync(${JSON.stringify(told)}, "(");
        await Bun.sleep(60);
        appendFileSync(${JSON.stringify(told)}, ")");
      });`,
    ]),
  );
  const ended = others.map((other) => once(other, "exit"));
  await Promise.all([withLockMeanwhile("it", work), withLockMeanwhile("it", work), ...ended]);
  expect(readFileSync(told, "utf8")).toBe("()".repeat(4));
});

test("a lock whose owner is gone is taken over, and one is free after work that failed", async () => {
  const folder = tempFolder();
  vi.stubEnv("TMPDIR", folder);
  const gone = spawn("true");
  await once(gone, "exit");
  mkdirSync(join(folder, "patchbay-testbed-it.lock"));
  writeFileSync(join(folder, "patchbay-testbed-it.lock", "pid"), String(gone.pid));
  await expect(withLockMeanwhile("it", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(withLock("it", () => 1)).toBe(1);
});
