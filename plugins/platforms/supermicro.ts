/** Supermicro SMIS switches. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoOpenLevels, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "supermicro_smis",
  detect: [{ send: "show system info", says: /Super Micro Computer/i }],
  // A login lands in the privileged level.
  levels: ciscoOpenLevels,
  home: "privileged",
  config: "config",
  // Only configuration mode accepts these.
  prepareAt: { level: "config", commands: ["set cli pagination off", "terminal width 511"] },
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "write startup-config", failed: /^\s*%|fail|error/im }],
  simulated: { lands: "privileged" },
  unsure: [
    "prompts, refusals and pager: assumed Cisco style",
    "the pager is on until the first push disables it",
  ],
} satisfies PlatformPlugin;
