/** How a commit of each system can be undone, known before a device is contacted. */
import type { HoldLimits, UndoWay } from "patchbay/plugin";
import type { SystemName } from "./system-names.ts";

/** How an unconfirmed commit is undone. */
export const commitWays: Readonly<Record<SystemName, UndoWay>> = {
  eos: "replace",
  ios: "replace",
  junos: "rollback",
  nxos: "checkpoint",
  nxos_ssh: "checkpoint",
  iosxr: "rollback",
  iosxr_netconf: "rollback",
};
/** Systems with a confirmed commit on every device. */
const holding: ReadonlySet<SystemName> = new Set(["eos", "junos"]);

export function undoWay(system: SystemName, args: { readonly dry_run?: boolean | null | undefined }) {
  if (args.dry_run === true) return undefined;
  return holding.has(system) ? "confirmed_commit" : commitWays[system];
}

/** Whose confirmed commit outlives its session; some devices lack it: iosxr_netconf without 1.1, ios without an archive. */
const limits: Readonly<Partial<Record<SystemName, HoldLimits>>> = {
  eos: { mostSeconds: 86_399, extends: true },
  ios: { mostSeconds: 120 * 60, extends: true },
  junos: { mostSeconds: 65_535 * 60, extends: true },
  iosxr_netconf: { mostSeconds: 65_535, extends: true },
};

export const holdLimits = (system: SystemName): HoldLimits | undefined => limits[system];
