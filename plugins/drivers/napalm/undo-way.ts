/** How a commit of each system is taken back, told before a device was asked. */
import type { UndoWay } from "patchbay/plugin";
import type { SystemName } from "./system-names.ts";

/** How a commit is taken back that does not wait. */
export const commitWays: Readonly<Record<SystemName, UndoWay>> = {
  eos: "replace",
  ios: "replace",
  junos: "rollback",
  nxos: "checkpoint",
  nxos_ssh: "checkpoint",
  iosxr: "rollback",
  iosxr_netconf: "rollback",
};
/** These can hold back a commit on every device. */
const holding: ReadonlySet<SystemName> = new Set(["eos", "junos"]);

export function undoWay(system: SystemName, args: { readonly dry_run?: boolean | null | undefined }) {
  if (args.dry_run === true) return undefined;
  return holding.has(system) ? "confirmed_commit" : commitWays[system];
}
