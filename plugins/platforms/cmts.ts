/** CMTS: Arris (C4, E6000) and Casa Systems. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoErrors, ciscoLevels, morePager } from "./family/family.ts";

const shared = {
  api: 1,
  kind: "platform",
  home: "privileged",
  config: "config",
  errors: ciscoErrors,
  pager: morePager,
  legacySsh: true,
} satisfies Partial<PlatformPlugin>;

const arris: PlatformPlugin = {
  ...shared,
  name: "arris_cer",
  levels: { ...ciscoLevels, config: { ...ciscoLevels.config, enter: "configure" } },
  prepare: ["terminal length 0"],
  save: [{ send: "write memory", failed: /^\s*%|fail|error/im }],
  unsure: ["prompts, refusals and pager: assumed Cisco style"],
};

const casa: PlatformPlugin = {
  ...shared,
  name: "casa_cmts",
  levels: {
    ...ciscoLevels,
    // `exit` leaves only one context.
    config: { ...ciscoLevels.config, enter: "config", leave: "\x1a" },
  },
  prepare: ["page-off"],
  save: [
    {
      send: "copy running-config startup-config",
      questions: [{ ask: /[[(]y(?:es)?\/n(?:o)?[\])]\s*[?:]?\s*$/i, reply: "y" }],
      failed: /^\s*%|fail|error/im,
    },
  ],
  unsure: [
    "the enable password, and the answer to a wrong one",
    "questions of a save",
    "refusals and pager: assumed Cisco style",
  ],
};

export default [arris, casa];
