/** The API description passes the rules of common OpenAPI tools. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import * as v from "valibot";
import { expect, test } from "vitest";
import { describedWith } from "../http/openapi/fixtures.ts";

const report = v.object({
  problems: v.array(v.looseObject({ ruleId: v.string(), severity: v.string(), message: v.string() })),
});

test("the OpenAPI document passes redocly's recommended rules without warnings", async () => {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-openapi-"));
  try {
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(await describedWith()));
    const cli = resolve("node_modules/@redocly/cli/bin/cli.js");
    const args = ["lint", "--extends", "recommended", "--format", "json", "openapi.json"];
    // Exits with 1 on errors, which are also in its report.
    const { stdout } = await promisify(execFile)("node", [cli, ...args], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        REDOCLY_TELEMETRY: "off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
      },
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: { stdout: string }) => error);
    const { problems } = v.parse(report, JSON.parse(stdout));
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
