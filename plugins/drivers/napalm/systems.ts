/** The systems, each loaded when the first device of it is opened. */
import type { System } from "./system.ts";
import type { SystemName } from "./system-names.ts";

export const systems: Readonly<Record<SystemName, () => Promise<{ readonly default: System }>>> = {
  eos: () => import("./systems/eos/system.ts"),
  ios: () => import("./systems/ios/system.ts"),
  junos: () => import("./systems/junos/system.ts"),
  nxos: () => import("./systems/nxos/system.ts"),
  nxos_ssh: () => import("./systems/nxos-ssh/system.ts"),
  iosxr: () => import("./systems/iosxr/system.ts"),
  iosxr_netconf: () => import("./systems/iosxr-netconf/system.ts"),
};
