/**
 * Driver `napalm`: the same query and result structure for all vendors, and configuration changes with a diff before
 * the commit.
 */
import { defineDriver } from "patchbay/plugin";
import { withoutChecks } from "../shared/push/checks.ts";
import { hopsOf } from "../shared/ssh/jump-hosts.ts";
import { configureArgs, queryArgs } from "./args.ts";
import { isRepeatable, readCalls } from "./calls.ts";
import { connection, defaultTimeoutS } from "./connection.ts";
import { shows } from "./shows.ts";
import { type SystemName, systemNamed } from "./system-names.ts";
import { holdLimits, undoWay } from "./undo-way.ts";

/** Of the others the difference is computed without that the system has read the lines. */
const checking: ReadonlySet<SystemName> = new Set(["eos", "junos", "iosxr", "iosxr_netconf"]);

export default defineDriver({
  name: "napalm",
  connection,
  query: queryArgs,
  configure: configureArgs,
  strategy: "pinned",
  target: ({ host, port, timeoutMs }) => ({ host, port, timeout: timeoutMs / 1000 }),
  timeout: defaultTimeoutS,
  commands: "any",
  configuration: "texts",
  hops: hopsOf,
  overrides: ["optional_args"],
  check: (commands, args) => readCalls(commands, args).faults,
  repeatable: (operation, args, commands) =>
    operation === "query" && readCalls(commands, args).calls.every(isRepeatable),
  excludesChecks: withoutChecks,
  transport: transportOf,
  compares: () => true,
  rehearses: ({ device_type, optional: { lock_disable, config_private } }) => {
    const isUnlocked = device_type === "junos" && lock_disable === true && config_private !== true;
    return checking.has(device_type) && !isUnlocked ? {} : undefined;
  },
  undo: ({ device_type }, args) => undoWay(device_type, args),
  holds({ platform }) {
    const system = platform === null ? undefined : systemNamed(platform);
    return system && holdLimits(system);
  },
  discovers(platform) {
    const isSupported = platform !== null && systemNamed(platform) !== undefined;
    return isSupported ? { command: "get_facts", platform, structured: true } : undefined;
  },
  shows,
  replaces: ({ platform }) =>
    platform === null || systemNamed(platform) === undefined ? undefined : { args: { replace: true } },
  load: () => import("./driver.ts"),
});

/** NETCONF over SSH is what it is by its port. */
function transportOf({ device_type: type, optional_args: optional }: Readonly<Record<string, unknown>>) {
  const system = systemNamed(String(type ?? ""));
  const named: unknown =
    typeof optional === "object" && optional !== null ? Reflect.get(optional, "transport") : undefined;
  if (system === undefined) return "ssh" as const;
  if (named === "telnet" || named === "ssh") return named;
  if (system === "eos" || system === "nxos") return "https" as const;
  return /junos|netconf/.test(system) ? ("netconf" as const) : ("ssh" as const);
}
