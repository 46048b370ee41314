/** `patchbay doctor`: text for people, JSON for machines, and its exit code. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { tempFolder } from "../../src/testkit/service.ts";

const dataDir = join(tempFolder(), "data");
const doctor = (...args: string[]) =>
  spawnSync(process.execPath, ["src/main.ts", "doctor", ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir, PATCHBAY_LISTEN: "127.0.0.1:1" },
  });

test("what is to be looked at ends with 0, what does not work with 1; nothing is made", () => {
  const looked = doctor();
  expect([looked.status, looked.stderr]).toEqual([0, ""]);
  expect(looked.stdout).toContain(
    `warn  data directory: ${dataDir} is not there\n      -> The first start creates it`,
  );
  const failed = doctor("--device", "127.0.0.1:1", "--json");
  expect(failed.status).toBe(1);
  const findings: unknown = JSON.parse(failed.stdout);
  expect(findings).toContainEqual(expect.objectContaining({ check: "device", state: "fail" }));
  expect(findings).toContainEqual({
    check: "settings",
    state: "ok",
    text: "are accepted by `patchbay serve`",
  });
  expect(existsSync(dataDir)).toBe(false);
});
