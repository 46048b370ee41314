/** `patchbay doctor`: text for people, JSON for machines, and its exit code. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { programOf, tempFolder } from "../../src/testkit/service.ts";

const [program, ...begin] = programOf();

const dataDir = join(tempFolder(), "data");
const doctor = (...args: string[]) =>
  spawnSync(program, [...begin, "doctor", ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir, PATCHBAY_LISTEN: "127.0.0.1:1" },
  });

test("doctor exits with 0 for warnings and 1 for failures, and creates nothing", () => {
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

test("the report escapes control characters and line breaks in the texts it quotes", () => {
  const hostile = "r1\x1b]0;owned\x07\x9b2J\nok    keys: all is well:22";
  const { stdout } = doctor("--device", hostile);
  expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  expect(stdout.split("\n")).not.toContainEqual(expect.stringMatching(/^ok {4}keys: all is well/));
  expect(doctor("--device", hostile, "--json").stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

test("an error message escapes control characters in the path it quotes", () => {
  const { stderr } = doctor("--config", "\x1b]0;owned\x07\x9b2J.toml");
  expect(stderr).toContain("owned");
  expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});
