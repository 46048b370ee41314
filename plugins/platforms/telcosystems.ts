/** Telco Systems BiNOS. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoBlankLevels, ciscoErrors, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "telcosystems_binos",
  detect: [{ send: "show version", says: /BiNOS/i }],
  levels: ciscoBlankLevels,
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "write memory", failed: /^\s*%|fail|error/im }],
  legacySsh: true,
  unsure: ["prompts, refusals and pager: assumed Cisco style", "save: Netmiko has none"],
} satisfies PlatformPlugin;
