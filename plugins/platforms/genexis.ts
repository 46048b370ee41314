/** Genexis SOLT33 OLTs (Saturn). */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "genexis_solt33",
  levels: { ...ciscoLevels, privileged: { ...ciscoLevels.privileged, leave: "exit" } },
  home: "privileged",
  config: "config",
  // Only configuration mode accepts these. Alarms on the terminal would mix with the answers.
  prepareAt: {
    level: "config",
    commands: ["no logging monitor", "line width 256", "screen-rows per-page 0"],
  },
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "copy running-config startup-config", failed: /^\s*%|fail|error/im }],
  legacySsh: true,
  unsure: [
    "prompts, refusals and pager: assumed Cisco style",
    "pager and alarms are on until the first push disables them",
    "save: the command Netmiko inherits",
  ],
} satisfies PlatformPlugin;
