/** The whole life cycle of an appliance, run by its script. */
import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { binary } from "../binary.ts";

const able = process.getuid?.() === 0 && process.platform === "linux";

test.runIf(able)(
  "runs unprivileged from an empty folder through an upgrade and back",
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "scripts/appliance.ts",
      `--program=${await binary()}`,
    ]);
    for (const step of ["after the load", "after the restored one has run", "after upgrade and downgrade"])
      expect(stdout).toMatch(new RegExp(`^${step}: each of \\d+ pushes reached the device once$`, "m"));
    expect(stdout).toContain("All steps passed.");
  },
  600_000,
);
