/** Versions of a made-up fleet, the same on every call. */
import type { ExportedVersion } from "../../../src/history/git/commit.ts";

export function versionOf(position: number, more: Partial<ExportedVersion> = {}): ExportedVersion {
  const number = position % 7;
  return {
    position,
    device: `sw${number}`,
    group: number === 0 ? null : `site${number % 3}`,
    part: "running",
    seq: Math.ceil(position / 7),
    takenAt: 1_767_225_600_000 + position * 61_000,
    text: `hostname sw${number}\n${"interface Ethernet1\n description of some length\n".repeat(20)}revision ${position}\n`,
    who: position % 2 === 0 ? "ada" : null,
    jobId: `job-${position}`,
    ...more,
  };
}

/** Those above a position, as a store would give them. */
export async function* versionsAfter(
  position: number,
  last: number,
  change: (version: ExportedVersion) => ExportedVersion = (version) => version,
): AsyncGenerator<ExportedVersion> {
  for (let at = position + 1; at <= last; at++) yield change(versionOf(at));
}
