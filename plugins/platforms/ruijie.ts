/** Ruijie RGOS. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoBlankLevels, ciscoErrors, morePager } from "./family/family.ts";
import { iosModes } from "./family/modes.ts";

export default {
  api: 1,
  kind: "platform",
  name: "ruijie_os",
  levels: ciscoBlankLevels,
  home: "privileged",
  config: "config",
  login: [
    {
      ask: /Do you want to change the password[^\n]{0,80}$/i,
      example: "Do you want to change the password (y/n)? ",
      reply: "n",
    },
  ],
  prepare: ["terminal width 256", "terminal length 0"],
  errors: ciscoErrors,
  pager: morePager,
  questions: [{ ask: /\[(?:confirm|y\/n|yes\/no)\]:?\s*$/i, reply: "y" }],
  save: [{ send: "write", failed: /^\s*%|fail|error/im }],
  simulated: { saved: "Building configuration...\n[OK]", modes: iosModes, pipes: "ios" },
  legacySsh: true,
  unsure: ["answer to a wrong enable password"],
} satisfies PlatformPlugin;
