/** `patchbay doctor`: checks everything a node needs, and says what to do. */
import process from "node:process";
import type { Command } from "commander";
import { shownLine } from "../base/text/terminal-text.ts";
import { jsonLine } from "../client/output/table.ts";
import type { Config } from "../config/config.ts";
import { loadDoctor } from "../service/load.ts";
import type { Program } from "../service/program.ts";
import { allSettings, configOf, withSettings } from "./options.ts";
import { print } from "./output.ts";

const marks = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;
/** Exit code by the worst result. */
const exitCodes = { ok: 0, warn: 0, fail: 1 } as const;

export function defineDoctor(parent: Command, program: Program): void {
  const command = parent
    .command("doctor")
    .description(
      "check settings, data, clock, disk, plugins, keys and the running service; exits with 1 if a check fails",
    )
    .option("--device <host:port...>", "devices that must be reachable from here")
    .option("--running", "fail if the service accepts no work, for container health checks")
    .option("--json", "print a JSON list");
  withSettings(command, allSettings).action((options: DoctorOptions, command: Command) =>
    doctor(configOf(command), options, program),
  );
}

interface DoctorOptions {
  readonly device?: string[];
  readonly json?: boolean;
  readonly running?: boolean;
}

async function doctor(
  config: Config,
  { device, json, running }: DoctorOptions,
  program: Program,
): Promise<void> {
  const { examine } = await loadDoctor(config.values.data_dir);
  const findings = (await examine(config, device ?? [], program, running)).map((finding) =>
    running === true && finding.check === "service" && finding.state === "warn"
      ? { ...finding, state: "fail" as const }
      : finding,
  );
  if (json === true) print(jsonLine(findings, 2));
  // Findings quote requests of callers and answers of other servers.
  else
    for (const { check, state, text, advice } of findings) {
      print(shownLine(`${marks[state]}  ${check}: ${text}`));
      if (advice !== undefined) print(shownLine(`      -> ${advice}`));
    }
  process.exitCode = Math.max(...findings.map(({ state }) => exitCodes[state]));
}
