/** Infinera packet switches (mTera, XTM). */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoBlankLevels, ciscoErrors, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "infinera_packet",
  aliases: ["infinera"],
  levels: ciscoBlankLevels,
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["terminal more off"] },
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "copy running-config startup-config", failed: /^\s*%|fail|error/im }],
  unsure: ["refusals and pager: assumed Cisco style", "save: the command Netmiko inherits"],
} satisfies PlatformPlugin;
