/**
 * How many sessions may be kept so that the process does not run out of file descriptors under the configured limits.
 */
import { descriptorLimit } from "../base/files/descriptors.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/config.ts";
import { searchShards } from "../pool/port.ts";
import { type ConnectionLimits, descriptorsPerConnection, maxConnections } from "../runtime/net/serve.ts";

/** Database, log, listener, connections of callers. */
const reserve = 256;
/** Pipes and IPC channel of a template process. */
const perTemplateProcess = 8;
/** Each with its spare. */
const searchProcesses = 2 * searchShards;

/** Share for connections with client certificates. */
const partOfConnections = 1 / 4;

/** For all concurrent jobs and all kept sessions that the settings allow. */
export function neededDescriptors(
  values: Config["values"],
  limit: number | undefined,
): { least: number; most: number } {
  const { device_threads, max_sessions, slots, template_processes } = values;
  const connections = connectionsThatFit(values, limit)?.inAll ?? 0;
  const least =
    reserve +
    (template_processes + searchProcesses) * perTemplateProcess +
    slots +
    connections * descriptorsPerConnection;
  return { least, most: least + max_sessions * device_threads };
}

/** @returns undefined if no client certificates are requested: the runtime manages connections. */
export function connectionsThatFit(
  { tls_client_ca }: Config["values"],
  limit: number | undefined = descriptorLimit(),
): ConnectionLimits | undefined {
  if (tls_client_ca === undefined) return undefined;
  if (limit === undefined) return maxConnections;
  const fit = Math.max(2, Math.floor((limit * partOfConnections) / descriptorsPerConnection));
  const inAll = Math.min(maxConnections.inAll, fit);
  return { inAll, perAddress: Math.ceil(inAll / 2) };
}

/** @returns kept sessions per device thread: the configured number, or fewer. */
export function sessionsThatFit({ values }: Config, log: Log, limit = descriptorLimit()): number {
  const { device_threads, max_sessions, slots } = values;
  if (limit === undefined) return max_sessions;
  const { least: base, most: needed } = neededDescriptors(values, limit);
  if (base > limit) {
    const note = `${slots} jobs at once need ${base} descriptors: raise the limit (ulimit -n, LimitNOFILE=) or lower PATCHBAY_SLOTS.`;
    log.warn("descriptors.few", { limit, needed: base, note });
  }
  const fit = Math.max(1, Math.floor((limit - base) / device_threads));
  if (fit >= max_sessions) return max_sessions;
  const note = `PATCHBAY_MAX_SESSIONS is ${max_sessions}; ${fit} for each device thread fit. Raise the limit (ulimit -n, LimitNOFILE=) for more.`;
  log.warn("descriptors.sessions_lowered", { limit, needed, note });
  return fit;
}
