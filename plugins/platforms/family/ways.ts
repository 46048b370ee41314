/** Undo commands of each system (save, confirm, roll back), for simulated devices. */
import type { SimulatedWay } from "patchbay/plugin";

const replaced = `This will apply all necessary additions and deletions
to replace the current running configuration with the
contents of the specified configuration file.
Total number of passes: 1
Rollback Done
`;

export const iosWays: readonly SimulatedWay[] = [
  {
    line: /^copy running-config flash:(?<name>\S+)$/,
    does: "keep",
    asks: [{ text: "Destination filename [$1]? " }],
    says: "1382 bytes copied in 0.412 secs (3354 bytes/sec)",
  },
  {
    line: /^configure replace flash:(?<name>\S+) force$/,
    does: "restore",
    says: replaced,
    lacks: "%Error opening flash: (No such file or directory)",
  },
  {
    line: /^delete \/force flash:(?<name>\S+)$/,
    does: "forget",
    lacks: "%Error deleting flash: (No such file or directory)",
  },
  {
    line: /^configure terminal revert timer (?<minutes>\d+)$/,
    does: "trial",
    enters: true,
    says: "Rollback Confirmed Change: Backing up current running config to flash:archive-1\n\nEnter configuration commands, one per line.  End with CNTL/Z.\n%ARCHIVE_DIFF-5-ROLLBK_CNFMD_CHG_BACKUP: Backing up current running config to flash:archive-1",
  },
  {
    line: /^configure revert timer (?<minutes>\d+)$/,
    does: "extend",
    lacks: "%No Rollback Confirmed Change pending",
  },
  {
    line: /^configure confirm$/,
    does: "commit",
    lacks: "%No Rollback Confirmed Change pending",
  },
  {
    line: /^configure revert now$/,
    does: "revert",
    says: "Rollback Confirmed Change: Rolling to: flash:archive-1\n\nTotal number of passes: 1\nRollback Done\n",
    lacks: "%No Rollback Confirmed Change pending",
  },
];

export const nxosWays: readonly SimulatedWay[] = [
  { line: /^checkpoint (?<name>\S+)$/, does: "keep", says: "................................Done" },
  {
    line: /^rollback running-config checkpoint (?<name>\S+) atomic$/,
    does: "restore",
    says: "Collecting Running-Config\n#Generating Rollback Patch\nExecuting Rollback Patch\nGenerating Running-config for verification\nGenerating Patch for verification\nVerification is Successful.\n\nRollback completed successfully.\n",
    lacks: "ERROR: Checkpoint does not exist",
  },
  { line: /^no checkpoint (?<name>\S+)$/, does: "forget", lacks: "ERROR: Checkpoint does not exist" },
];

export const xrWays: readonly SimulatedWay[] = [
  {
    line: /^commit confirmed minutes (?<minutes>\d+)$/,
    does: "trial",
    level: "config",
    says: "Sun Nov 22 17:00:00.123 UTC",
    leaving:
      "You are exiting after a 'commit confirm' with an active rollback session.  If you exit the configuration awaiting confirmation will not be confirmed and the router will immediately rollback to the previous configuration.\r\nDo you wish to exit? [no]:",
  },
  { line: /^commit$/, does: "commit", level: "config", says: "Sun Nov 22 17:00:01.123 UTC" },
];

const noSession = "% Cannot find the session";

export const eosWays: readonly SimulatedWay[] = [
  { line: /^configure session (?<name>\S+)$/, does: "open" },
  {
    line: /^configure session (?<name>\S+) commit timer (?<time>\d\d:\d\d:\d\d)$/,
    does: "trial",
    lacks: noSession,
  },
  { line: /^configure session (?<name>\S+) commit$/, does: "commit", lacks: noSession },
  { line: /^configure session (?<name>\S+) abort$/, does: "drop", lacks: noSession },
];

export const junosWays: readonly SimulatedWay[] = [
  {
    line: /^commit confirmed (?<minutes>\d+)$/,
    does: "trial",
    level: "config",
    says: "commit confirmed will be automatically rolled back in 10 minutes unless confirmed\ncommit complete\n\n# commit confirmed will be rolled back in 10 minutes",
  },
  { line: /^commit$/, does: "commit", level: "config", says: "commit complete" },
  { line: /^rollback 1$/, does: "previous", level: "config", says: "load complete" },
];
