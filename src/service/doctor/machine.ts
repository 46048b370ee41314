/** Checks the machine: clock, disk, limits. */
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { messageOf } from "../../base/errors.ts";
import { descriptorLimit } from "../../base/files/descriptors.ts";

import type { Config } from "../../config/config.ts";
import { neededDescriptors } from "../descriptors.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const mib = 1024 * 1024;
/** Below this, writes will soon fail. */
const leastFree = 100 * mib;
const fewFree = 1024 * mib;
/** An earlier date on this machine must be wrong. */
const notBefore = Date.UTC(2026, 0, 1);

export function checkClock(now = Date.now()): Finding[] {
  const shown = new Date(now).toISOString();
  if (now >= notBefore) return [ok("clock", shown)];
  const advice =
    "Set the time and keep it synchronized (chrony, systemd-timesyncd): results and keys expire by it.";
  return [fail("clock", `${shown}: before this program was made`, advice)];
}

export function checkDataDirectory(directory: string, minFreeMb: number): Finding[] {
  const check = "data directory";
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) {
    const advice =
      "The first start creates it; its parent must exist and be writable by the service's account.";
    const parent = statSync(dirname(directory), { throwIfNoEntry: false });
    return [(parent?.isDirectory() ? warn : fail)(check, `${directory} is not there`, advice)];
  }
  const findings: Finding[] = [];
  if ((found.mode & 0o077) !== 0) {
    const advice = `chmod 700 ${directory}`;
    findings.push(warn(check, `${directory} is accessible to other accounts`, advice));
  }
  const self = process.getuid?.();
  if (self !== undefined && self !== 0 && found.uid !== self)
    findings.push(
      fail(check, `${directory} belongs to account ${found.uid}`, `This one is ${self}: run as its owner.`),
    );
  findings.push(diskOf(directory, check, minFreeMb * mib));
  return findings;
}

function diskOf(directory: string, check: string, leastBytes: number): Finding {
  try {
    const { bavail, bsize, blocks } = statfsSync(directory);
    const free = bavail * bsize;
    const text = `${directory}: ${Math.round(free / mib)} MiB free of ${Math.round((blocks * bsize) / mib)}`;
    const advice = "Free some space: below PATCHBAY_MIN_FREE_MB submissions are rejected with 507.";
    if (free < Math.max(leastFree, leastBytes)) return fail(check, text, advice);
    return free < fewFree ? warn(check, text, advice) : ok(check, text);
  } catch (error) {
    return warn(
      check,
      `the free space of ${directory} cannot be determined: ${messageOf(error)}`,
      "Look with df.",
    );
  }
}

export function checkDescriptors({ values }: Config, limit = descriptorLimit()): Finding[] {
  if (limit === undefined) return [];
  const { least, most } = neededDescriptors(values, limit);
  const text = `${limit} file descriptors, ${most} for all that the settings allow`;
  const advice =
    "Raise the limit (ulimit -n, LimitNOFILE=), or lower PATCHBAY_SLOTS and PATCHBAY_MAX_SESSIONS.";
  if (limit < least) return [fail("descriptors", text, advice)];
  return [limit < most ? warn("descriptors", text, advice) : ok("descriptors", text)];
}
