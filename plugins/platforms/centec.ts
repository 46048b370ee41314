/** Centec CentOS: switches of the V and E series. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "centec_os",
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: ciscoErrors,
  pager: morePager,
  save: [{ send: "write", failed: /^%|fail/im }],
  legacySsh: true,
  unsure: ["prompts, refusals and pager: assumed Cisco style", "output of a save"],
} satisfies PlatformPlugin;
