/** IP Infusion OcNOS. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager, quotingKeys } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "ipinfusion_ocnos",
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  newline: "\r",
  prepare: ["terminal length 0"],
  keys: quotingKeys,
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "write", failed: /^\s*%|fail|error/im }],
  simulated: { saved: "Building configuration...\n[OK]" },
  unsure: [
    "prompts, refusals and pager: assumed Cisco style",
    "releases with transactions need `commit` as the last line of a push",
  ],
} satisfies PlatformPlugin;
