/** Derives the settings of threads and template processes from the configuration. */
import { join } from "node:path";
import type { FolderLimits } from "../base/files/folder-usage.ts";
import type { Config } from "../config/config.ts";
import type { AdmissionLimits } from "../limits/port.ts";
import type { WorkerSettings } from "../protocol/message-port.ts";
import type { PluginModule } from "../protocol/plugin-module.ts";

export function workerSettings(
  config: Config,
  plugins: readonly PluginModule[],
  leaseValidUntil: SharedArrayBuffer,
  maxSessions: number,
): Omit<WorkerSettings, "role"> {
  const { values } = config;
  return {
    plugins: [...plugins],
    pluginSettings: config.pluginSettings,
    templateRoots: [...values.template_roots],
    transferRoots: [...values.transfer_roots],
    transferRoom: roomLimits(config),
    keyRoots: [...values.key_roots],
    knownHosts: [...values.known_hosts],
    agentSocket: values.agent_socket,
    libraryRoot: libraryRoot(config),
    urlAllow: [...values.url_allow],
    urlDeny: [...values.url_deny],
    sessionIdleMs: values.session_idle_seconds * 1000,
    sessionAgeMs: values.session_age_seconds * 1000,
    maxSessions,
    leaseValidUntil,
    logLevel: values.log_level,
  };
}

const maxFiles = 100_000;

/** For the transfer folders in total. */
export function roomLimits({ values }: Config): FolderLimits {
  return { bytes: values.max_files_mb * mib, entries: maxFiles };
}

/** In the data directory. */
export const databaseName = "patchbay.db";

/** Where `patchbay templates install` puts template sets. */
export function libraryRoot(config: Config): string {
  return join(config.values.data_dir, "library");
}

/** One API key may use half of the bytes, or at least one body of the maximum size. */
export function admissionLimits({ values }: Config): AdmissionLimits {
  const most = values.max_in_flight_mb * mib;
  const perKey = Math.max(most / 2, values.max_body_mb * mib);
  return {
    requests: { inAll: values.max_requests, perKey: values.max_requests_per_key },
    lists: { inAll: values.max_lists, perKey: values.max_lists_per_key },
    streams: { inAll: values.max_streams, perKey: values.max_streams_per_key },
    bytes: { inAll: Math.max(most, 2 * perKey), perKey },
    rate: { perSecond: values.rate_per_key, burst: values.rate_burst },
  };
}

const mib = 1024 * 1024;

/** After a push a device may still be busy with it. */
const settledMs = 5_000;

/** How long after a push the configuration is read; undefined: it is not. */
export const afterPushMs = ({ values }: Config): number | undefined =>
  values.history_after_push ? settledMs : undefined;
