/** A file that a command cannot use is named in one sentence, without error codes or stack traces. */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { programOf, tempFolder } from "../../src/testkit/service.ts";

const [program, ...begin] = programOf();
const home = tempFolder();
const missing = `${home}/missing`;
const server = ["--url", "http://127.0.0.1:1"];

describe("a missing file", () => {
  test.each<[string[]]>([
    [["render", missing]],
    [["parse", missing, "--engine", "ttp"]],
    [["push", "r1", missing, "--yes"]],
    [["run", `@${missing}`, "--", "show", "version"]],
    [["inventory", "import", missing, "--yes"]],
    [["jobs", ...server, "--key-file", missing]],
    [["login", "http://127.0.0.1:1", "--key-file", missing]],
    [["config", "--config", missing]],
    [["key", "add", "x", "--cert", missing]],
    [["plugin", "check", missing]],
    [["templates", "install", missing]],
    [["restore", missing]],
    [["plugin", "new", "driver", "x", "--folder", "/proc/missing"]],
    [
      ["capture", "show version", "--platform", "cisco_ios", "--host", "r1", "--username", "a"].concat([
        ...["--folder", home, "--password-file", missing],
      ]),
    ],
  ])("of %j", (args) => {
    const { status, stderr } = spawnSync(program, [...begin, ...args], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: home, PATCHBAY_DATA_DIR: `${home}/data` },
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain("missing");
    expect(stderr).not.toMatch(/\bE[A-Z]{4,}\b|^\s+at /m);
  });
});
