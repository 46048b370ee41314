/** LANCOM switches with LCOS SX 4. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";

export default {
  api: 1,
  kind: "platform",
  name: "lancom_lcossx4",
  levels: ciscoLevels,
  home: "privileged",
  config: "config",
  prepare: ["terminal length 0"],
  errors: ciscoErrors,
  pager: { ...morePager, prompt: / ?-+ ?[Mm]ore ?-+[^\n]{0,60}/ },
  save: [{ send: "copy running-config startup-config", failed: /^\s*%(?! Saving)|fail|error/im }],
  goodbye: ["logout"],
  simulated: { saved: "Building configuration...\n% Saving 1234 bytes to flash:startup-config" },
  unsure: ["prompts, refusals and pager: assumed Cisco style"],
} satisfies PlatformPlugin;
