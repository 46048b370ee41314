/** Records of the history as the API shows them. */
import type { ConfiguredDevice, VersionRecord } from "../api/history/history.ts";
import type { DeviceHeads, StoredConfigVersion } from "../store/port.ts";

type Iso = (ms: number) => string;

export function versionRecordOf(version: StoredConfigVersion, device: string, iso: Iso): VersionRecord {
  return {
    device,
    part: version.part,
    version: version.version,
    state: version.state,
    reason: version.reason,
    taken_at: iso(version.takenAt),
    last_seen_at: iso(version.seenAt),
    source: version.source,
    job_id: version.jobId,
    cause_job_id: version.causeJobId,
    who: version.who,
    by_on_device: version.byOnDevice,
    note: version.note,
    lines: version.lines,
    size: version.bytes,
    added: version.added,
    removed: version.removed,
    sha256: version.compare,
  };
}

export function deviceRecordOf(
  { device, latest, good, suspects }: DeviceHeads,
  inInventory: boolean,
  iso: Iso,
): ConfiguredDevice {
  const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));
  return {
    device: device.shown,
    host: device.host,
    group: device.group,
    platform: device.platform,
    in_inventory: inInventory,
    versions: good,
    latest: latest === undefined ? null : versionRecordOf(latest, device.shown, iso),
    suspects,
    last_good_at: isoOrNull(device.takenAt),
    failed_at: isoOrNull(device.failedAt),
    error: device.errorType,
    unsaved: device.unsaved,
  };
}
