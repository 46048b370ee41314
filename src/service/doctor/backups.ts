/** Checks the state of backups. */
import { existsSync } from "node:fs";
import { cronPeriodMs, cronProblem } from "../../backup/schedule.ts";
import type { Config } from "../../config/config.ts";
import { lastFailure, newestBackup } from "../backup/scheduled.ts";
import { isUnfinished } from "../backup/unfinished.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const hourMs = 3_600_000;

export function checkBackups({ values, timeZone }: Config, now = Date.now()): Finding[] {
  const check = "backups";
  const { backup_cron: cron, backup_folder: folder, data_dir } = values;
  if (existsSync(data_dir) && isUnfinished(data_dir))
    return [
      fail(check, "a restore was interrupted", "Run `patchbay restore` again, or empty the data directory."),
    ];
  if (values.database_url) return [];
  if (cron === undefined || folder === undefined || cronProblem(cron) !== undefined) {
    const advice =
      "Set PATCHBAY_BACKUP_CRON and PATCHBAY_BACKUP_FOLDER, or run `patchbay backup` from elsewhere.";
    return [warn(check, "none are scheduled", advice)];
  }
  const failure = lastFailure(folder);
  if (failure !== undefined)
    return [fail(check, `the last one failed: ${failure}`, "Fix that and try `patchbay backup <file>`.")];
  const newest = newestBackup(folder);
  if (newest === undefined) return [warn(check, `there is none in ${folder} yet`, "Wait for the first.")];
  const ageMs = now - newest * 1000;
  const text = `the newest in ${folder} is ${Math.round(ageMs / hourMs)} h old`;
  const late = ageMs > 2 * cronPeriodMs(cron, timeZone) + hourMs;
  return [
    late
      ? warn(
          check,
          text,
          "Check that the service runs all the time, and look for `backup.failed` in its log.",
        )
      : ok(check, text),
  ];
}
