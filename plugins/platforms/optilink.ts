/** Optilink EPON OLTs: EOLT 9702 (8P2AB, 4P), EOLT 11444 and 11448. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";

const shared = {
  api: 1,
  kind: "platform",
  home: "privileged",
  config: "config",
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "copy running-config startup-config", failed: /^\s*%|fail|error/im }],
  legacySsh: true,
} satisfies Partial<PlatformPlugin>;

const unsure = ["prompts, refusals and pager: assumed Cisco style", "save: the command Netmiko inherits"];

const eolt9702: PlatformPlugin = {
  ...shared,
  name: "optilink_eolt9702",
  levels: {
    ...ciscoLevels,
    privileged: { ...ciscoLevels.privileged, leave: "exit" },
    config: { ...ciscoLevels.config, enter: "config", leave: "exit" },
  },
  // Only configuration mode accepts it.
  prepareAt: { level: "config", commands: ["vty output show-all"] },
  unsure: [...unsure, "the pager is on until the first push disables it"],
};

const eolt11444: PlatformPlugin = {
  ...shared,
  name: "optilink_eolt11444",
  levels: { ...ciscoLevels, config: { ...ciscoLevels.config, enter: "configure" } },
  prepareAt: { level: "privileged", commands: ["terminal length 0"] },
  unsure,
};

export default [eolt9702, eolt11444];
